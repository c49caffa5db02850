"""What is printed of text that would steer the terminal, or hide what stands beside it."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.terminal.visible import json_line, one_line, visible

ESCAPES = {
    "\x1b[2J": r"\x1b[2J",
    "\x9b31m": r"\x9b31m",
    "a\rb\x07\x08": r"a\rb\x07\x08",
    "\u202elag": r"\u202elag",
    "\u2066x\u2069": r"\u2066x\u2069",
    "a\u200bb\u2060": r"a\u200bb\u2060",
    "a\u2028b": r"a\u2028b",
    "\U000e0041": r"\U000e0041",
    "\ud800": r"\ud800",
    "a\ufe00\ufe01": "a\ufe00" + r"\ufe01",
}
PLAIN = (
    "naïve café, 你好\n\tנעים",
    "می‌خواهم",
    "👩‍👧 ❤️",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "",
)


@pytest.mark.parametrize(("text", "shown"), ESCAPES.items())
def test_what_would_be_hidden_is_shown_escaped(text: str, shown: str) -> None:
    assert (visible(text), one_line(text)) == (shown, shown)


@pytest.mark.parametrize("text", PLAIN)
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text


def test_a_name_begins_no_line() -> None:
    assert one_line("Ann\nBob:\tyes") == r"Ann\nBob:\tyes"


@given(st.text(st.characters()))
def test_nothing_that_is_printed_steers_the_terminal_and_json_keeps_it(text: str) -> None:
    document = json_line({"text": text})
    assert json.loads(document) == {"text": text}
    assert json.loads(json_line({"text": text}, ascii_only=True)) == {"text": text}
    for shown in (visible(text), document):
        assert [
            each for each in shown if unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") and each not in "\t\n"
        ] == []
        assert [
            each
            for each in shown
            if unicodedata.bidirectional(each) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI")
        ] == []
