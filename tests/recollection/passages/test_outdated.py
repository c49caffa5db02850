"""Of a number that one has told anew, the last is read."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evermem_cli.memory import Evidence, Kind, Role
from evermem_cli.recollection.passages.outdated import without_outdated
from tests.consolidation.test_assertions import SAID_AT, chat
from tests.recollection.asking import read as question_of

SPRING = "I've tried three Korean restaurants in the city."
ECHO = "Three Korean restaurants in one city: you have tried a lot!"
SUMMER = "I have tried four Korean restaurants in the city by now."


def found(text: str, days: int, role: Role = Role.USER) -> Evidence:
    message = replace(chat(text).messages[0], role=role)
    return Evidence(
        id=text, kind=Kind.MESSAGE, text=text, score=1.0, speaker=message.speaker,
        said_at=SAID_AT + timedelta(days=days), valid_at=None, invalid_at=None,
        conversation="c", scene=None, messages=(message,),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("How many Korean restaurants have I tried in the city?", [SUMMER]),
        ("How many Korean restaurants had I tried in the city before?", [SPRING, ECHO, SUMMER]),
        ("Which Korean restaurants have I tried in the city?", [SPRING, ECHO, SUMMER]),
        ("How many restaurants did Ann try?", [SPRING, ECHO, SUMMER]),
        ("How many do I own in the city?", [SPRING, ECHO, SUMMER]),
    ],
)
def test_the_last_number_told_on_the_subject_is_read(question: str, read: list[str]) -> None:
    known = [found(SPRING, 0), found(ECHO, 0, Role.ASSISTANT), found(SUMMER, 90)]
    assert [each.text for each in without_outdated(question_of(question), known)] == read


@pytest.mark.parametrize(
    ("later", "role"),
    [(SUMMER, Role.ASSISTANT), (SUMMER, Role.PARTICIPANT), ("Korean restaurants in the city are good.", Role.USER)],
)
def test_only_a_number_of_ones_own_outdates_another(later: str, role: Role) -> None:
    known = [found(SPRING, 0), found(later, 90, role)]
    assert without_outdated(question_of("How many Korean restaurants have I tried in the city?"), known) == known


def test_what_was_told_in_one_sitting_stands_together() -> None:
    known = [found(SPRING, 0), found(SUMMER, 0)]
    assert without_outdated(question_of("How many Korean restaurants have I tried in the city?"), known) == known
