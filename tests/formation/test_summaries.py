"""What a summary keeps of a chat."""

from evermem_cli.formation.summaries import SummarySentence, heading, summary
from tests.support.chats import NINE


def saying(text: str, *, clear: bool = True, answers: bool = False) -> SummarySentence:
    return SummarySentence(text, text, NINE, clear, answers)


CHAT = [
    saying("Ann loves the colours of the harbour, its boats, its cafés and its narrow streets at dusk."),
    saying('Bob: "14th then"', clear=False),
    saying("Bob thinks about buying a boat with a small cabin, a red sail and a proper stove."),
    saying('Ann: "comes to ninety a head"', clear=False),
    saying("Bob has a cold."),
]


def test_a_figure_is_kept_however_casually_it_is_put_before_what_says_more() -> None:
    told = summary(CHAT, frozenset(), "en")
    assert '"14th then"' in told
    assert told.startswith("Ann loves")


def test_what_is_not_clear_and_has_no_figure_is_left_out() -> None:
    assert "of them" not in summary([*CHAT, saying("Bob: one of them", clear=False)], frozenset(), "en")


def test_a_chat_without_a_clear_sentence_is_told_as_it_is() -> None:
    assert summary([saying("Ann: yes that", clear=False)], frozenset(), "en") == "Ann: yes that"


def test_the_heading_is_clear_and_fits_where_one_does() -> None:
    assert heading(CHAT, frozenset(), 60) == "Bob has a cold."
