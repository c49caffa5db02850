"""What the words of a message support."""

import pytest

from evermem_cli.formation.grounding import CitedWords, keeps_negation, name_words

NAMES = name_words("Caroline", "Melanie", "用户")


def source(*texts: str) -> CitedWords:
    return CitedWords(list(texts), NAMES)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Gonna continue my edu and check out careers!", "Caroline will continue her education."),
        ("I have 2 kids", "Caroline has two children."),
        ("I bought him a bike for his studies.", "Caroline buys a bike for him to study."),
        ("Took my fam camping", "Caroline took her family camping."),
        ("I taught myself the violin", "Caroline has taught herself the violin."),
        ("My waist is 104 cm", "Caroline's waist is 104 cm."),
        ("我刚刚测量了我的腰围，是104厘米。", "用户的腰围是104厘米。"),
    ],
)
def test_other_forms_of_what_was_said_are_supported(said: str, fact: str) -> None:
    assert source(said).supports(fact)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I have 2 kids", "Caroline has 3 kids."),
        ("I have a dog", "Caroline has a dog called Rosa."),
        ("I went camping", "Caroline went camping in Scotland."),
        ("I went camping", "Caroline loves reading."),
        ("我经常吃火锅。", "用户每天喝咖啡和啤酒。"),
        ("我瘦了3kg。", "用户瘦了5kg。"),
    ],
)
def test_words_numbers_and_names_that_nobody_said_are_not(said: str, fact: str) -> None:
    assert not source(said).supports(fact)


def test_confidence_is_the_share_of_content_words_that_were_said() -> None:
    assert source("Music keeps people sane").confidence("Caroline believes that music keeps people sane.") == 0.8
    assert source("Music keeps people sane").confidence("Caroline keeps sane.") == 1.0
    assert source("Music").confidence("") == 0.0


def test_a_not_may_neither_be_lost_nor_put_in() -> None:
    assert keeps_negation("Ann doesn't eat meat.", "I never eat meat.")
    assert not keeps_negation("Ann eats meat.", "I don't eat meat.")
    assert not keeps_negation("用户吃肉。", "我不吃肉。")


def test_a_form_of_one_word_supports_another_that_is_spelled_like_it() -> None:
    assert CitedWords(["I have a rose garden."], frozenset({"ann"})).supports("Ann likes roses.")
    assert CitedWords(["I lay floors."], frozenset({"ann"})).supports("Ann lays floors.")
    assert CitedWords(["Prices rose."], frozenset()).supports("Prices rise.")
    assert not CitedWords(["Flat."], frozenset({"ann"})).supports("Ann is gone from the flat.")
