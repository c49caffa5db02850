"""Questions for what somebody did: whether they did it, and who it was."""

import re
from dataclasses import dataclass

from evermem_cli.languages.language import language
from evermem_cli.recollection.questions.wants import FIRST_PERSON
from evermem_cli.recollection.rescheduling import topic
from evermem_cli.recollection.words import FUNCTION_WORDS, content_stems

_ASKS = re.compile(
    r"\s*(?:did|have|has)\s+[\w'’-]+\s+(?:(?:ever|already|really|finally|actually|yet)\s+)?(?P<verb>[a-z]+)\b(?P<what>.*)",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"\s*who(?:['’](?:s|ve|ll)|\s+else)?\s+(?:(?:has|have|is|was|are|were|will|did|also|already)\s+)*(?P<verb>[a-z]+)\s+"
    r"(?P<what>[^?]+)\??\s*$",
    re.IGNORECASE,
)
_ASKS_OF_EVENT = re.compile(r"\s*did\s(?:i|we)\s(?:\w+ly\s)?\w+\s(?P<what>[^?]+)\?*\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb, casefolded, and the stems of what was done with it."""

    verb: str
    stems: frozenset[str]


def read_deed(text: str) -> Deed | None:
    """The deed of which the question asks whether somebody did it: "Did I buy a racket?"; None for other questions."""
    match = _ASKS.match(text) if language(text) == "en" else None
    return _deed(match) if match else None


def read_done_by_whom(text: str) -> Deed | None:
    """The deed of which the question asks who did it: "Who cleared the cache?"; None for other questions."""
    match = _ASKS_WHO.match(text) if language(text) == "en" else None
    if not match or FIRST_PERSON.search(text):
        return None
    deed = _deed(match)
    return deed if deed.stems and deed.verb not in FUNCTION_WORDS else None


def read_event(text: str) -> frozenset[str]:
    """The words for what the asker may have taken part in: "Did I run the Harbour Half?"; none for other questions."""
    match = _ASKS_OF_EVENT.match(text)
    return topic(match["what"]) if match else frozenset()


def _deed(match: re.Match[str]) -> Deed:
    return Deed(match["verb"].casefold(), content_stems(match["what"]))
