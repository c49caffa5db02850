"""How answers are put: what only repeats the question goes."""

import pytest

from evermem_cli.recollection.phrasing import Direct


def put(answer: str, question: str) -> str:
    """The answer as it is told when it comes letter by letter."""
    told: list[str] = []
    direct = Direct(question, told.append)
    for letter in answer:
        direct(letter)
    whole = direct.end()
    assert whole == "".join(told).strip()
    return whole


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("What has John cooked?", "John has cooked soup and honey chicken.", "soup and honey chicken."),
        ("What does Ann say running has been great for?", "Ann says running has been great for her head.", "her head."),
        ("What might Bob's income be?", "Bob's income might be less than average", "less than average"),
        ("Who helped James and Sam move?", "James and Sam's parents", "James and Sam's parents"),
        ("Where does Ann work?", "At Orrery Labs", "At Orrery Labs"),
        ("Did Ann move to Leeds?", "Yes.", "Yes."),
        ("Who is Ann's friend?", "Ann's friend is Ann", "Ann's friend is Ann"),
        ("小雨住在哪里？", "小雨住在北京", "小雨住在北京"),
    ],
)
def test_an_answer_begins_where_it_says_more_than_the_question(question: str, answer: str, told: str) -> None:
    assert put(answer, question) == told
