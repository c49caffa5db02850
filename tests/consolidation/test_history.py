"""What an assertion of which the tagger is less sure does to a history."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evermem_cli.consolidation.history import histories
from evermem_cli.memory import Assertion, Stance
from tests.consolidation.test_assertions import SAID_AT

OWNED = Assertion(
    id="1", user_id="ann", attribute="car", value="Peugeot", stance=Stance.HOLDS, valid_at=SAID_AT, invalid_at=None,
    said_at=SAID_AT, confidence=0.81, message_ids=("m1",), sure=True,
)  # fmt: skip
STOLEN = replace(
    OWNED,
    id="2",
    stance=Stance.ENDED,
    valid_at=SAID_AT + timedelta(days=9),
    said_at=SAID_AT + timedelta(days=9),
    confidence=0.62,
    message_ids=("m2",),
    sure=False,
)


def test_an_unsure_end_counts_for_a_value_that_was_surely_stated() -> None:
    [fact] = histories([OWNED, STOLEN])["car"]
    assert fact.invalid_at == STOLEN.said_at


@pytest.mark.parametrize(
    "other",
    [
        replace(STOLEN, value="Gazelle"),
        replace(STOLEN, attribute="pets"),
        replace(STOLEN, stance=Stance.HOLDS, value="Gazelle"),
        replace(STOLEN, said_at=SAID_AT - timedelta(days=1)),
    ],
)
def test_nothing_else_that_is_unsure_changes_a_history(other: Assertion) -> None:
    assert histories([OWNED, other]) == histories([OWNED])
