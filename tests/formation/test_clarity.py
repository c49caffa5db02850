"""Sentences that need no chat around them."""

import json
from pathlib import Path

from evermem_cli.formation.rows import is_state
from evermem_cli.formation.sentences.clarity import is_clear_about

RETOLD = Path(__file__).parents[1] / "training" / "clear" / "a.jsonl"


def test_most_retold_sentences_that_are_clear_are_taken_for_clear_and_few_others() -> None:
    rows = [json.loads(line) for line in RETOLD.read_text(encoding="utf-8").splitlines()]
    taken = [row["clear"] for row in rows if is_clear_about(row["text"], row["who"])]
    assert taken.count(True) >= 78  # of 80 by a blind hand; rules of pronouns took 68
    assert taken.count(False) <= 37  # of 80; rules of pronouns took 53


def test_a_sentence_must_name_whom_it_is_about() -> None:
    assert is_clear_about("Ann went to a workshop last Friday and it was good.", "Ann")
    assert not is_clear_about("Ann went to a workshop last Friday and it was good.", "Bob")
    assert not is_clear_about("The view was good.", "Ann")


def test_a_chinese_sentence_points_outside_itself_by_its_pronouns() -> None:
    assert is_clear_about("Ann是四川人。", "Ann")
    assert is_clear_about("Ann这几天很累。", "Ann")
    assert not is_clear_about("Ann觉得那里很好。", "Ann")


def test_states_are_told_in_the_present_and_events_in_the_past() -> None:
    assert is_state("I'm a nurse.")
    assert is_state("I never eat meat.")
    assert not is_state("I went to Rome.")
    assert not is_state("Ben and I explored caves.")
    assert not is_state("I resigned.")
    assert not is_state("I rang her.")
    assert not is_state("I was a nurse.")
    assert not is_state("I rose early.")
    assert is_state("I have a rose garden and eat spelt.")
    assert is_state("I knit jumpers.")
    assert is_state("I lay floors.")
    assert is_state("I can't eat nuts.")
    assert is_state("Two hundred sheep, and a bit of land.")
    assert is_state("我是四川人。")
    assert not is_state("我去了北京。")
