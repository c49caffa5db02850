"""What somebody only meant to do is no ground to say that they did it."""

import pytest

from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.refusals.lacks_deed import lacks_deed
from tests.recollection.asking import line_of, read, view


@pytest.mark.parametrize(
    ("question", "own", "others", "lacks"),
    [
        ("Did I buy a new racket?", "I want to buy a better racket. Any ideas?", "Rackets: 100 euros.", True),
        ("Did I buy a new racket?", "I want to buy a racket.", "Try a racket before buying it.", True),
        ("Have I already paid the deposit?", "I still need to pay the deposit.", "Do pay it!", True),
        ("Did Ann visit Rome?", "Should I visit Rome in May? I'll visit Rome one day.", "", True),
        ("Did I buy a new racket?", "I want to buy a racket. I bought it on Friday.", "", False),
        ("Did I buy a new racket?", "I want to buy a racket.", "Great that you bought one!", False),
        ("Did I buy a new racket?", "I want to buy a racket. My racket came today.", "", False),
        ("Did I buy a racket?", "I decided not to buy a racket.", "", False),
        ("Did I visit Rome?", "I'm back from Rome. I'd like to visit Rome again.", "", False),
        ("Did I call Bob?", "Soup again.", "", False),
        ("What did I buy?", "I want to buy a racket.", "", False),
        ("我买球拍了吗？", "我想买球拍。", "", False),
    ],
)
def test_what_one_means_to_do_is_not_done(question: str, own: str, others: str, lacks: bool) -> None:
    lines = (line_of(own, speaker="Ann"), line_of(others or "Well.", speaker="Bob"))
    assert lacks_deed(read(question), Recollection(memory=view(), passages=(lines,))) is lacks
