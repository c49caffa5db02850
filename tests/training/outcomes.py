"""Trains the model that tells whether a message moves an arrangement or calls it off, and prints its figures.

    pip install '.[train]'
    python -m tests.training.outcomes             # a minute; writes the weights
    python -m tests.training.outcomes --measure   # figures alone

`moves/` has messages by blind hands, half of which move what was arranged before, and `called_off/` those of which half
call something off, while the others only look alike. Everyday messages of `chats/` stand for all others. Each hand is
left out in turn: how many of its messages are followed to the right day or end by code, and how many others to any.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.memory import Message, Role
from evermem_cli.reading.outcomes import BY_WORDS, FILES, LEAST, PlanOutcome, log_odds
from evermem_cli.reading.word_runs import RunModel
from evermem_cli.recollection.plan_changes import PlanChange, followed_by
from evermem_cli.recollection.plans import plans_in
from tests.training.chats import chats
from tests.training.linear import Vectors, arrays, chosen_embedder, learn_runs

HANDS = tuple(Path(__file__).parent / name for name in ("moves", "called_off"))
LOOSENESS = 3.0
EVERYDAY = 600  # messages of whole chats
_SEED = 1
_MORNING = timedelta(hours=9)


class Models(NamedTuple):
    """Of words alone, and of words and meaning."""

    words: RunModel
    both: RunModel


class Labelled(NamedTuple):
    """A message after others; `off` are the places of those whose plan it calls off.

    `moves`: it moves a plan from the `old` day to the `new` one, None where unknown.
    """

    hand: str
    before: tuple[Message, ...]
    said: Message
    off: frozenset[int]
    moves: bool
    old: date | None
    new: date | None

    @property
    def outcome(self) -> PlanOutcome | None:
        """What becomes of a plan by it."""
        return PlanOutcome.MOVED if self.moves else PlanOutcome.OFF if self.off else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    embedder = chosen_embedder()
    known, everyday = labelled(), _everyday("learn")
    meaning = embedder.embed([*(each.said.text for each in known), *everyday])
    hands = np.array([*(each.hand for each in known), *("" for _ in everyday)])
    total: dict[str, int] = {}
    for hand in sorted({*hands} - {""}):
        rest = [each for each in known if each.hand != hand]
        models = {outcome: _learned(outcome, rest, everyday, meaning[hands != hand]) for outcome in PlanOutcome}
        row = _figures([each for each in known if each.hand == hand], models, embedder)
        total = {name: total.get(name, 0) + count for name, count in row.items()}
        print(json.dumps({"benchmark": "outcomes", "left out": hand} | row), flush=True)
    print(json.dumps({"benchmark": "outcomes", "left out": "each"} | total), flush=True)
    for outcome, file in {} if chosen.measure else FILES.items():
        words, both = _learned(outcome, known, everyday, meaning)
        stored: dict[str, Any] = {"embedder": np.array(embedder.name)} | arrays("meaning", both) | arrays("en", words)
        np.savez_compressed(file, **stored)


def labelled() -> list[Labelled]:
    """The labelled messages of all hands."""
    return [
        _labelled(f"{folder.name}/{path.stem}", json.loads(line))
        for folder in HANDS
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def _labelled(hand: str, row: dict[str, Any]) -> Labelled:
    said = [*row["before"], (row["said"], row["who"], row["text"])]
    *before, last = [_message(place, *each) for place, each in enumerate(said)]
    old, new = (date.fromisoformat(row[name]) if row.get(name) else None for name in ("from", "to"))
    return Labelled(hand, tuple(before), last, frozenset(row.get("of", ())), row.get("moves", False), old, new)


def _message(place: int, day: str, who: str, text: str) -> Message:
    return Message(
        id=str(place),
        conversation_id="c",
        ordinal=place,
        external_id=str(place),
        speaker=who,
        user_id=who,
        role=Role.PARTICIPANT,
        text=text,
        said_at=datetime.fromisoformat(day).replace(tzinfo=UTC) + _MORNING + timedelta(minutes=place),
    )


def _everyday(part: str) -> list[str]:
    said = [message.text for chat in chats() if chat.part == part for message in chat.messages]
    return Random(_SEED).sample(said, min(EVERYDAY, len(said)))


def _learned(outcome: PlanOutcome, known: Sequence[Labelled], everyday: Sequence[str], meaning: Vectors) -> Models:
    """The models of an outcome; of moves they learn from `moves/` alone, whose others look alike."""
    places = [place for place, each in enumerate(known) if outcome is PlanOutcome.OFF or each.hand.startswith("moves")]
    texts = [*(known[place].said.text for place in places), *everyday]
    kinds = [*(int(known[place].outcome is outcome) for place in places), *(0 for _ in everyday)]
    meant = np.concatenate([meaning[places], meaning[len(known) :]])
    return Models(*(learn_runs(texts, kinds, LOOSENESS, vectors) for vectors in (None, meant)))


def _figures(own: Sequence[Labelled], models: Mapping[PlanOutcome, Models], embedder: CatalogEmbed) -> dict[str, int]:
    """How the messages of one hand are read, and how plans are followed by them."""
    read = _read([each.said.text for each in own], models, embedder)
    followed = [_followed(each, may_be, embedder) for each, may_be in zip(own, read, strict=True)]
    both = list(zip(own, read, followed, strict=True))
    dated = [(each, changed) for each, _, changed in both if each.moves and each.old and each.new]
    off = [(each, changed) for each, _, changed in both if each.off and _is_dated(each)]
    others = [(may_be, changed) for each, may_be, changed in both if each.outcome is None]
    usual = _everyday("report")
    return {
        "moves": sum(each.moves for each in own),
        "read as moves": sum(PlanOutcome.MOVED in may_be for each, may_be, _ in both if each.moves),
        "with both days": len(dated),
        "followed to the right day": sum(any(_day(one) == each.new for one in changed) for each, changed in dated),
        "called off": sum(bool(each.off) for each in own),
        "read as called off": sum(PlanOutcome.OFF in may_be for each, may_be, _ in both if each.off),
        "with the day of the plan": len(off),
        "known to be off": sum(any(_is_off(each, one) for one in changed) for each, changed in off),
        "another plan known to be off": sum(
            any(one.now is None and not _is_off(each, one) for one in changed) for each, changed in off
        ),
        "others": len(others),
        "others, read as a change": sum(bool(may_be) for may_be, _ in others),
        "others, followed to a day": sum(any(one.now for one in changed) for _, changed in others),
        "others, known to be off": sum(any(one.now is None for one in changed) for _, changed in others),
        "everyday": len(usual),
        "everyday, read as a change": sum(map(bool, _read(usual, models, embedder))),
    }


def _read(
    texts: Sequence[str], models: Mapping[PlanOutcome, Models], embedder: CatalogEmbed
) -> list[frozenset[PlanOutcome]]:
    """What the product reads with these models."""

    def is_read(outcome: PlanOutcome, text: str, vector: Vectors) -> bool:
        model = models[outcome]
        return log_odds(model.words.odds(text)) > BY_WORDS and log_odds(model.both.odds(text, vector)) > LEAST[outcome]

    return [
        frozenset(outcome for outcome in models if is_read(outcome, text, vector))
        for text, vector in zip(texts, embedder.embed(texts), strict=True)
    ]


def _followed(each: Labelled, may_be: frozenset[PlanOutcome], embedder: CatalogEmbed) -> list[PlanChange]:
    """What has become of the plans before a message, by code."""
    changes = {each.said.id: (each.said, may_be)} if may_be else {}
    return followed_by(list(plans_in(each.before)), changes, each.before, embedder)


def _day(changed: PlanChange) -> date | None:
    return changed.now.start.date() if changed.now and changed.now.start else None


def _is_dated(each: Labelled) -> bool:
    """Whether code finds the day of a plan that is called off."""
    return any(int(plan.message.id) in each.off for plan in plans_in(each.before))


def _is_off(each: Labelled, changed: PlanChange) -> bool:
    return changed.now is None and int(changed.plan.message.id) in each.off


if __name__ == "__main__":
    main()
