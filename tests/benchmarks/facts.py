"""Facts of chats by blind hands: `python -m tests.benchmarks.facts [--hand NAME]`.

Each file of `tests/training/facts/` holds chats of which a blind hand wrote down all that is worth remembering. The
product forms facts from excerpts of some messages each. Only numbers are printed: the share of the hand's facts that
are formed, and the share of those formed that are the hand's. Two facts are the same if one has `COVERS` of the other's
content words.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, Field

from evermem_cli.config import Settings
from evermem_cli.formation.extract import draft
from evermem_cli.formation.facts import form_facts
from evermem_cli.formation.grounding import CitedWords
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger

FOLDER = Path(__file__).parents[1] / "training" / "facts"
COVERS = 0.6
_ATTRIBUTION = frozenset({"says", "asks", "answers"})  # words that only tell who said it
MOST_MESSAGES = 8  # of an excerpt
SEED = 5


class Said(BaseModel):
    """A message of a chat."""

    n: int
    at: str
    who: str
    says: str


class Noted(BaseModel):
    """A fact, and the numbers of the messages that tell it; the last one completes it."""

    sources: list[int] = Field(alias="from")
    fact: str


class Chat(BaseModel):
    """A chat with all its facts."""

    kind: str
    messages: list[Said]
    facts: list[Noted]


def chats(hand: str) -> list[Chat]:
    """The chats of a hand."""
    lines = (FOLDER / f"{hand}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Chat.model_validate_json(line) for line in lines if line.strip()]


def excerpts(chat: Chat, random: Random) -> Iterator[tuple[MemCell, list[str]]]:
    """Consecutive excerpts of one to MOST_MESSAGES messages, and the hand's facts that each completes."""
    start = 0
    while start < len(chat.messages):
        end = min(start + random.randint(1, MOST_MESSAGES), len(chat.messages))
        noted = [fact.fact for fact in chat.facts if start < max(fact.sources) <= end]
        yield _cell(chat, start, end), noted
        start = end


def measure(asked: Sequence[tuple[MemCell, list[str]]]) -> dict[str, Any]:
    """The figures of these excerpts."""
    highlighter, tagger, settings = Highlighter(), Tagger(), Settings.load()
    known = formed = covered = right = 0
    for cell, noted in asked:
        read = dict(zip((message.id for message in cell.messages), tagger.read(_passages(cell)), strict=True))
        retellings = draft([cell], settings, highlighter, read)[0].retellings
        facts = [claim.text for retelling in retellings for claim in form_facts(retelling)]
        known, formed = known + len(noted), formed + len(facts)
        covered += sum(any(_covers(fact, one) for fact in facts) for one in noted)
        right += sum(any(_covers(one, fact) for one in noted) for fact in facts)
    return {
        "excerpts": len(asked),
        "facts of the hand": known,
        "formed": formed,
        "recall": round(covered / known, 3),
        "precision": round(right / formed, 3),
    }


def _passages(cell: MemCell) -> list[Passage]:
    """The messages as the tagger reads them."""
    before = ["", *(message.text for message in cell.messages)]
    return [Passage(message.id, message.text, text) for message, text in zip(cell.messages, before, strict=False)]


def _covers(fact: str, other: str) -> bool:
    return CitedWords([fact], _ATTRIBUTION).confidence(other) >= COVERS


def _cell(chat: Chat, start: int, end: int) -> MemCell:
    kind = ChatKind.ASSISTANT if chat.kind == "assistant" else ChatKind.GROUP
    messages = tuple(
        Message(
            id=f"m{said.n}", conversation_id="c", ordinal=said.n, external_id=str(said.n), speaker=said.who,
            user_id=said.who.lower(), role=Role.ASSISTANT if said.who == "Assistant" else Role.USER, text=said.says,
            said_at=datetime.fromisoformat(said.at).replace(tzinfo=UTC),
        )
        for said in chat.messages[start:end]
    )  # fmt: skip
    return MemCell(
        event_id=f"e{start}", conversation_id="c", group_id="g", kind=kind, messages=messages, boundary_reason="end",
        open=False, policy=Policy.ALL,
    )  # fmt: skip


def main() -> None:
    """Prints the figures of one hand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hand", default="4-mixed", choices=sorted(path.stem for path in FOLDER.glob("*.jsonl")))
    options = parser.parse_args()
    random = Random(SEED)
    figures = measure([excerpt for chat in chats(options.hand) for excerpt in excerpts(chat, random)])
    print(json.dumps({"benchmark": "facts", "hand": options.hand, **figures}))


if __name__ == "__main__":
    main()
