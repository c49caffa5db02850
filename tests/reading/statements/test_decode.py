"""From the tagger's outputs to statements."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evermem_cli.memory import Stance, Whose
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.statements.calibration import SIGNS, Calibration, signs
from evermem_cli.reading.statements.decode import DecodingSettings, Passage, decode
from evermem_cli.reading.statements.edges import Edges
from evermem_cli.reading.statements.labels import KINDS, OUTPUTS, STANCES, TAGS, WHOSE
from evermem_cli.reading.statements.outputs import Outputs

TEXT = "my sister Ellie is a nurse."
WORDS = [(0, 2), (3, 9), (10, 15), (16, 18), (19, 20), (21, 26), (26, 27)]
SETTINGS = DecodingSettings(0.5, 0.5, Calibration((1.0,) * SIGNS, 0.0), Edges.load(WEIGHTS / "edges.npz"))


def outputs(words: int = len(WORDS), **tags: list[int]) -> Outputs:
    """Sure outputs: the kinds named have the words at these places, the first of them as a beginning."""
    logits = np.zeros((words, sum(OUTPUTS)), dtype=np.float32)
    logits[:, 0] = 9
    for kind, places in tags.items():
        for number, place in enumerate(places):
            logits[place, 0] = 0
            logits[place, (1 if number == 0 else 2) + 2 * KINDS.index(kind)] = 9
    logits[:, TAGS + 1 + WHOSE.index(Whose.ME)] = 4
    logits[:, TAGS + 1 + len(WHOSE) + STANCES.index(Stance.HOLDS)] = 4
    logits[:, [TAGS, -1]] = -9
    return Outputs.of(logits)


def test_a_run_of_tokens_of_one_kind_is_a_statement_without_its_punctuation() -> None:
    [family, job] = decode(Passage("m1", TEXT, ""), WORDS, outputs(family=[1, 2], job=[5, 6]), SETTINGS)
    assert (family.kind, family.value) == ("family", "sister Ellie")
    assert (family.whose, family.stance) == (Whose.ME, Stance.HOLDS)
    assert (job.kind, job.value, TEXT[job.start : job.stop]) == ("job", "nurse", "nurse")


def test_a_token_that_begins_another_statement_does_so_after_a_mark_alone() -> None:
    text, words = "my cat, dog Rex", [(0, 2), (3, 6), (6, 7), (8, 11), (12, 15)]
    pets = outputs(len(words), pets=[1, 2, 3, 4])
    pets.begins[[3, 4]] = pets.begins[1]
    assert [each.value for each in decode(Passage("m1", text, ""), words, pets, SETTINGS)] == ["cat", "dog Rex"]


def test_a_statement_does_not_go_on_in_another_line() -> None:
    text, words = "Bram\nMy brother", [(0, 4), (5, 7), (8, 15)]
    family = outputs(len(words), family=[0, 1, 2])
    assert [each.value for each in decode(Passage("m1", text, ""), words, family, SETTINGS)] == ["Bram", "My brother"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my Skoda (2013)", "Skoda (2013)"),
        ("my Skoda (2013, red)", "Skoda"),
        ("(my Skoda)", "Skoda"),
        ("my Skoda (a (2013", "Skoda"),
    ],
)
def test_a_value_has_whole_brackets(text: str, value: str) -> None:
    words = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    car = [n for n, (start, end) in enumerate(words) if text[start:end] in ("Skoda", "(", "2013", "a") and start > 1]
    [read] = decode(Passage("m1", text, ""), words, outputs(len(words), vehicle=car), SETTINGS)
    assert read.value == value


def test_a_statement_ends_where_the_words_beside_the_gap_say_if_the_tokens_leave_it_open() -> None:
    text, words = "my rent is high", [(0, 2), (3, 7), (8, 10), (11, 15)]
    found, money = outputs(len(words), money=[1, 2]), KINDS.index("money")
    found.inside[2, money] = 0.6
    assert [each.value for each in decode(Passage("m1", text, ""), words, found, SETTINGS)] == ["rent"]


@pytest.mark.parametrize(
    ("stance", "verb", "value"),
    [
        (Stance.ENDED, 0.3, "Barclays"),
        (Stance.ENDED, 0.6, "left Barclays"),
        (Stance.HOLDS, 0.3, "left Barclays"),
    ],
)
def test_what_has_ended_is_named_without_the_verb_if_that_hardly_belongs_to_it(
    stance: Stance, verb: float, value: str
) -> None:
    text, words = "I left Barclays", [(0, 1), (2, 6), (7, 15)]
    found, employer = outputs(len(words), employer=[1, 2]), KINDS.index("employer")
    found.inside[1, employer] = found.begins[1, employer] = verb
    found.begins[2, employer] = 0.7
    found.stance[:] = np.eye(len(STANCES))[STANCES.index(stance)]
    [read] = decode(Passage("m1", text, ""), words, found, replace(SETTINGS, threshold=0.2))
    assert (read.value, text[read.start : read.stop]) == (value, value)


def test_a_word_is_of_one_kind_and_no_run_begins_within_it() -> None:
    text, tokens = "vet Quillbank", [(0, 3), (4, 9), (9, 13)]
    found = outputs(len(tokens), job=[0], employer=[1])
    found.inside[2, KINDS.index("job")] = found.begins[2, KINDS.index("job")] = 0.9
    read = [(each.kind, each.value) for each in decode(Passage("m1", text, ""), tokens, found, SETTINGS)]
    assert read == [("job", "vet"), ("employer", "Quillbank")]


def test_what_is_somebody_elses_names_whose_by_the_nearest_words_before_it() -> None:
    found = outputs(job=[5])
    found.whose[5] = np.eye(len(WHOSE))[WHOSE.index(Whose.OTHER)]
    found.person[[1, 2]] = 0.9
    [job] = decode(Passage("m1", TEXT, ""), WORDS, found, SETTINGS)
    assert (job.whose, job.person) == (Whose.OTHER, "sister Ellie")


@pytest.mark.parametrize(("nobodys", "whose"), [(0.03, Whose.ME), (0.1, Whose.NOBODY)])
def test_what_may_well_be_nobodys_is_nobodys(nobodys: float, whose: Whose) -> None:
    found = outputs(job=[5])
    found.whose[5] = 0
    found.whose[5, [WHOSE.index(Whose.ME), WHOSE.index(Whose.NOBODY)]] = 1 - nobodys, nobodys
    [job] = decode(Passage("m1", TEXT, ""), WORDS, found, SETTINGS)
    assert job.whose is whose


def test_a_sentence_that_tells_something_of_no_kind_is_a_statement_as_a_whole() -> None:
    found = outputs()
    found.telling[:] = 0.8
    [whole] = decode(Passage("m1", TEXT, ""), WORDS, found, SETTINGS)
    assert (whole.kind, whole.value, round(whole.probability, 2)) == ("other", TEXT[:-1], 0.8)


def test_a_sentence_with_a_statement_is_not_told_twice() -> None:
    found = outputs(job=[5])
    found.telling[:] = 0.8
    assert [each.kind for each in decode(Passage("m1", TEXT, ""), WORDS, found, SETTINGS)] == ["job"]


def test_no_tokens_say_nothing() -> None:
    empty = Outputs.of(np.zeros((0, sum(OUTPUTS)), dtype=np.float32))
    assert list(decode(Passage("m1", "", ""), [], empty, SETTINGS)) == []


@pytest.mark.parametrize("sure", [0.0, 0.5, 1.0])
def test_a_calibrated_probability_is_one_also_at_the_ends(sure: float) -> None:
    found = outputs(job=[5])
    found.inside[:] = sure
    found.whose[:] = sure
    assert 0 <= Calibration((1.2,) * SIGNS, -1.0).probability(signs(found, 5, 6, KINDS.index("job"))) <= 1


def test_surer_outputs_are_more_probable_where_the_weights_say_so() -> None:
    kind, found = KINDS.index("job"), outputs(job=[5])
    calibration = Calibration((1.0, *(0.0,) * (SIGNS - 1)), -1.0)
    probabilities = []
    for sure in range(1, 10):
        found.inside[5, kind] = sure / 10
        probabilities.append(calibration.probability(signs(found, 5, 6, kind)))
    assert probabilities == sorted(set(probabilities))
