"""When something began is told as exactly as it was said."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.memory import Assertion
from evermem_cli.reading.statements.decode import Passage
from tests.consolidation.test_assertions import TAGGER, chat
from tests.recollection.asking import known_answer

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)


def answer(question: str, *said: tuple[str, str]) -> str | None:
    """What is answered of what Ann said on these days."""
    told: list[Assertion] = []
    for day, text in said:
        cell = chat(text)
        heard = tuple(replace(m, id=day, said_at=datetime.fromisoformat(f"{day}T09:00+00:00")) for m in cell.messages)
        [read] = TAGGER.read([Passage(day, text, "")])
        told += read_assertions(replace(cell, event_id=day, messages=heard), {day: read}, [], CONDITION_DAYS)
    return known_answer(question, told, NOW)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I moved to York last week.", "York (since the week of 4 May 2026)"),
        ("I moved to York in March.", "York (since March 2026)"),
        ("I moved to York in 2019.", "York (since 2019)"),
        ("I moved to York last summer.", "York (since summer 2025)"),
        ("I moved to York on Saturday.", "York (since 9 May 2026)"),
        ("I moved to York on 4 May.", "York (since 4 May 2026)"),
        ("I live in York.", "York (since 12 May 2026)"),
    ],
)
def test_a_beginning_is_told_as_the_week_or_the_month_that_was_said(said: str, told: str) -> None:
    assert answer("Where do I live?", ("2026-05-12", said)) == told


def test_an_end_is_told_as_exactly_as_what_took_its_place() -> None:
    said = ("2026-01-12", "I live in Leeds."), ("2026-05-12", "I moved to York last week.")
    assert answer("Do I live in Leeds?", *said) == (
        "No: York (since the week of 4 May 2026); until the week of 4 May 2026 it was Leeds"
    )
    assert answer("How long have I lived in York?", *said) == "York: since the week of 4 May 2026, about 4 months"
    assert answer("Until when did I live in Leeds?", *said) == (
        "Leeds: at least since 12 January 2026, until the week of 4 May 2026"
    )


def test_in_chinese_a_week_is_a_week_too() -> None:
    assert answer("我住在哪里？", ("2026-05-12", "我上周搬到了北京。")) == "北京（2026年5月4日那周起）"
