"""How a question is read from the tagger's outputs, with outputs made here, and by the tagger that ships."""

import numpy as np
import pytest

from evermem_cli.reading.statements.asked import AskedFor, MarkedFrom, decode_question
from evermem_cli.reading.statements.labels import ASKED_KINDS, ASKS, ERAS, OWNERS, SOUGHT, Asks, Era, Owner, Sought
from evermem_cli.reading.statements.outputs import Floats, QuestionOutputs
from evermem_cli.reading.statements.tagger import SHIPPED

QUESTION = "Does Ann Lee live in Leeds?"
PLACES = ((0, 4), (5, 8), (9, 12), (13, 17), (18, 20), (21, 23), (23, 26), (26, 27))  # "Leeds" in two tokens


def shares(names: tuple[str, ...], **given: float) -> Floats:
    """Probabilities in the order of `names`; the last one has what is left."""
    made = np.zeros(len(names), dtype=np.float32)
    for name, share in given.items():
        made[names.index(name)] = share
    made[-1] += 1 - made.sum()
    return made


def marks(**given: float) -> Floats:
    """The probability of each token, by its first word's letters."""
    return np.array([given.get(QUESTION[start:end], 0.1) for start, end in PLACES], dtype=np.float32)


def decoded(text: str = QUESTION, owner: Owner = Owner.NAMED, **kinds: float) -> AskedFor:
    outputs = QuestionOutputs(
        kind=shares(ASKED_KINDS, **kinds),
        asks=shares(ASKS, yes_no=0.9),
        owner=shares(OWNERS, **{owner: 0.8}),
        sought=shares(SOUGHT, yes_no=0.9),
        era=shares(ERAS, now=0.9),
        advice=np.array([0.4, 0.6], dtype=np.float32),
        value=marks(Le=0.2, eds=0.7),
        narrow=marks(),
        names=marks(Ann=0.6, Lee=0.9),
    )
    return decode_question(text, PLACES, outputs, MarkedFrom(0.5, 0.5, 0.5))


def test_a_question_has_its_kind_owner_and_value_in_whole_words() -> None:
    asked = decoded(location=0.8, hometown=0.15)
    assert (asked.kind, asked.asks, asked.owner) == ("location", Asks.YES_NO, Owner.NAMED)
    assert (asked.named, asked.value, asked.narrow) == ("Ann Lee", "Leeds", "")
    assert asked.likely == ("location", "hometown")
    assert (asked.sought, asked.era, asked.advice) == (Sought.YES_NO, Era.NOW, True)


def test_the_probability_is_that_it_is_personal_whatever_its_kind() -> None:
    assert decoded(location=0.5, hometown=0.3, none=0.2).probability == pytest.approx(0.8 * 0.9 * 0.8)


def test_no_kind_that_is_likely_enough_is_no_question_of_a_profile() -> None:
    assert decoded(location=0.3, hometown=0.3, employer=0.3).probability == 0


def test_who_is_named_matters_only_where_somebody_named_is_the_owner() -> None:
    assert decoded(owner=Owner.ASKER, location=0.8).named == ""


def test_keywords_seek_nothing_of_a_time() -> None:
    asked = SHIPPED.read_question("kilos")
    assert (asked.sought, asked.era) == (Sought.OTHER, Era.NONE)


def test_a_question_of_one_word_or_none_is_read() -> None:
    assert SHIPPED.read_question("why?").kind in ASKED_KINDS
    assert SHIPPED.read_question("").probability <= 1
