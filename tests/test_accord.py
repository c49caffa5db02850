"""Facts that confirm each other, and facts that end what others state."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evermem_cli.consolidation.accord import accords, confidence
from evermem_cli.memory import Accord, Assertion, Stance
from tests.lives import START, cell_of, conversation, messages, traces_of

CHAT = conversation("chat")


def said(name: str, value: str, day: int, *, message: str = "", user: str = "ann") -> Assertion:
    at = START + timedelta(days=day)
    return Assertion(
        id=name,
        user_id=user,
        attribute="diet",
        value=value,
        stance=Stance.HOLDS,
        valid_at=at,
        invalid_at=None,
        said_at=at,
        confidence=0.9,
        message_ids=(message or f"m-{name}",),
        fact_ids=(f"f-{name}",),
    )


def test_the_same_said_again_confirms_both() -> None:
    found = accords([said("a", "vegan", 0), said("b", "vegan", 40)])
    assert found == {"f-a": Accord(confirmed_by=("f-b",)), "f-b": Accord(confirmed_by=("f-a",))}


def test_two_facts_of_one_message_confirm_nothing() -> None:
    found = accords([said("a", "vegan", 0, message="m"), said("b", "vegan", 0, message="m")])
    assert not any(each.confirmed_by for each in found.values())


def test_what_another_person_says_of_themselves_confirms_nothing() -> None:
    assert accords([said("a", "vegan", 0), said("b", "vegan", 1, user="ben")]) == {"f-a": Accord(), "f-b": Accord()}


def test_a_newer_value_ends_the_older_one_until_it_is_forgotten() -> None:
    both = [said("a", "vegan", 0), said("b", "pescatarian", 40)]
    assert accords(both)["f-a"].ended_by == ("f-b",)
    assert accords(both)["f-b"] == Accord()
    assert accords(both[:1])["f-a"] == Accord()


def test_confirmation_moves_confidence_towards_one_and_back() -> None:
    first, second = traces_of(cell_of(messages(CHAT, "I am vegan", "Still vegan"))).facts
    known = {each.id: replace(each, confidence=0.6) for each in (first, second)}
    fact = known[first.id]
    assert confidence(fact, Accord(confirmed_by=(second.id,)), known) == pytest.approx(0.84)
    assert confidence(fact, Accord(confirmed_by=("gone",)), known) == pytest.approx(0.6)
    assert confidence(fact, Accord(), known) == pytest.approx(0.6)
