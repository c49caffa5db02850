"""The subject of a question: a person, a relative, a name, a birthday, or one thing about the asker."""

import re
from dataclasses import dataclass

from evermem_cli.consolidation.wordings.wording import questions
from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, WORD
from evermem_cli.recollection.questions.wants import FIRST_PERSON

# "Who is Ruben?", "Who's Mrs Adeyemi again?", "小雨是谁？"; nothing but a name.
_ASKS_WHO = re.compile(
    r"\s*who(?:['’]s| is| was)\s+(?P<name>[^?.!,]+?)(?:\s+again)?\s*[?.! ]*$|\s*(?P<zh>[^？?。，\s]+)是谁[？?。 ]*$",
    re.IGNORECASE,
)
# Characters that show the relative named in a question.
RELATIONS_ZH = ("妹", "姐", "哥", "弟", "妈", "爸", "奶奶", "爷爷", "阿姨", "叔", "舅", "老板", "房东", "室友")
POINTING = frozenset("he she it they him her them".split())
# Answers with a form of their own; if nothing read has the form, nobody has stated the answer.
_WHAT_IS = r"\s*(?:what|when)(?:['’]?s|\s(?:is|was))\s[^?]*?\b"
PARTICULARS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(answers, re.IGNORECASE))
    for asks, answers in (
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
EMPTY_ZH = re.compile("[我的在是有什么哪里儿多少谁吗呢了现]")
PARENTS_ZH = {"妈": "妈母父母", "爸": "爸父"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a question, as far as messages can be checked for it.

    `person` is the name of somebody where it asks who that is. Each of `relations_zh` is a set of characters, one of
    which is in messages about that relative. `particulars` are patterns of answers with a form of their own.
    `attributes` are those that it may ask about the asker, and nothing else. `is_pointing`: its subject is only "he" or
    "it".
    """

    person: str
    relations_zh: tuple[frozenset[str], ...]
    particulars: tuple[re.Pattern[str], ...]
    attributes: tuple[str, ...]
    is_pointing: bool


def read_subject(text: str) -> Subject:
    """Reads the subject of a question."""
    words = WORD.findall(text.casefold())
    is_own = bool(FIRST_PERSON.search(text))
    return Subject(
        person=_person(text),
        relations_zh=tuple(frozenset(PARENTS_ZH.get(name, name)) for name in RELATIONS_ZH if name in text),
        particulars=tuple(looks for asks, looks in PARTICULARS if asks.match(text)),
        attributes=_attributes(text) if is_own else (),
        is_pointing=any(word in POINTING for word in words) and not set(words) - STOP_WORDS - POINTING - {"since"},
    )


def _person(text: str) -> str:
    """The name of somebody where the question asks who that is; "" for other questions."""
    match = _ASKS_WHO.match(text)
    return (match["name"] or match["zh"]) if match else ""


def _attributes(text: str) -> tuple[str, ...]:
    """The attributes whose words the question has, if it has no other content words."""
    tongue = language(text)
    bare = EMPTY_ZH.sub(" ", text) if tongue == "zh" else text.casefold()
    return tuple(
        attribute
        for attribute, pattern in questions(tongue).items()
        if not set(WORD.findall(pattern.sub(" ", bare))) - STOP_WORDS
    )
