"""Trains the model that tells whether a message moves an arrangement to another day, and prints its figures.

    pip install '.[train]'
    python -m tests.training.rescheduling             # a minute; writes the weights
    python -m tests.training.rescheduling --measure   # figures alone

`moves/` has messages by blind hands, half of which move what was arranged before, while the others only look alike.
Everyday messages of `chats/` stand for all others. Each hand is left out in turn: how many of its messages are taken
for a move, how many moves are followed to the right day by code, and how many others are followed to any.
"""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.memory import Message, Role
from evermem_cli.reading.rescheduling import BY_WORDS, FILE, LEAST
from evermem_cli.reading.word_runs import Odds, RunModel
from evermem_cli.recollection.plan_changes import followed_by
from evermem_cli.recollection.plans import plans_in
from tests.training.chats import chats
from tests.training.linear import Vectors, arrays, chosen_embedder, learn_runs

MOVES = Path(__file__).with_name("moves")
LOOSENESS = 3.0
EVERYDAY = 600  # messages of whole chats
_SEED = 1
_MORNING = timedelta(hours=9)


class Labelled(NamedTuple):
    """A message after others, whether it moves something, and the old and the new day, None where unknown."""

    hand: str
    before: tuple[Message, ...]
    said: Message
    moves: bool
    old: date | None
    new: date | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    embedder = chosen_embedder()
    known, everyday = list(labelled()), _everyday("learn", EVERYDAY)
    meaning = embedder.embed([*(each.said.text for each in known), *everyday])
    for hand in sorted({each.hand for each in known}):
        _report(hand, known, everyday, meaning, embedder)
    if not chosen.measure:
        stored: dict[str, Any] = {"embedder": np.array(embedder.name)}
        stored |= arrays("meaning", _learned(known, everyday, meaning)) | arrays("en", _learned(known, everyday, None))
        np.savez_compressed(FILE, **stored)


def labelled() -> list[Labelled]:
    """The labelled messages of all hands."""
    return [
        _labelled(path.stem, json.loads(line))
        for path in sorted(MOVES.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def _labelled(hand: str, row: dict[str, Any]) -> Labelled:
    said = [*row["before"], (row["said"], row["who"], row["text"])]
    *before, last = [_message(place, *each) for place, each in enumerate(said)]
    days = [date.fromisoformat(row[name]) if row[name] else None for name in ("from", "to")]
    return Labelled(hand, tuple(before), last, row["moves"], *days)


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


def _everyday(part: str, most: int) -> list[str]:
    said = [message.text for chat in chats() if chat.part == part for message in chat.messages]
    return Random(_SEED).sample(said, min(most, len(said)))


def _learned(known: Sequence[Labelled], everyday: Sequence[str], meaning: Vectors | None) -> RunModel:
    texts = [*(each.said.text for each in known), *everyday]
    return learn_runs(texts, [*(int(each.moves) for each in known), *(0 for _ in everyday)], LOOSENESS, meaning)


def _report(
    hand: str, known: Sequence[Labelled], everyday: Sequence[str], meaning: Vectors, embedder: CatalogEmbed
) -> None:
    """A row for the product with another embedder, which knows the words alone, and one for the default embedder."""
    hands = np.array([*(each.hand for each in known), *("" for _ in everyday)])
    rest = [each for each in known if each.hand != hand]
    words, both = _learned(rest, everyday, None), _learned(rest, everyday, meaning[hands != hand])
    own = [each for each in known if each.hand == hand]
    texts = [*(each.said.text for each in own), *_everyday("report", EVERYDAY)]
    by_words = np.array([_odds(words.odds(text)) for text in texts])
    by_both = np.array([_odds(both.odds(*each)) for each in zip(texts, embedder.embed(texts), strict=True)])
    for name, taken in (("words", by_words > LEAST), ("meaning", (by_words > BY_WORDS) & (by_both > LEAST))):
        flagged = [each for each, is_taken in zip(own, taken[: len(own)], strict=True) if is_taken]
        dated = [each for each in flagged if each.moves and each.old and each.new]
        row = {
            "moves": sum(each.moves for each in own),
            "found": sum(each.moves for each in flagged),
            "with both days": sum(bool(each.old and each.new) for each in own),
            "followed to the right day": sum(each.new in _followed(each, embedder) for each in dated),
            "others": sum(not each.moves for each in own),
            "others, found": sum(not each.moves for each in flagged),
            "others, followed": sum(bool(_followed(each, embedder)) for each in flagged if not each.moves),
            "everyday": len(taken) - len(own),
            "everyday, found": int(taken[len(own) :].sum()),
        }
        print(json.dumps({"benchmark": "rescheduling", "model": name, "left out": hand} | row), flush=True)


def _odds(odds: Odds) -> float:
    kept, moved = odds
    return float(moved - kept)


def _followed(each: Labelled, embedder: CatalogEmbed) -> set[date | None]:
    """The days on which what was arranged before is after the message, by code."""
    plans = list(plans_in(each.before))
    return {move.now.start.date() for move in followed_by(plans, [each.said], each.before, embedder) if move.now.start}


if __name__ == "__main__":
    main()
