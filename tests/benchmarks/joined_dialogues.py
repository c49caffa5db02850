"""Dialogues put together of parts of others, where a topic ends with each part: sessions of MSC and of LoCoMo."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evermem_cli.formation.pieces import mean_vectors, pieces, question_asked, sentences, spoken_pieces
from tests.benchmarks.boundary_training import Dialogue, Matrix, Turns, as_messages

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

LEAST, MOST = 3, 10  # turns of a part
PARTS = (3, 6)  # of a dialogue
TRIES = 4  # to find a part of a session that begins and ends where it can be cut


@dataclass(frozen=True, slots=True)
class Session:
    """What two people said at a sitting, the message vectors, and which conversation it is of."""

    conversation: str
    turns: Turns
    vectors: Matrix


def embed_turns(dialogues: Sequence[Turns], embed: Embed) -> list[Matrix]:
    """For each dialogue the vectors that `ingest` gives its messages: a piece that answers a question has it before it.

    A message's own vector would be another one, and so would be what is learned from it.
    """
    spoken = []
    for turns in dialogues:
        messages = as_messages(turns, roles=False)
        for message, before in zip(messages, [None, *messages], strict=False):
            spoken.append(spoken_pieces(message, before)[: len(pieces(message.text))])
    vectors = iter(np.split(embed([text for texts in spoken for text in texts]), np.cumsum([*map(len, spoken)])[:-1]))
    made = []
    for turns in dialogues:
        parts = list(islice(vectors, len(turns)))
        made.append(mean_vectors(as_messages(turns, roles=False), [*map(len, parts)], np.concatenate(parts)))
    return made


def read_sessions(data: Path, name: str, embed: Embed, most: int) -> list[Session]:
    """The first `most` sessions of `msc` or `locomo`.

    MSC's first sessions are left out: TIAGE's dialogues are among them.
    """
    told = list(islice({"msc": _msc, "locomo": _locomo}[name](data), most))
    vectors = embed_turns([turns for _, turns in told], embed)
    return [Session(who, turns, found) for (who, turns), found in zip(told, vectors, strict=True)]


def _msc(data: Path) -> Iterator[tuple[str, Turns]]:
    with (data / "persona" / "msc" / "sessions.jsonl").open(encoding="utf-8") as lines:
        for session in map(json.loads, lines):
            if session["session"] != 1:
                yield session["episode"], _two([(turn["speaker"], turn["text"]) for turn in session["turns"]])


def _locomo(data: Path) -> Iterator[tuple[str, Turns]]:
    for sample in json.loads((data / "locomo_dev.json").read_text(encoding="utf-8")):
        for turns in sample["conversation"].values():
            if isinstance(turns, list):
                yield sample["sample_id"], _two([(turn["speaker"], _with_caption(turn)) for turn in turns])


def _with_caption(turn: dict[str, str]) -> str:
    return turn["text"] + (f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else "")


def _two(turns: Turns) -> Turns:
    """The turns by speakers of the same two names everywhere, so that a name does not betray where a part begins."""
    first = turns[0][0]
    return [("user" if who == first else "agent", text) for who, text in turns]


def join_sessions(sessions: Sequence[Session], kind: str, count: int, dice: random.Random) -> list[Dialogue]:
    """Dialogues of three to six parts of sessions, every second one of sessions of the same two people."""
    by_people: dict[str, list[Session]] = {}
    for session in sessions:
        by_people.setdefault(session.conversation, []).append(session)
    often = [some for some in by_people.values() if len(some) >= PARTS[0]]
    made: list[Dialogue] = []
    while len(made) < count:
        pool = dice.choice(often) if len(made) % 2 else sessions
        found = (part for session in dice.sample(pool, len(pool)) if (part := _part(session, dice)))
        chosen = list(islice(found, dice.randint(*PARTS)))
        if len(chosen) > 1:
            made.append(_joined(chosen, kind))
    return made


def _part(session: Session, dice: random.Random) -> tuple[Turns, Matrix] | None:
    """Some turns of a session, from its beginning, to its end or in between; None where no cut was found.

    A part begins with no answer and ends with no question, so its vectors are those it would have by itself.
    """
    turns = session.turns
    for _ in range(TRIES):
        size = min(len(turns), dice.randint(LEAST, MOST))
        start = dice.choice([0, 0, len(turns) - size, dice.randint(0, len(turns) - size)])
        answers = start and question_asked(*reversed(as_messages(turns[start - 1 : start + 1], roles=False)))
        ending = sentences(turns[start + size - 1][1])[-1:]
        if not answers and not (ending and ending[0].endswith("?")):
            return turns[start : start + size], session.vectors[start : start + size]
    return None


def _joined(parts: Sequence[tuple[Turns, Matrix]], kind: str) -> Dialogue:
    turns = [turn for some, _ in parts for turn in some]
    gaps = np.zeros(len(turns) - 1, np.bool_)
    gaps[np.cumsum([len(some) for some, _ in parts])[:-1] - 1] = True
    return Dialogue(kind, kind, turns, np.concatenate([vectors for _, vectors in parts]), gaps)
