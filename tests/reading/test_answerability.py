"""The check whether a window of messages tells the answer to a question: how its weights are run, and its examples."""

import json
from collections import Counter
from datetime import datetime

import numpy as np
import pytest

from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.reading.answerability import BATCH_TOKENS, Answerability, SpokenLine, asked_by, in_window
from tests.training import chats
from tests.training.answers import CHOSEN_CHATS
from tests.training.found import found, untold
from tests.training.near_misses import DIFFERENCES, near_misses, near_questions
from tests.training.pairs import CHOSEN, REPORTED, Item, items, pairs

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
    known = [*items(), *found()]
    parts = Counter(each.part for each in known)
    assert parts["learn"] > 3000 and min(parts["choose"], parts["report"]) > 400
    assert all(each.question and set(each.answers) <= set(range(len(each.messages))) for each in known)
    assert all(each.near or each.answers for each in known)
    whole = Counter(each.hand for each in known)
    to_learn_from = {chat.name: len(chat.questions) for chat in chats.chats() if chat.part == "learn"}
    copies = Counter(each.hand for each in untold([each for each in known if each.part == "learn"]))
    adapter = json.loads(Adapter(ANSWERS).path.with_suffix(".json").read_text("utf-8"))
    learned = {"check": Answerability().model.settings["learned_from"], "adapter": adapter["learned_from"]}
    assert learned["check"].items() <= (whole + Counter(to_learn_from)).items()
    by_excerpt = {hand: count for hand, count in learned["adapter"].items() if hand in whole}
    assert by_excerpt.items() <= (whole + copies).items()
    assert learned["adapter"].keys() - by_excerpt.keys() <= to_learn_from.keys() - set(CHOSEN_CHATS)
    assert all(hands.keys().isdisjoint((*CHOSEN, *REPORTED)) for hands in learned.values())


def test_windows_beside_the_answer_or_within_another_are_not_learned_from() -> None:
    [item] = [each for each in items() if len(each.messages) == 7 and each.answers == {3}][:1]
    learned = [each for each in pairs([item, *items()[:60]]) if each.question == asked_by(item.asker, item.question)]
    windows = [in_window(item.messages, place) for place in range(7)]
    assert [(each.window, each.tells) for each in learned][:-1] == [(windows[n], n == 3) for n in (1, 3, 5)]


def test_messages_of_other_days_are_not_beside_one_and_replaced_answers_are_not_learned_from() -> None:
    days = ["2025-05-02", "2025-05-08", "2025-05-08", "2025-06-01"]
    said = tuple(SpokenLine("Ann", text) for text in ("on the 10th", "a week later?", "yes", "lovely"))
    times = tuple(datetime.fromisoformat(f"{day} 09:00") for day in days)
    item = Item("found-a", "When is the picnic?", "Ann", said, times, frozenset({2}), "17 May", "", frozenset({0}))
    assert [item.beside(place) for place in range(4)] == [[0], [1, 2], [1, 2], [3]]
    learned = [(each.window, each.tells) for each in pairs([item, *items()[:60]])][:2]
    assert learned == [("Ann: a week later?\nAnn: yes", True), ("Ann: lovely", False)]


def test_times_of_a_day_follow_one_another() -> None:
    told = found()
    assert all(list(each.times) == sorted(set(each.times)) for each in told)
    assert all(len(each.times) == len(each.messages) for each in told)
    assert {each.hand for each in told} & {*REPORTED}


def test_chats_are_whole_and_each_question_has_windows_that_tell_the_answer_and_others() -> None:
    for chat in chats.chats():
        places = range(len(chat.messages))
        assert len(chat.questions) == (40 if chat.part == "develop" else 45)
        assert all(asked.now | asked.stale <= set(places) and not asked.now & asked.stale for asked in chat.questions)
        assert all(bool(asked.answer) is bool(asked.now) is not bool(asked.near) for asked in chat.questions)
        assert [said.at for said in chat.messages] == sorted(said.at for said in chat.messages)
    shown = list(chats.pairs("report"))
    reported = [chat for chat in chats.chats() if chat.part == "report"]
    assert sum(each.tells for each in shown) == sum(len(asked.now) for chat in reported for asked in chat.questions)
    assert sum(not each.tells for each in shown) > 8 * sum(len(chat.questions) for chat in reported)


def test_each_question_that_nothing_tells_has_a_message_that_tempts_and_a_told_one_beside_it() -> None:
    asked = Counter(chat.name for chat, _ in near_misses())
    assert {chat.name: 40 if chat.part == "learn" else 20 for chat in chats.chats()} == asked
    for chat, miss in near_misses():
        assert miss.places and miss.places | {miss.place} <= set(range(len(chat.messages)))
        assert miss.near != miss.told and miss.tempting and miss.by in DIFFERENCES
    for item, near in near_questions():
        assert item.part == "learn" and item.answers and near.place < len(item.messages) and near.by in DIFFERENCES
