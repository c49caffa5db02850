"""The subject of a question: a person or a relative."""

from dataclasses import dataclass

from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, WORD, words_of
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Sought

# Characters that show the relative named in a question.
RELATIONS_ZH = ("妹", "姐", "哥", "弟", "妈", "爸", "奶奶", "爷爷", "阿姨", "叔", "舅", "老板", "房东", "室友")
POINTING = frozenset("he she it they him her them".split())
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


def read_subject(text: str, asked: AskedFor) -> Subject:
    """Reads the subject of a question."""
    words = WORD.findall(text.casefold())
    is_of_name = language(text) == "zh" or STOP_WORDS.union(words_of(asked.named)).issuperset(words_of(text))
    return Subject(
        person=asked.named if asked.sought is Sought.PERSON and is_of_name else "",
        relations_zh=tuple(frozenset(PARENTS_ZH.get(name, name)) for name in RELATIONS_ZH if name in text),
        is_pointing=any(word in POINTING for word in words) and not set(words) - STOP_WORDS - POINTING - {"since"},
    )
