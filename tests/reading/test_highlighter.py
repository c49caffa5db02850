"""The shipped highlighter: which sentences it keeps, and what it does with messages that it cannot read."""

import json
import shutil
from pathlib import Path

import pytest

from evermem_cli.errors import ModelError
from evermem_cli.reading.highlighter import MOST_TOKENS, OUTPUTS, Draft, Highlighter
from evermem_cli.reading.shipped import WEIGHTS

HIGHLIGHTER = Highlighter()


def kept(before: str, *sentences: str) -> list[bool]:
    """Which sentences of one message are worth remembering."""
    [marks] = HIGHLIGHTER.highlight([Draft(before, sentences)])
    assert marks is not None
    return [mark.is_kept for mark in marks]


def test_small_talk_beside_news_is_left_out() -> None:
    assert kept("", "haha no way", "we moved to Porto in May and the rent is 900 a month") == [False, True]


def test_a_word_is_worth_keeping_after_the_question_that_it_answers() -> None:
    assert kept("when is your operation", "friday") == [True]
    assert kept("when is your operation", "oh no idea haha") == [False]


def test_each_message_has_its_own_marks_in_the_order_given() -> None:
    drafts = [Draft("", ("haha",)), Draft("", ("My sister Rosa lives in Lyon.", "ok bye")), Draft("", ())]
    marks = HIGHLIGHTER.highlight(drafts)
    assert [[mark.is_kept for mark in each or ()] for each in marks] == [[False], [True, False], []]


def test_chinese_is_not_read() -> None:
    assert HIGHLIGHTER.highlight([Draft("", ("我住在上海。",))]) == [None]


def test_a_sentence_beyond_the_most_tokens_is_not_kept() -> None:
    long = "I live in Leeds with my sister Rosa and her two sons. " * MOST_TOKENS
    [odds] = HIGHLIGHTER.log_odds([Draft("", (long, "I work as a nurse in Leeds."))])
    assert odds.shape == (2, OUTPUTS)
    assert kept("", long, "I work as a nurse in Leeds.")[1] is False


def test_other_weights_than_those_described_are_refused(tmp_path: Path) -> None:
    for name in ("highlighter.json", "highlighter.onnx", "tokenizer.json"):
        shutil.copy(WEIGHTS / name, tmp_path)
    settings = json.loads((tmp_path / "highlighter.json").read_text())
    (tmp_path / "highlighter.json").write_text(json.dumps(settings | {"sha256": "0" * 64}))
    with pytest.raises(ModelError, match="damaged"):
        Highlighter(tmp_path).highlight([Draft("", ("I live in Leeds.",))])
