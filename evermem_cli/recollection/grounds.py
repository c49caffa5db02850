"""Whether what was read speaks of what the question asks about: the very relative, or the very thing of oneself.

A small model asked for a sister answers with a cousin, and asked where somebody lives with any place it reads.
"""

import calendar
import re
from collections.abc import Iterable

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import SEVERAL, SPECIES, TIES, key
from evermem_cli.consolidation.wording import questions
from evermem_cli.language import language, searchable
from evermem_cli.recollection.question import FIRST_PERSON, FUNCTION_WORDS, WORD, asked_person, content_stems
from evermem_cli.recollection.verdict import statement

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
_STEM = 5  # letters that tell "peanut" and "peanuts" to be the same
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


def lacks_relation(question: str, told: Iterable[str]) -> bool:
    """Whether none of the texts speaks of a relation that the question names."""
    whole = " ".join(told)
    words = {word.removesuffix("s") for word in WORD.findall(whole.casefold())}
    asked = {word.removesuffix("s") for word in WORD.findall(question.casefold())}
    related = [RELATIONS[name] for word in asked if (name := SAME_RELATION.get(word, word)) in RELATIONS]
    if any(not words & set(names.split()) for names in related):
        return True
    return any(not set(PARENTS_ZH.get(name, name)) & set(whole) for name in RELATIONS_ZH if name in question)


def lacks_person(question: str, told: Iterable[str]) -> bool:
    """Whether the question asks who somebody is by a name that none of the texts has a word of."""
    names = WORD.findall(asked_person(question))
    whole = " ".join(told)
    return all(name[0].isupper() for name in names) and bool(names) and not any(name in whole for name in names)


def lacks_referent(question: str) -> bool:
    """Whether it is about "him" or "it" and has no word that tells who or what that is: "When did he do it?"."""
    asked = WORD.findall(question.casefold())
    return any(word in POINTING for word in asked) and not set(asked) - FUNCTION_WORDS - POINTING - {"since"}


def lacks_value(question: str, names: Iterable[str], told: Iterable[str]) -> bool:
    """Whether the question is whether one of these has one thing of several, and no text has a word of it.

    Who is allergic to walnuts may be allergic to peanuts: nothing known denies it.
    """
    stated = (each for name in names for each in asserted(statement(question, name)))
    supposed = [key(attribute, value) for attribute, value in stated if attribute in SEVERAL - TIES]
    stems = {word[:_STEM] for word in WORD.findall(searchable(" ".join(told)))}
    return bool(supposed) and not any(
        word[:_STEM] in stems for words in supposed for each in words for word in (each, *SPECIES.get(each, ()))
    )


def lacks_particular(question: str, told: Iterable[str]) -> bool:
    """Whether it asks for a birthday, a number or the like, and nothing in the texts looks like one.

    A small model asked for a birthday takes any date for one.
    """
    whole = " ".join(told)
    return any(asks.match(question) and not looks.search(whole) for asks, looks in PARTICULARS)


def lacks_name(question: str, told: Iterable[str]) -> bool:
    """Whether it is about oneself and something by a name of which no text has a word: "my flat in Shinjuku".

    Of 150 questions of LongMemEval about one's own chats that have an answer none lacks one, of 15 without one 2. What
    one asks of others is left alone: of LoCoMo's 113 with a name 6 say "Canada" for "Toronto" or the like.
    """
    if not FIRST_PERSON.search(question):
        return False
    known = content_stems(" ".join(told)) | CALENDAR
    names = (content_stems(name) for name in NAME.findall(question))
    return any(name and name.isdisjoint(known) for name in names)


def lacks_attribute(question: str, told: Iterable[str]) -> bool:
    """Whether the question asks for one thing about its asker, and the texts have no word of it."""
    if not FIRST_PERSON.search(question):
        return False
    whole = " ".join(told)
    tongue = language(question)
    patterns = questions(tongue).values()
    bare = EMPTY_ZH.sub(" ", question) if tongue == "zh" else question.casefold()
    plain = [each for each in patterns if not set(WORD.findall(each.sub(" ", bare))) - FUNCTION_WORDS]
    return bool(plain) and not any(pattern.search(whole.casefold()) for pattern in plain)
