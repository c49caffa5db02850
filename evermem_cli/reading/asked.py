"""What a question asks for, and of which time: "do you know when Ana lands?" asks for a date, of what is to come.

A linear model over the words of the question and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.asked` makes the weights.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.reading.advice import asks_for_advice
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels

FILE = WEIGHTS / "asked.npz"
_MODELS = RunModels(FILE)


class Sought(StrEnum):
    """What a right answer would be."""

    DATE = "date"
    CLOCK = "clock"
    LENGTH = "length"
    YES_NO = "yes_no"
    CHOICE = "choice"
    LIKELY = "likely"
    PERSON = "person"
    PLACE = "place"
    NAME = "name"
    COUNT = "count"
    AMOUNT = "amount"
    LIST = "list"
    STORY = "story"
    ADVICE = "advice"
    REASON = "reason"
    OTHER = "other"


class Era(StrEnum):
    """The time that a question is about, from the asker's today."""

    NOW = "now"
    THEN = "then"
    AHEAD = "ahead"
    NONE = "none"


SOUGHT, ERAS = tuple(Sought), tuple(Era)  # in the order of the model's kinds


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a question asks for, and of which time. `advice`: it asks what to do, and not what was said or done."""

    sought: Sought
    era: Era
    advice: bool = False


def read_asked(question: str, embedder: Embedder | None = None) -> AskedFor:
    """What the question asks for; without an embedder by its words alone. Raises ModelError.

    English keywords without a word of grammar, as people type them into a search box, ask for nothing of all this.
    """

    @cache
    def meaning() -> NDArray[np.float32]:
        return embedder.embed([question])[0] if embedder else np.empty(0, dtype=np.float32)

    name = embedder.name if embedder else ""
    advice = asks_for_advice(question, name, meaning)
    if language(question) == "en" and STOP_WORDS.isdisjoint(words_of(question)):
        return AskedFor(Sought.OTHER, Era.NONE, advice)
    odds = _MODELS.odds(question, name, meaning)
    sought, era = odds[: len(SOUGHT)], odds[len(SOUGHT) :]
    return AskedFor(SOUGHT[int(sought.argmax())], ERAS[int(era.argmax())], advice)
