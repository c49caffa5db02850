"""Questions about deeds: who did something, and what the asker took part in."""

import re
from dataclasses import dataclass

from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, content_stems
from evermem_cli.reading.voices import FIRST_PERSON
from evermem_cli.recollection.plans import topic

_ASKS_WHO = re.compile(
    r"\s*who(?:['’](?:s|ve|ll)|\s+else)?\s+(?:(?:has|have|is|was|are|were|will|did|also|already)\s+)*(?P<verb>[a-z]+)\s+"
    r"(?P<what>[^?]+)\??\s*$",
    re.IGNORECASE,
)
_ASKS_OF_EVENT = re.compile(r"\s*did\s(?:i|we)\s(?:\w+ly\s)?\w+\s(?P<what>[^?]+)\?*\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """A casefolded verb, and the stems of its object."""

    verb: str
    stems: frozenset[str]


def read_done_by_whom(text: str) -> Deed | None:
    """The deed whose doer the question asks for: "Who cleared the cache?"; None for other questions."""
    match = _ASKS_WHO.match(text) if language(text) == "en" else None
    if not match or FIRST_PERSON.search(text):
        return None
    deed = Deed(match["verb"].casefold(), content_stems(match["what"]))
    return deed if deed.stems and deed.verb not in STOP_WORDS else None


def read_event(text: str) -> frozenset[str]:
    """The words of the event that the asker may have taken part in: "Did I run the Harbour Half?"; else none."""
    match = _ASKS_OF_EVENT.match(text)
    return topic(match["what"]) if match else frozenset()
