"""The subject of a question: a person or a relative."""

import re
from dataclasses import dataclass

from evermem_cli.languages.english import THIRD_PERSONS
from evermem_cli.languages.words import STOP_WORDS, WORD

# "Who is Ruben?", "Who's Mrs Adeyemi again?", "小雨是谁？"; nothing but a name.
_ASKS_WHO = re.compile(
    r"\s*who(?:['’]s| is| was)\s+(?P<name>[^?.!,]+?)(?:\s+again)?\s*[?.! ]*$|\s*(?P<zh>[^？?。，\s]+)是谁[？?。 ]*$",
    re.IGNORECASE,
)
# Characters that show the relative named in a question.
RELATIONS_ZH = ("妹", "姐", "哥", "弟", "妈", "爸", "奶奶", "爷爷", "阿姨", "叔", "舅", "老板", "房东", "室友")
POINTING = THIRD_PERSONS | frozenset("it".split())
PARENTS_ZH = {"妈": "妈母父母", "爸": "爸父"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a question, as far as messages can be checked for it.

    `person` is the name of somebody where it asks who that is. Each of `relations_zh` is a set of characters, one of
    which is in messages about that relative. `is_pointing`: its subject is only "he" or "it".
    """

    person: str
    relations_zh: tuple[frozenset[str], ...]
    is_pointing: bool


def read_subject(text: str) -> Subject:
    """Reads the subject of a question."""
    words = WORD.findall(text.casefold())
    return Subject(
        person=_person(text),
        relations_zh=tuple(frozenset(PARENTS_ZH.get(name, name)) for name in RELATIONS_ZH if name in text),
        is_pointing=any(word in POINTING for word in words) and not set(words) - STOP_WORDS - POINTING - {"since"},
    )


def _person(text: str) -> str:
    """The name of somebody where the question asks who that is; "" for other questions."""
    match = _ASKS_WHO.match(text)
    return (match["name"] or match["zh"]) if match else ""
