"""Classes of English words."""

import pytest

from evermem_cli.languages.english import is_clause, may_be_adverb


@pytest.mark.parametrize("text", ["vegan, to be precise", "Hull, having moved", "to be a vet", "a bent nail"])
def test_a_phrase_without_a_finite_verb_is_no_clause(text: str) -> None:
    assert not is_clause(text)


@pytest.mark.parametrize("text", ["the cat isnt well", "mum cant come", "shes late", "Dad shan't come"])
def test_a_clause_may_lack_its_apostrophe(text: str) -> None:
    assert is_clause(text)


def test_not_is_no_adverb_between_a_subject_and_its_verb() -> None:
    assert not any(map(may_be_adverb, ("not", "no", "yes")))
