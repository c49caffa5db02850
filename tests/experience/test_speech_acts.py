"""What in a chat with an assistant asks for something."""

import pytest

from evermem_cli.experience.speech_acts import asks_for


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("Recommend an Indian restaurant.", True),
        ("a slogan for my mobile dog wash please", True),
        ("what is mitosis vs meiosis, exam tomorrow", True),
        ("I just bought a lovely tennis racket.", False),
        ("The cheap headphones broke.", False),
        ("帮我写一封信。", True),
        ("茄子怎么弄才不吸油", True),
        ("我昨天去了北京。", False),
    ],
)
def test_requests_are_told_from_remarks(sentence: str, asks: bool) -> None:
    assert asks_for(sentence) is asks


def test_an_exclamation_asks_for_nothing() -> None:
    assert not asks_for("Really??")
