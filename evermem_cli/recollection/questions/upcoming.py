"""Questions for everything planned or due, and nothing else: "What are my plans?"."""

import re
from collections.abc import Sequence

from evermem_cli.languages.language import language
from evermem_cli.languages.words import content_words
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Era, Owner, Sought
from evermem_cli.timespan import Span

_ASKS = re.compile(
    r"\b(?:plans?|planned|appointments?|deadlines?|agenda|schedule|calendar|reminders?|due|upcoming|coming up|ahead|"
    r"remind me|(?:should|must) i (?:remember|do)|to (?:remember|do)|keep in mind)\b|计划|安排|打算|日程|提醒",
    re.IGNORECASE,
)
# Words that may accompany these without asking for one thing; unlike "plans for the garden" and "remind me what".
_ANYTHING = frozenset("anything something everything list show got".split())
_ASKED = (Sought.LIST, Sought.YES_NO)


def asks_for_upcoming(text: str, asked: AskedFor, times: Sequence[Span]) -> bool:
    """Whether the question asks for everything planned or due, perhaps in a time that it names, and nothing else."""
    if not _ASKS.search(text) or asked.era is Era.THEN or asked.sought not in _ASKED:
        return False
    return not _asks_for_more(text, asked, times)


def _asks_for_more(text: str, asked: AskedFor, times: Sequence[Span]) -> bool:
    """Whether it is about somebody else, or has words that are neither of time nor of plans in general."""
    if asked.owner is Owner.NAMED or language(text) == "zh":
        return asked.owner is Owner.NAMED or bool(asked.narrow)
    for span in reversed(times):
        text = f"{text[: span.start_offset]} {text[span.end_offset :]}"
    return not _ANYTHING.issuperset(content_words(_ASKS.sub(" ", text)).split())
