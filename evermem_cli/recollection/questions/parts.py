"""Double questions: "What is my cat called, and since when do I have him?".

The parts are asked separately, so that an unknown answer to one is not guessed from the other.
"""

import re
from collections.abc import Callable

from evermem_cli.consolidation.attributes import OTHERS
from evermem_cli.languages.language import language
from evermem_cli.languages.words import content_words
from evermem_cli.memory import EntityType
from evermem_cli.naming import find_mentions
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Owner, Sought
from evermem_cli.recollection.questions.profile_question import NAMES
from evermem_cli.recollection.questions.wants import FIRST_PERSON

_SEAM = re.compile(r"[?,]?\s+(?:and|&)\s+(?:also\s+)?|\?\s+", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:(?:since|until|till|for|from|with|to|at|in|on)\s)?"
    r"(?:when|where|who|whom|whose|(?P<kind>what|which|how))(?P<is>['’]?s)?\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:(?P<is>is|are|was|were)|am|do|does|did|have|has|had|can|will)\b|(?<=\w)['’]s(?=\s)", re.IGNORECASE
)
REFERS = re.compile(r"\b(?:(?P<person>he|she|him|hers?|his)|it|its|they|them|their)\b", re.IGNORECASE)
_POSSESSIVE = frozenset({"his", "her", "its", "their"})
SUBJECTS = frozenset({"i", "we"})
_FEWEST = 2  # content words with which a part stands by itself: "Who is coming?" does not


def parts_of(text: str, read: Callable[[str], AskedFor]) -> tuple[str, ...]:
    """The parts of a question, each understandable by itself; the text itself where it is a single question.

    `read` tells what a question asks for.
    """
    if language(text) != "en":
        return (text,)
    for seam in _SEAM.finditer(text):
        first, second = text[: seam.start()], text[seam.end() :].strip(" ?")
        asks = _ASKS.match(second)
        if _ASKS.fullmatch(first) and (clause := _clause(second)):
            return _asked(f"{first} {clause}"), _asked(second)
        is_asked = asks or (_VERB.match(second) and read(second).sought is Sought.YES_NO)
        if is_asked and (whole := _by_itself(second, first, read)):
            return _asked(first), _asked(whole)
    return (text,)


def subject_of(text: str, asked: AskedFor) -> str:
    """What a question is about: "my cat" of "What is my cat called?"; "" where it is only the asker, or unclear."""
    described = _described(text, asked) if asked.owner is not Owner.NAMED or _is_of_somebody(asked) else ""
    if described:
        return described
    own = content_words(asked.narrow or (asked.value if asked.kind in OTHERS else ""))
    if asked.owner is Owner.ASKER and own:
        return f"my {own}"
    people = [mention.name for mention in find_mentions(text) if mention.type in (None, EntityType.PERSON)]
    return asked.named.removesuffix("'s") or (people[0] if len(people) == 1 else "")


def _described(text: str, asked: AskedFor) -> str:
    """What "is" is followed by: "my new flat" of "Where is my new flat?"; without "called" where that is marked."""
    asks = _ASKS.match(text)
    verb = _VERB.match(text, asks.end() + 1) if asks else None
    start = asks.end() if asks and asks["is"] else verb.end() if verb and verb["is"] else len(text)
    described = text[start:].strip(" ?")
    if asked.narrow and asked.narrow in described:
        described = f"{described.partition(asked.narrow)[0]}{asked.narrow}"
    words = described.split(" ")
    if words[-1] in NAMES:
        return " ".join(words[:-1])
    return "" if words[0].casefold() in SUBJECTS else described


def named_thing(text: str, asked: AskedFor) -> str:
    """The thing whose name is asked for: "my cat" of "What is my cat called?"; "" for other questions."""
    return subject_of(text, asked) if asked.sought is Sought.NAME else ""


def _is_of_somebody(asked: AskedFor) -> bool:
    return asked.kind in OTHERS or asked.sought is Sought.PERSON


def _by_itself(second: str, first: str, read: Callable[[str], AskedFor]) -> str:
    """The second part with its references resolved; "" where they are unclear."""
    if _is_bare(second):
        clause = _clause(first)
        return f"{second} {clause}" if clause else ""
    references = {bool(reference["person"]) for reference in REFERS.finditer(second)}
    if not references:
        return second if FIRST_PERSON.search(second) or len(content_words(second).split()) >= _FEWEST else ""
    asked = read(first)
    about = subject_of(first, asked)
    is_person = bool(asked.named) or _is_of_somebody(asked) or about[:1].isupper()
    # One thing is not "he" and "it", a thing is not "he", and somebody with a name is not "it".
    is_clear = (references == {True} and is_person) or (references == {False} and not about[:1].isupper())
    if not about or not is_clear:
        return ""
    return REFERS.sub(lambda reference: f"{about}'s" if is_possessive(reference) else about, second)


def _clause(text: str) -> str:
    """What a question word is followed by, from the verb on: "is the race" of "What day is the race?"; else ""."""
    asks = _ASKS.match(text)
    verb = _VERB.search(text, asks.end()) if asks else None
    if asks and asks["is"]:
        return f"is{text[asks.end() :]}"
    return text[verb.start() :] if verb else ""


def _is_bare(text: str) -> bool:
    """Whether only a question word is left of it: "and where?", "and on which floor?"."""
    asks = _ASKS.match(text)
    rest = text[asks.end() :] if asks else text
    if not asks or _VERB.search(rest):
        return False
    return not content_words(rest) or (bool(asks["kind"]) and len(rest.split()) == 1)


def is_possessive(reference: re.Match[str]) -> bool:
    """Whether a pronoun is followed by what somebody has: "her" is, before a word that is no stop word."""
    following = reference.string[reference.end() :].split(" ", 2)
    return reference[0].casefold() in _POSSESSIVE and len(following) > 1 and bool(content_words(following[1]))


def _asked(text: str) -> str:
    bare = text.strip(" ,?")
    return f"{bare[0].upper()}{bare[1:]}?"
