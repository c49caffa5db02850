"""Questions that ask two things in one: "What is my cat called, and since when do I have him?".

Each is asked by itself, so that what memory does not say of one is not guessed from the answer to the other.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.language import language
from evermem_cli.recollection.answer import Answer
from evermem_cli.recollection.phrasing import NOT_KNOWN
from evermem_cli.recollection.recall import Recollection

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
_NAME = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,2}")
# What the first is about: "my cat" of "What is my cat called" ...
_ABOUT_THING = (
    re.compile(r"what(?:['’]?s| is| was| are) (?:the name of )?(?P<what>.+?)(?:['’]?s? names?| called| named)?$", re.I),
    re.compile(r"(?:who|when|where|how old)(?:['’]?s| is| are| was| were) (?P<what>.+?)(?: (?:again|now))?$", re.I),
    re.compile(r"(?:do|does|did|have|has) (?:i|we) (?:have|got|own|had) (?:an?|any|the) (?P<mine>[\w ]+)$", re.I),
)
# ... and "Ruben" of "Where does Ruben live": a person, but not the thing that is told of them.
_ABOUT_PERSON = re.compile(
    rf"(?:{_ASKS} (?:\w+ )?)?(?:does|did|do|has|have|is|was|will) (?P<what>(?-i:[A-Z])[\w-]+|my [\w-]+)\b", re.I
)
_POSSESSIVE = re.compile(r"\b(?:his|its|their|her(?= (?!now\b|again\b|in\b|on\b|at\b|for\b|from\b|with\b)\w))\b", re.I)
_PERSONAL = re.compile(r"\b(?:he|she|him|her)\b", re.I)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them)\b", re.I)
_UNCLEAR = re.compile(r"\b(?:there|that|this|those|these)\b", re.I)
_I = re.compile(r"(?:i|me|we|us|you)\b", re.I)
_STANDS_ALONE = re.compile(r"\b(?:i|my|we|our)\b|\s(?-i:[A-Z])\w", re.I)  # "Who is coming?" does not


def parts(question: str) -> tuple[str, ...]:
    """The questions in a question, each to be understood by itself; the question as it is where it is one."""
    if language(question) != "en":
        return (question,)
    if both := _BOTH.match(question):
        return _asked(f"{both['one']} {both['rest']}"), _asked(f"{both['other']} {both['rest']}")
    two = _TWO.match(question)
    second = _by_itself(two["second"].strip(), two["first"].strip(" ,")) if two else ""
    return (_asked(two["first"]), _asked(second)) if two and second else (question,)


def _by_itself(second: str, first: str) -> str:
    """The second question without what points to the first; "" where that is not clear."""
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
    """What the first question is about, as the second can name it; "" where that is only its asker, or not clear."""
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


def with_name(question: str, before: Answer) -> str:
    """The question with the name that answers the one before: "my cat" becomes "Biscuit"."""
    asked = _ASKS_NAME.match(before.question.strip(" ?"))
    name = before.text.strip(' ."')
    if asked is None or not before.known or not _NAME.fullmatch(name):
        return question
    return re.sub(rf"\b{re.escape(asked['of'] or asked['called'])}\b", name, question, flags=re.IGNORECASE)


def together(question: str, said: Sequence[Answer], timings: dict[str, float]) -> Answer:
    """The answers to the parts of a question as one, a line each; what is not known is told with what was asked."""
    unknown = NOT_KNOWN[language(question)]
    lines = [each.text if each.known else f"{each.question} {unknown}" for each in said]
    return replace(
        said[-1],
        question=question,
        text="\n".join(lines) if any(each.known for each in said) else unknown,
        known=any(each.known for each in said),
        citations=tuple({cited.id: cited for each in said for cited in each.citations}.values()),
        read=_read([each.read for each in said]),
        model=next((each.model for each in said if each.model), None),
        timings=timings,
    )


def _read(several: Sequence[Recollection]) -> Recollection:
    """What was read for several questions, as what was read for one."""
    return replace(
        several[0],
        evidence=tuple({one.id: one for each in several for one in each.evidence}.values()),
        passages=tuple(passage for each in several for passage in each.passages),
        rounds=tuple(done for each in several for done in each.rounds),
        named=frozenset().union(*(each.named for each in several)),
        notes=tuple(note for each in several for note in each.notes),
        answer=None,
    )
