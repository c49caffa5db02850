"""Forms of a word that no stemmer brings together are looked up as one."""

from evermem_cli.languages.word_forms import forms


def test_a_verb_is_known_by_any_of_its_forms() -> None:
    assert forms("bought") == forms("buy") == ("buy", "bought")
    assert forms("children") == ("child", "children")


def test_other_words_have_one_form() -> None:
    assert forms("sculpture") == ("sculpture",)
    assert forms("核桃") == ("核桃",)
