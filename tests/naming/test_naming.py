"""Names in messages, by sentence: what the words around them show, and what is no name."""

import pytest

from evermem_cli.naming import find_mentions, key


def read(text: str) -> set[str]:
    """Mentions as "type: name", without type where none is shown."""
    return {f"{each.type}: {each.name}" if each.type else each.name for each in find_mentions(text)}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("my neighbour Mrs Adeyemi has a key", {"person: Adeyemi"}),
        ("my boss is called Helen and she runs too", {"person: Helen"}),
        ("Callum says running is silly", {"person: Callum"}),
        ("I had dinner with Priya and Tom.", {"person: Priya", "person: Tom"}),
        ("Thanks, Maria! That's sweet.", {"person: Maria"}),
        ("I was in Lisbon two years ago", {"place: Lisbon"}),
        ("I propose Lake Bohinj in Slovenia.", {"place: Lake Bohinj", "place: Slovenia"}),
        ("I live in Leith now", {"place: Leith"}),
        ("I have an interview at Tidewater Health", {"organization: Tidewater Health"}),
        ("I signed up for the Forth Half", {"event: Forth Half"}),
        ('I am reading "The Name of the Wind" again', {"product: The Name of the Wind", "Name of the Wind"}),
        ("I bought an iPhone", {"product: iPhone"}),
        ("my dog Comet is asleep", {"animal: Comet"}),
        ("Comet is asleep", {"Comet"}),
        ("我表妹圣诞来爱丁堡看我", {"place: 爱丁堡"}),
    ],
)
def test_the_words_around_a_name_show_what_it_names(text: str, named: set[str]) -> None:
    assert read(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "Thanks! That was great. See you on Monday.",
        "OH NO",
        "i love it there",
        "Dad, I'm 32.",
        "And me and You?",
        "好的",
    ],
)
def test_what_begins_with_a_capital_is_not_always_a_name(text: str) -> None:
    assert read(text) == set()


def test_names_are_the_same_with_a_title_in_any_case_and_in_another_script() -> None:
    assert key("Mrs Adeyemi") == key("adeyemi") == ("adeyemi",)
    assert key("伦敦") == key("London")
    assert key("The") == ("the",)
