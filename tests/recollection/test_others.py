"""What is known of people who do not speak, from what others say of them, and who may know it."""

from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.memory import Stance, Statement, Whose
from evermem_cli.recollection.people.others import is_meant
from tests.consolidation.test_assertions import chat
from tests.recollection.asking import answered, view
from tests.recollection.test_histories import remembered

SISTER = """[2025-01-01 09:00] Ann: My sister Ellie lives in Leeds.
[2025-01-01 09:01] Tom: Nice!
[2025-02-01 09:00] Ann: My sister Ellie lives in York.
"""
QUESTION = "Where does my sister live?"


def test_who_does_not_speak_is_known_by_what_is_said_of_them(tmp_path: Path) -> None:
    owner, _ = remembered(tmp_path, SISTER)
    assert answered(owner, QUESTION, "2025-01-15") == "Leeds (since 1 January 2025)"
    assert answered(owner, QUESTION, "2025-06-01") == "York (since 1 February 2025)"
    assert answered(owner, "Where does my brother live?", "2025-06-01") is None


def test_what_one_message_says_of_somebody_is_read_together(tmp_path: Path) -> None:
    owner, _ = remembered(tmp_path, "[2025-01-01 09:00] Ann: My sister Ellie lives in Dresden, Bautzner Straße 12.\n")
    assert answered(owner, QUESTION, "2025-01-15") == "Dresden, Bautzner Straße 12 (since 1 January 2025)"


def test_an_agent_is_told_no_earlier_value_where_the_last_one_is_withheld(tmp_path: Path) -> None:
    _, agent = remembered(tmp_path, SISTER, "York")
    assert answered(agent, QUESTION, "2025-06-01") is None


def test_nothing_is_told_of_a_chat_that_the_asker_may_not_read(tmp_path: Path) -> None:
    owner, _ = remembered(tmp_path, SISTER)
    with owner.read() as reader:
        kinds = ["location"]
        known_by = view().now.replace(year=2026)
        assert reader.statements.of_others(kinds, known_by, "default", 9)
        assert reader.statements.of_others(kinds, known_by, "somebody else", 9) == []


@pytest.mark.parametrize(
    ("called", "person", "by", "expected"),
    [
        ("my sister", "My sister Ellie", "ann", True),
        ("Ellie", "my sister Ellie", "ann", True),
        ("my sister", "my sister", "tom", False),
        ("my sister", "my sister's friend", "ann", False),
        ("my sister", "Ellie", "ann", False),
        ("Ellie", "Ellen", "ann", False),
        ("Ellie", "Ellie and Tom", "ann", False),
        ("my sister's friend", "my sister", "ann", False),
        ("我妈", "我妈", "ann", True),
        ("我妈", "我妈的朋友", "ann", False),
    ],
)
def test_one_person_is_called_by_role_by_name_or_by_both(called: str, person: str, by: str, expected: bool) -> None:
    statement = Statement(
        message_id="m1", start=0, stop=1, kind="location", value="York", whose=Whose.OTHER, person=person,
        stance=Stance.HOLDS, probability=0.9,
    )  # fmt: skip
    message = replace(chat("…").messages[0], user_id=by)
    memory = view()
    memory = replace(memory, where=replace(memory.where, user_id="ann"))
    assert is_meant(called, statement, message, memory) is expected
