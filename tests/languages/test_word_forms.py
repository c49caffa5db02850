"""Forms of a word that no stemmer brings together are looked up as one."""

from evermem_cli.languages.word_forms import forms


def test_a_verb_is_known_by_any_of_its_forms() -> None:
    assert forms("bought") == forms("buy") == ("buy", "bought")
    assert forms("children") == ("child", "children")


def test_a_word_is_known_by_the_forms_of_each_word_that_it_may_be() -> None:
    assert forms("knives") == ("knife", "knives")
    assert {"lie", "lay", "laid"} <= {*forms("lay")}
    assert forms("cola") == ("cola",)
    assert forms("lives") == ("lives",)


def test_forms_of_rarer_verbs_are_known() -> None:
    for verb, form in (("sew", "sewn"), ("kneel", "knelt"), ("oversleep", "overslept"), ("rewrite", "rewrote")):
        assert form in forms(verb)
    assert forms("people") == ("person", "people")


def test_other_words_have_one_form() -> None:
    assert forms("sculpture") == ("sculpture",)
    assert forms("核桃") == ("核桃",)
