"""Questions whether something is allowed: "Can I drink alcohol?", "When may I run again?"."""

import re
from dataclasses import dataclass

from evermem_cli.languages.labels import in_english
from evermem_cli.languages.words import STOP_WORDS, words_of

_MAY = re.compile(
    r"\s*(?:(?P<end>(?:(?:un)?till? )?when|how long)\s)?(?:can't|mayn't|shouldn't|can|may|am i allowed|should)\b|"
    r".*(?:能|可以)",
    re.IGNORECASE,
)
STEM = 3  # letters that two words must share to count as one: "run" and "running"


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """A question whether something is allowed: prefixes of its words, and whether it asks for a restriction's end."""

    stems: frozenset[str]
    of_the_end: bool


def read_permission(text: str) -> PermissionQuestion | None:
    """Reads a question whether something is allowed; None for other questions."""
    match = _MAY.match(text)
    if not match:
        return None
    in_chinese = [english for theirs, english in in_english().items() if theirs in text]
    stems = {word[:STEM] for word in (*words_of(text), *in_chinese)} - {word[:STEM] for word in STOP_WORDS}
    return PermissionQuestion(frozenset(stems), bool(match["end"]))
