"""The check whether a window of messages tells the answer to a question: how its weights are run, and its examples."""

import json
from collections import Counter

import numpy as np
import pytest

from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.reading.answerability import BATCH_TOKENS, Answerability, SpokenLine, asked_by, in_window
from tests.training.pairs import CHOSEN, REPORTED, items, pairs

ASKED = asked_by("Ann", "Where does Tom work?")
TELLS = "Ann: how's the new job?\nTom: Siemens is fine so far, long days though"
SILENT = "Ann: anyone seen my umbrella?\nMia: by the door"


@pytest.fixture(scope="module")
def check() -> Answerability:
    return Answerability()


def test_what_tells_the_answer_lies_above_what_is_about_something_else(check: Answerability) -> None:
    tells, silent = check.margins(ASKED, [TELLS, SILENT])
    assert tells > 0 > silent


def test_a_window_is_scored_alike_alone_and_among_others(check: Answerability) -> None:
    others = [f"{SILENT} {'and so on ' * n}" for n in range(BATCH_TOKENS // 32)]
    assert check.score(ASKED, [*others, TELLS])[-1] == pytest.approx(check.score(ASKED, [TELLS])[0], abs=0.1)


def test_nothing_to_score_and_what_cannot_be_read_are_scored_too(check: Answerability) -> None:
    assert check.score(ASKED, []).shape == (0,)
    scores = check.score("\ud800" * 9, ["", " ", "😀", "\ud800", "word " * 5000])
    assert scores.shape == (5,) and np.isfinite(scores).all()


def test_a_window_has_the_messages_beside_one() -> None:
    said = [SpokenLine("Ann", "a"), SpokenLine("Tom", "b"), SpokenLine("Ann", "c")]
    windows = [in_window(said, place) for place in range(3)]
    assert windows == ["Ann: a\nTom: b", "Ann: a\nTom: b\nAnn: c", "Tom: b\nAnn: c"]


def test_questions_are_whole_and_nothing_is_learned_from_those_that_measure() -> None:
    known = items()
    parts = Counter(each.part for each in known)
    assert parts["learn"] > 3000 and min(parts["choose"], parts["report"]) > 400
    assert all(each.question and set(each.answers) <= set(range(len(each.messages))) for each in known)
    assert all(each.near or each.answers for each in known)
    hands = Counter(each.hand for each in known)
    adapter = json.loads(Adapter(ANSWERS).path.with_suffix(".json").read_text("utf-8"))
    for learned in (Answerability().model.settings["learned_from"], adapter["learned_from"]):
        assert learned.items() <= hands.items()
        assert learned.keys().isdisjoint((*CHOSEN, *REPORTED))


def test_a_window_beside_the_answer_is_not_learned_from() -> None:
    [item] = [each for each in items() if len(each.messages) == 7 and each.answers == {3}][:1]
    learned = [each for each in pairs([item, *items()[:60]]) if each.question == asked_by(item.asker, item.question)]
    windows = [in_window(item.messages, place) for place in range(7)]
    assert [(each.window, each.tells) for each in learned][:-1] == [(windows[n], n == 3) for n in (0, 1, 3, 5, 6)]
