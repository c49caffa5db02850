"""Questions for everything planned or due, and nothing else: "What are my plans?"."""

import re
from collections.abc import Sequence

from evermem_cli.languages.language import language
from evermem_cli.languages.word_forms import inflects
from evermem_cli.languages.words import STOP_WORDS, WORD
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Era
from evermem_cli.timespan import Span
from evermem_cli.timespan.english.words import WORDS

_ASKS = re.compile(
    r"\b(?:plans?|planned|appointments?|deadlines?|agenda|schedule|calendar|reminders?|due|upcoming|coming up|ahead|"
    r"remind me|(?:should|must) i (?:remember|do)|to (?:remember|do)|keep in mind)\b|计划|安排|打算|日程|提醒",
    re.IGNORECASE,
)
# Words that may accompany these without asking for one thing; unlike "plans for the garden" and "remind me what".
_BESIDE = frozenset("anything forget get list need please show something soon task tell thing".split())
_AHEAD, _UNITS = 1, ("day", "week", "month")  # "next", and what it is said of
_BESIDE_ZH = re.compile(r"计划|安排|打算|日程|提醒|接下来|近期|最近|什么|哪些|记得|要做|[我你有的吗呢了在要做得请把下]")


def asks_for_upcoming(text: str, asked: AskedFor, times: Sequence[Span]) -> bool:
    """Whether the question asks for everything planned or due, perhaps in a time that it names, and nothing else."""
    if not _ASKS.search(text) or asked.era is Era.THEN:
        return False
    return not _asks_for_more(text, times)


def _asks_for_more(text: str, times: Sequence[Span]) -> bool:
    """Whether it has words that are neither of time nor of plans in general."""
    for span in reversed(times):
        text = f"{text[: span.start_offset]} {text[span.end_offset :]}"
    rest = _BESIDE_ZH.sub("", text) if language(text) == "zh" else _ASKS.sub(" ", text)
    words = set(WORD.findall(rest.casefold())) - STOP_WORDS
    return not all(map(_is_beside, words))


def _is_beside(word: str) -> bool:
    labels = WORDS.get(word, {})
    is_of_time = labels.get("TOWARDS") == _AHEAD or labels.get("UNIT") in _UNITS
    return is_of_time or inflects(word, _BESIDE)
