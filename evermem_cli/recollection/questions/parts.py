"""Double questions: "What is my cat called, and since when do I have him?".

The parts are asked separately, so that an unknown answer to one is not guessed from the other.
"""

import re

from evermem_cli.languages.language import CAPITALS, language

_VERB = r"(?:is|are|was|were|am|do|does|did|have|has|had|can|will)\b"
_ASKS = r"(?:(?:since|until|till|for|from|with|to|at|in) )?(?:when|where|who|whom|whose|what|which|how)\b"
_TWO = re.compile(
    rf"\s*(?P<first>(?:{_ASKS}|{_VERB})[^?]*?)(?:,? and|\?(?: and)?)\s+(?:also )?"
    rf"(?P<second>{_ASKS}(?: (?:\w+ ){{0,2}}?{_VERB}| long\b|(?=\s*\??\s*$))[^?]*)\?*\s*$",
    re.IGNORECASE,
)
_BOTH = re.compile(rf"\s*(?P<one>{_ASKS}) and (?P<other>{_ASKS}) (?P<rest>{_VERB}[^?]*)", re.IGNORECASE)
_BARE = re.compile(r"(?:with )?(?:when|where|who|whom)", re.IGNORECASE)
_BARE_LENGTH = re.compile(r"since when|until when|(?:for )?how long", re.IGNORECASE)
_OPENING = re.compile(rf"\s*{_ASKS}(?: (?:day|time|date|year|month|long|often))?\s", re.IGNORECASE)
_OWNED = re.compile(r"(?:is|are) (?P<what>(?:my|our) .+)", re.IGNORECASE)
_ASKS_NAME = re.compile(
    r"what(?:['’]?s| is| was| are) (?:the name of (?P<of>.+)|(?P<called>.+?)(?: called| named|['’]?s? name))$", re.I
)
# The subject of the first part: "my cat" of "What is my cat called" ...
_ABOUT_THING = (
    re.compile(r"what(?:['’]?s| is| was| are) (?:the name of )?(?P<what>.+?)(?:['’]?s? names?| called| named)?$", re.I),
    re.compile(r"(?:who|when|where|how old)(?:['’]?s| is| are| was| were) (?P<what>.+?)(?: (?:again|now))?$", re.I),
    re.compile(r"(?:do|does|did|have|has) (?:i|we) (?:have|got|own|had) (?:an?|any|the) (?P<mine>[\w ]+)$", re.I),
)
# ... and "Ruben" of "Where does Ruben live": a person, but not a thing described.
_ABOUT_PERSON = re.compile(
    rf"(?:{_ASKS} (?:\w+ )?)?(?:does|did|do|has|have|is|was|will) (?P<what>(?-i:[{CAPITALS}])[\w-]+|my [\w-]+)\b", re.I
)
_POSSESSIVE = re.compile(r"\b(?:his|its|their|her(?= (?!now\b|again\b|in\b|on\b|at\b|for\b|from\b|with\b)\w))\b", re.I)
_PERSONAL = re.compile(r"\b(?:he|she|him|her)\b", re.I)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them)\b", re.I)
_UNCLEAR = re.compile(r"\b(?:there|that|this|those|these)\b", re.I)
_I = re.compile(r"(?:i|me|we|us|you)\b", re.I)
_STANDS_ALONE = re.compile(rf"\b(?:i|my|we|our)\b|\s(?-i:[{CAPITALS}])\w", re.I)  # "Who is coming?" does not


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a question, each understandable by itself; the text itself where it is a single question."""
    if language(text) != "en":
        return (text,)
    if both := _BOTH.match(text):
        return _asked(f"{both['one']} {both['rest']}"), _asked(f"{both['other']} {both['rest']}")
    two = _TWO.match(text)
    second = _by_itself(two["second"].strip(), two["first"].strip(" ,")) if two else ""
    return (_asked(two["first"]), _asked(second)) if two and second else (text,)


def _by_itself(second: str, first: str) -> str:
    """The second part with its references resolved; "" where they are unclear."""
    rest = _OPENING.sub("", first, count=1)
    rest = f"{rest[0].lower()}{rest[1:]}"
    if _BARE_LENGTH.fullmatch(second):
        owned = _OWNED.fullmatch(rest)
        return f"{second} do I have {owned['what']}" if owned else f"{second} {rest}"
    if _BARE.fullmatch(second):
        return f"{second} {rest}" if _OPENING.match(first) else ""
    if not (_POSSESSIVE.search(second) or _PRONOUN.search(second)):
        return second if _STANDS_ALONE.search(second) and not _UNCLEAR.search(second) else ""
    about = _about(first, second)
    return _PRONOUN.sub(about, _POSSESSIVE.sub(f"{about}'s", second)) if about else ""


def _about(first: str, second: str) -> str:
    """The subject of the first part, for use in the second; "" where it is only the asker, or unclear."""
    match = next((match for form in _ABOUT_THING if (match := form.fullmatch(first))), None)
    if match is None and not _PRONOUN.search(_PERSONAL.sub("", second)):
        match = _ABOUT_PERSON.match(first)
    if match is None:
        return ""
    named = match.groupdict()
    about = f"my {named['mine']}" if named.get("mine") else named["what"].strip()
    return "" if _I.match(about) or _PRONOUN.search(about) else about


def _asked(text: str) -> str:
    bare = text.strip(" ,")
    return f"{bare[0].upper()}{bare[1:]}?"


def named_thing(text: str) -> str:
    """The thing whose name is asked for: "my cat" of "What is my cat called?"; "" for other questions."""
    match = _ASKS_NAME.match(text.strip(" ?"))
    return (match["of"] or match["called"]) if match else ""
