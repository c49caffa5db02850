"""Questions for the person of whom something is true: "Who has a greyhound?", "谁住在成都？".

The question becomes the statement that such a person would make, "I have a greyhound".
"""

import re

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import key
from evermem_cli.languages.language import language
from evermem_cli.recollection.questions.wants import FIRST_PERSON

_ASKS = re.compile(
    r"\s*who(?:['’]s|\s+else)?\s+(?:(?:still|currently|now|also)\s+)*(?P<rest>[^?]+?)(?:\s+now)?\s*\?*\s*$", re.I
)
_ASKS_ZH = re.compile(r"\s*(?:现在)?谁(?P<rest>[^？?]+?)[？?]*\s*$")
_FIRST = {"is": "am", "are": "am", "has": "have", "does": "do", "was": "was", "'s": "am"}
_ENDS_IN_S = re.compile(r"(?<=[^s])s$|(?<=[xh])es$")
_NOT_WHO = ("name", "contacts", "family")  # "Who is Ruben?" asks for something else

Held = tuple[str, frozenset[str]]  # an attribute, and what its value must share with the one asked for


def read_held(text: str) -> tuple[Held, ...]:
    """What must be true of the person asked for; nothing where the question asks who did something."""
    tongue = language(text)
    match = (_ASKS_ZH if tongue == "zh" else _ASKS).match(text)
    if not match or FIRST_PERSON.search(text):
        return ()
    is_state = bool(re.match(r"\s*who['’]s\s", text, re.I))
    statement = f"我{match['rest']}" if tongue == "zh" else as_own(f"{'is ' if is_state else ''}{match['rest']}")
    return tuple(
        (attribute, key(attribute, value)) for attribute, value in asserted(statement) if attribute not in _NOT_WHO
    )


def as_own(said: str) -> str:
    """A statement about somebody in the first person: "works at Acme" as "I work at Acme"."""
    verb, _, rest = said.partition(" ")
    return f"I {_FIRST.get(verb.lower(), _ENDS_IN_S.sub('', verb))} {rest}"
