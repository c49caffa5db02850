"""Verbs in sentences."""

import pytest

from evermem_cli.recollection.verbs import has_verb, is_past


@pytest.mark.parametrize(("verb", "text"), [("sew", "I have sewn it"), ("kneel", "I knelt"), ("babysit", "I babysat")])
def test_a_verb_is_found_in_its_irregular_forms(verb: str, text: str) -> None:
    assert has_verb(verb, text)
    assert is_past(verb, text)


@pytest.mark.parametrize(
    ("verb", "text"), [("set", "Please set the alarm"), ("lay", "Lay the table"), ("need", "I need it")]
)
def test_instructions_and_states_have_no_past_form(verb: str, text: str) -> None:
    assert not is_past(verb, text)
