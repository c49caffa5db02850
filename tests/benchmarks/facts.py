"""Facts of chats by blind hands: `python -m tests.benchmarks.facts [--hand NAME] [--excerpts N]`.

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
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.formation.extract import complete, draft, finish
from evermem_cli.formation.grounding import CitedWords
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role
from evermem_cli.reading.highlighter import Highlighter

FOLDER = Path(__file__).parents[1] / "training" / "facts"
COVERS = 0.6
_ATTRIBUTION = frozenset({"says", "asks", "answers"})  # words that only tell who said it
MOST_MESSAGES = 8  # of an excerpt
TOGETHER = 8
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


def measure(asked: Sequence[tuple[MemCell, list[str]]], llm: LlamaCpp, settings: Settings) -> dict[str, Any]:
    """The figures of these excerpts."""
    known = formed = covered = right = 0
    highlighter = Highlighter()
    for first in range(0, len(asked), TOGETHER):
        group = asked[first : first + TOGETHER]
        drafts = [draft(cell, settings, highlighter) for cell, _ in group]
        for (_, noted), cell_draft, replies in zip(group, drafts, complete(drafts, llm), strict=True):
            facts = [fact.atomic_fact for fact in finish(cell_draft, replies, settings).facts]
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
    parser.add_argument("--excerpts", type=int, default=60, help="how many, spread over all chats of the hand")
    options = parser.parse_args()
    settings, random = Settings.load(), Random(SEED)
    every = [excerpt for chat in chats(options.hand) for excerpt in excerpts(chat, random)]
    asked = every[:: max(1, len(every) // options.excerpts)]
    model = catalog.find_llm(settings.llm)
    path = model if isinstance(model, Path) else weights.locate(model, settings.models_dir)
    with LlamaCpp(
        path, name=settings.llm, context_tokens=settings.context_tokens, batch=settings.batch, threads=0
    ) as llm:
        figures = measure(asked, llm, settings)
    print(json.dumps({"benchmark": "facts", "hand": options.hand, "model": settings.llm, **figures}))


if __name__ == "__main__":
    main()
