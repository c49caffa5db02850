"""How likely a reader lets an entry of a profile stand: true of its person, of a fitting kind, and understood alone.

The tagger says how likely a statement is one; people who read profiles strike more: "moved the date", "the other one",
"mum". A linear model over the words of an entry and those around it, and over how sure the tagger is.
`python -m tests.training.entries` makes the weights.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import language
from evermem_cli.memory import Stance
from evermem_cli.reading import fragments
from evermem_cli.reading.fragments import fragmentary, signs
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.statements.calibration import log_odds
from evermem_cli.reading.word_runs import RunModel, RunModels, softmax
from evermem_cli.whole_files import of_package

FILE = WEIGHTS / "entries.npz"
# An entry stands that is likelier right than not. With each author left out, 97 % of the right entries of chats that
# the tagger alone shows from SURELY_READ on are shown, and 64 % of the wrong ones.
LEAST = 0.5
# What no reader judged is sure from this probability of the statement on, of which 77 % were right.
SURELY_READ = 0.55
# Ends, without which a profile would keep what is over, and plans, whose days the readers did not see.
_UNJUDGED = frozenset({Stance.ENDED, Stance.PLANNED})
_SCALE = 0.1  # of log odds, beside words whose vector has the length 1
_NAME = "Xx"
_MODELS = RunModels(FILE)


class ProfileEntry(NamedTuple):
    """What a profile shows of a statement, which stands in `message[start:stop]` and was read with `probability`."""

    kind: str
    stance: Stance
    value: str
    message: str
    start: int
    stop: int
    probability: float


@cache
def judge() -> str:
    """Identifies the weights and bounds. Raises ModelError."""
    made = hashlib.sha256(f"{LEAST} {SURELY_READ}".encode())
    for file in (FILE, fragments.FILE):
        with of_package(file) as stream:
            made.update(stream.read())
    return f"entries {made.hexdigest()[:12]}"


def stands(entry: ProfileEntry) -> bool:
    """Whether an entry is sure enough for a profile. Raises ModelError."""
    if entry.stance in _UNJUDGED or not entry.value or language(entry.message) != "en":
        return entry.probability >= SURELY_READ
    return let_stand(entry) >= LEAST


def let_stand(entry: ProfileEntry, model: RunModel | None = None) -> float:
    """The probability that a profile's reader lets an English entry stand, by the shipped model unless told another.

    Raises ModelError.
    """
    chosen = model or _MODELS.model("en")
    return float(softmax(chosen.odds(masked(entry.value), sureness(entry), entry_signs(entry)))[1])


def masked(value: str) -> str:
    """The value with one word in place of all capitalised ones, so that no name is learned by heart."""
    return " ".join(_NAME if word[:1].isupper() else word for word in value.split())


def sureness(entry: ProfileEntry) -> NDArray[np.float32]:
    """Shape (2,): the log odds that it was read rightly, and that its value says nothing alone, scaled."""
    odds = log_odds(entry.probability), log_odds(fragmentary(entry.kind, masked(entry.value)))
    return _SCALE * np.array(odds, dtype=np.float32)


def entry_signs(entry: ProfileEntry) -> Iterator[str]:
    """What is known of an entry beside its words: its kind, stance, length, ends and form, and the words around it."""
    yield from signs(entry.kind, masked(entry.value))
    yield f"stance {entry.stance}"
    yield f"{entry.kind} {entry.stance}"
    before = entry.message[: entry.start].casefold().split()[-2:]
    after = entry.message[entry.stop :].casefold().split()[:1]
    yield f"before {' '.join(before)}"
    yield from (f"before {word}" for word in before[-1:])
    yield from (f"after {word}" for word in after)
