"""Which half of a set of time phrases an item is in: the one that rules are written from, or the one only counted.

The halves are drawn by template, so that "since March 3" and "since May 12" stand on the same side. Templates know
nothing of the grammar: a new rule moves no item.
"""

import re
from hashlib import sha256

_PLACEHOLDERS = (
    (
        r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
        r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b",
        "month",
    ),
    (r"\b(?:mon|tues?|wed(?:nes)?s?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\b", "weekday"),
    (r"\d+", "0"),
    (
        r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
        r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
        r"|eleventh|twelfth)\b",
        "number",
    ),
    (r"[^\w]+", " "),
)


def template(text: str) -> str:
    """A text with placeholders for its numbers, number words, months and weekdays."""
    text = text.casefold()
    for pattern, placeholder in _PLACEHOLDERS:
        text = re.sub(pattern, placeholder, text)
    return text.strip()


def is_learned_from(text: str) -> bool:
    """Whether rules may be written from the text; the other half is looked at as figures alone."""
    return sha256(template(text).encode()).digest()[0] % 2 == 0
