"""An answer that was replaced later is not read."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evermem_cli.memory import Evidence, Kind
from evermem_cli.reading.standing import Standing
from evermem_cli.recollection.passages.outdated import replaced_ids
from tests.consolidation.test_assertions import SAID_AT, chat
from tests.recollection.asking import hit_of
from tests.recollection.asking import read as question_of

OFFER = "I start at the garage on monday, four days a week, 110 a day"
PARK = "we were in the park with the dog"
RAISE = "the garage has put me up to 125 a day from monday!"


@pytest.fixture(scope="module")
def standing() -> Standing:
    return Standing()


def hit(text: str, days: int) -> Evidence:
    message = replace(chat(text).messages[0], id=text, said_at=SAID_AT + timedelta(days=days))
    return hit_of(message)


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("How much do I get a day at the garage now?", {OFFER}),
        ("What do I do at the garage, in the park and on Mondays? List everything.", set()),
        ("我现在在车库每天挣多少钱？", set()),
    ],
)
def test_a_price_is_replaced_by_the_price_told_later(question: str, replaced: set[str], standing: Standing) -> None:
    hits = [hit(RAISE, 40), hit(OFFER, 0), hit(PARK, 10)]  # best first, which is not their order in time
    assert replaced_ids(question_of(question), hits, standing) == replaced


def test_without_a_later_answer_everything_stands(standing: Standing) -> None:
    asked = question_of("How much do I get a day at the garage now?")
    assert replaced_ids(asked, [hit(OFFER, 0), hit(PARK, 10)], standing) == set()
    assert replaced_ids(asked, [hit(OFFER, 0)], standing) == set()


def test_narratives_are_not_compared(standing: Standing) -> None:
    asked = question_of("How much do I get a day at the garage now?")
    topic = replace(hit(OFFER, 0), kind=Kind.EPISODE)
    assert replaced_ids(asked, [topic, hit(RAISE, 40)], standing) == set()
