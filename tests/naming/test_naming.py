"""Names in messages: what the words around them show, and what is no name."""

import unicodedata

import pytest

from evermem_cli.naming import find_mentions, key


def read(text: str) -> set[str]:
    """Mentions as "type: name", without type where none is shown."""
    return {f"{each.type}: {each.name}" if each.type else each.name for each in find_mentions(text)}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("My boss is called Orlagh and she runs too", {"person: Orlagh"}),
        ("Thanks, Maria! That's sweet.", {"person: Maria"}),
        ("I live in Leith now", {"place: Leith"}),
        ("my neighbour Mrs Adeyemi’s key", {"person: Mrs Adeyemi"}),
        ("My landlord is Mr. Osei.", {"person: Mr. Osei"}),
        ("My doctor is Dr. Jane Braun", {"person: Dr. Jane Braun"}),
        ("Then I read about Zorblax Quux.", {"Zorblax Quux"}),
    ],
)
def test_a_name_has_the_type_that_the_words_around_it_show(text: str, named: set[str]) -> None:
    assert read(text) == named


def test_a_name_ends_with_its_line() -> None:
    named = read("I met Harriet Voss\nHR Manager of Harlow Dental yesterday")
    assert named
    assert all("\n" not in name for name in named)


@pytest.mark.parametrize("text", ["", "Thanks! That was great. See you on Monday.", "OH NO", "i love it there", "好的"])
def test_what_begins_with_a_capital_is_not_always_a_name(text: str) -> None:
    assert read(text) == set()


def test_a_name_whose_type_one_mention_shows_has_no_other_mention() -> None:
    found = find_mentions("Leith! I live in Leith.")
    assert [(each.name, each.type) for each in found] == [("Leith", "place")]


def test_names_are_the_same_with_a_title_and_in_any_case() -> None:
    assert key("Mrs Adeyemi") == key("adeyemi") == ("adeyemi",)
    assert key("The") == ("the",)


@pytest.mark.parametrize(
    "name",
    [
        "Ayşe", "Işıl Çağlar", "İbrahim", "Łukasz Żak", "Thảo", "Nguyễn Văn Đức", "Γιώργος", "Дмитрий", "Оля Петрова",
        unicodedata.normalize("NFD", "Ayşe"),
    ],
)  # fmt: skip
def test_a_name_is_whole_in_any_alphabet(name: str) -> None:
    assert read(f"My boss {name} is nice.") == {f"person: {name}"}
    assert key(name) == key(unicodedata.normalize("NFC", name))
