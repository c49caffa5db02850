"""Statements about work whose words name no job: they begin or end one, and are none themselves."""

from datetime import UTC, datetime

import pytest

from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.memory import Assertion, Stance, Statement, Whose
from tests.support.chats import said

BEFORE, THEN = datetime(2025, 3, 3, 9, tzinfo=UTC), datetime(2025, 6, 2, 9, tzinfo=UTC)


def stated(text: str, at: datetime, *values: tuple[str, str, Stance]) -> list[Assertion]:
    """What Ann asserts with statements of a kind, a value of the text and a stance."""
    [message] = said(("Ann", text), at=at)
    statements = [
        Statement(
            message_id=message.id, start=text.index(value), stop=text.index(value) + len(value), kind=kind,
            value=value, whose=Whose.ME, person="", stance=stance, probability=0.9,
        )
        for kind, value, stance in values
    ]  # fmt: skip
    return list(assert_statements(message, statements, {}))


WORK = stated(
    "I'm a nurse at Fennimore.", BEFORE, ("job", "nurse", Stance.HOLDS), ("employer", "Fennimore", Stance.HOLDS)
)


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("start", Stance.PLANNED),
        ("start on 4 August", Stance.PLANNED),
        ("new job", Stance.HOLDS),
        ("handed in my notice", Stance.BEGAN),
    ],
)
def test_words_that_name_no_job_are_none_and_replace_none(words: str, stance: Stance) -> None:
    known = histories([*WORK, *stated(f"I {words}.", THEN, ("job", words, stance))])
    assert [(fact.value, fact.invalid_at) for fact in known["job"]] == [("nurse", None)]


def test_the_end_of_a_job_with_a_name_ends_no_employer() -> None:
    known = histories([*WORK, *stated("I'm no longer a nurse.", THEN, ("job", "nurse", Stance.ENDED))])
    assert [fact.invalid_at for fact in known["job"]] == [THEN]
    assert [fact.invalid_at for fact in known["employer"]] == [None]


@pytest.mark.parametrize("job", ["team lead", "data analyst", "teacher", "retired", "护士"])
def test_what_names_a_job_or_a_status_is_one(job: str) -> None:
    [assertion] = stated(f"I'm {job}", BEFORE, ("job", job, Stance.BEGAN))
    assert assertion.value == job


def test_a_length_of_time_in_a_price_tells_no_beginning() -> None:
    text = "I rent a studio for 700 a month"
    values = ("housing", "studio", Stance.HOLDS), ("money", "700 a month", Stance.HOLDS)
    assert {assertion.valid_at for assertion in stated(text, THEN, *values)} == {THEN}
