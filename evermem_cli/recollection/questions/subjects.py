"""Whom and what a question is about: somebody by name, a relative, a name, a birthday, one thing about its asker."""

import calendar
import re
from dataclasses import dataclass

from evermem_cli.consolidation.wordings.wording import questions
from evermem_cli.languages.language import language
from evermem_cli.recollection.questions.wants import FIRST_PERSON
from evermem_cli.recollection.words import FUNCTION_WORDS, WORD, content_stems

# "Who is Ruben?", "Who's Mrs Adeyemi again?", "小雨是谁？"; a name is no more than a name.
_ASKS_WHO = re.compile(
    r"\s*who(?:['’]s| is| was)\s+(?P<name>[^?.!,]+?)(?:\s+again)?\s*[?.! ]*$|\s*(?P<zh>[^？?。，\s]+)是谁[？?。 ]*$",
    re.IGNORECASE,
)
# What speaks of a relation that a question names; a cousin is no sister, a landlord no boss.
RELATIONS = {
    "sister": "sister sis sibling twin",
    "brother": "brother bro sibling twin",
    "mother": "mother mom mum mommy mama parent",
    "father": "father dad daddy papa parent",
    "grandmother": "grandmother grandma granny nana grandparent",
    "grandfather": "grandfather grandpa granddad grandparent",
    "aunt": "aunt auntie",
    "uncle": "uncle",
    "cousin": "cousin",
    "niece": "niece",
    "nephew": "nephew",
    "wife": "wife spouse partner married marriage wedding",
    "husband": "husband hubby spouse partner married marriage wedding",
    "boyfriend": "boyfriend partner dating",
    "girlfriend": "girlfriend partner dating",
    "boss": "boss manager supervisor",
    "landlord": "landlord landlady",
    "flatmate": "flatmate roommate housemate",
    "neighbour": "neighbour neighbor neighbourhood neighborhood",
}
SAME_RELATION = {
    "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather",
    "manager": "boss", "landlady": "landlord", "roommate": "flatmate", "housemate": "flatmate", "neighbor": "neighbour",
}  # fmt: skip
RELATIONS_ZH = ("妹", "姐", "哥", "弟", "妈", "爸", "奶奶", "爷爷", "阿姨", "叔", "舅", "老板", "房东", "室友")
POINTING = frozenset("he she it they him her them".split())
# What is told in a form of its own: where nothing has that form, nobody's is told.
_WHAT_IS = r"\s*(?:what|when)(?:['’]?s|\s(?:is|was))\s[^?]*?\b"
PARTICULARS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asks, told in (
        (rf"{_WHAT_IS}(?:birthday|date of birth)\s*\?*\s*$", r"birthday|bday|\bborn\b|\bturn(?:s|ed|ing)?\b"),
        (rf"{_WHAT_IS}(?:(?:tele)?phone|mobile)(?: number)?\s*\?*\s*$", r"\d(?:[\s()./-]*\d){5}"),
        (rf"{_WHAT_IS}e-?mail(?: address)?\s*\?*\s*$", r"\S@\S"),
        (
            r"\s*how tall\b",
            r"\b(?:tall|height|cm|met(?:er|re)s?|ft|foot|feet|inch(?:es)?)\b|\d\s?(?:cm|m\b|ft|['’]\s?\d)",
        ),
        (r"\s*how much (?:do|does|did) .* weigh\b", r"weigh|\bkilos?\b|\bpounds?\b|\bstone\b|\d\s?(?:kg|lbs?)\b"),
    )
)
NAME = re.compile(r"(?<=[\w,;:'\"’] )(?!I\b)[a-z]?[A-Z]\w+(?:['’ -]+[A-Z0-9]\w*)*")
CALENDAR = {stem for name in (*calendar.month_name, *calendar.day_name) for stem in content_stems(name)}
EMPTY_ZH = re.compile("[我的在是有什么哪里儿多少谁吗呢了现]")
PARENTS_ZH = {"妈": "妈母父母", "爸": "爸父"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom and what a question is about, as far as messages can be checked for it.

    `person` is what it calls whom it asks about, where it asks who that is. Each of `relations` and `relations_zh` is
    a set of words or characters of which messages about that relative have one. `names` are the stems of each name in
    a question about oneself. `particulars` are what an answer looks like that has a form of its own. `attributes` are
    what it may ask about its asker, and nothing else. `is_pointing`: "he" or "it" is all that it is about.
    """

    person: str
    relations: tuple[frozenset[str], ...]
    relations_zh: tuple[frozenset[str], ...]
    names: tuple[frozenset[str], ...]
    particulars: tuple[re.Pattern[str], ...]
    attributes: tuple[str, ...]
    is_pointing: bool


def read_subject(text: str) -> Subject:
    """Reads whom and what a question is about."""
    words = WORD.findall(text.casefold())
    is_own = bool(FIRST_PERSON.search(text))
    return Subject(
        person=_person(text),
        relations=_relations(words),
        relations_zh=tuple(frozenset(PARENTS_ZH.get(name, name)) for name in RELATIONS_ZH if name in text),
        names=_names(text) if is_own else (),
        particulars=tuple(looks for asks, looks in PARTICULARS if asks.match(text)),
        attributes=_attributes(text) if is_own else (),
        is_pointing=any(word in POINTING for word in words) and not set(words) - FUNCTION_WORDS - POINTING - {"since"},
    )


def _person(text: str) -> str:
    """What the question calls whom it asks about, where it asks who that is; "" for other questions."""
    match = _ASKS_WHO.match(text)
    return (match["name"] or match["zh"]) if match else ""


def _relations(words: list[str]) -> tuple[frozenset[str], ...]:
    bare = (word.removesuffix("s") for word in dict.fromkeys(words))
    relations = (SAME_RELATION.get(word, word) for word in bare)
    return tuple(frozenset(RELATIONS[name].split()) for name in relations if name in RELATIONS)


def _names(text: str) -> tuple[frozenset[str], ...]:
    """The stems of each name, without names of months and weekdays."""
    names = (content_stems(name) for name in NAME.findall(text))
    return tuple(name for name in names if name and name.isdisjoint(CALENDAR))


def _attributes(text: str) -> tuple[str, ...]:
    """The attributes of which the question has words and no others."""
    tongue = language(text)
    bare = EMPTY_ZH.sub(" ", text) if tongue == "zh" else text.casefold()
    return tuple(
        attribute
        for attribute, pattern in questions(tongue).items()
        if not set(WORD.findall(pattern.sub(" ", bare))) - FUNCTION_WORDS
    )
