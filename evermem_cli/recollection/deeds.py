"""What somebody did: who it was, and whether they did it at all.

Of "I want to buy a racket" a small model makes one bought, and asked who cleared the cache it names anybody it reads.
"""

import re
from collections.abc import Iterable, Sequence

from evermem_cli.consolidation.wording import wordings
from evermem_cli.formation.statements import is_question, split_sentences
from evermem_cli.language import language, searchable
from evermem_cli.memory import Evidence, Filter, Role
from evermem_cli.recollection import who
from evermem_cli.recollection.irregular import forms
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.question import FIRST_PERSON, FUNCTION_WORDS, WORD, content_stems
from evermem_cli.recollection.search import messages_of

_ASKS = re.compile(
    r"\s*(?:did|have|has)\s+[\w'’-]+\s+(?:(?:ever|already|really|finally|actually|yet)\s+)?(?P<verb>[a-z]+)\b(?P<what>.*)",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"\s*who(?:['’](?:s|ve|ll)|\s+else)?\s+(?:(?:has|have|is|was|are|were|will|did|also|already)\s+)*(?P<verb>[a-z]+)\s+"
    r"(?P<what>[^?]+)\??\s*$",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\bi(?:['’](?:m|ve|ll))?\s(?:(?:am|was|have|had|will|did|do|just|also|already|finally|even|then|now|really|"
    r"recently|actually|going|to|the|one|who|ones)\s)*(?P<verb>[a-z]+)"
)
_POINTING = frozenset("it one ones them that this these those".split())
_TO_COME = re.compile(
    r"(?:\b(?:to|will|can|could|must|shall|gonna|let's|let us|please)|'ll)\s+(?:\w+\s+)?(?P<verb>[a-z]+)"
)
_DENIES = re.compile(r"\b(?:not|never)\b|n't\b")


def lacks_deed(question: str, own: Iterable[str], others: Iterable[str]) -> bool:
    """Whether it asks if somebody did something, and all that is told of it is that they mean to.

    `own` is what they said themselves. What is denied is ground for an answer, and so is "it" with the very verb.
    """
    match = _ASKS.match(question) if language(question) == "en" else None
    if not match:
        return False
    verb, asked = match["verb"].casefold(), content_stems(match["what"])
    own, others = ([each.casefold() for text in said for each in split_sentences(text)] for said in (own, others))

    def tells(sentence: str) -> bool:
        return _has(verb, sentence) and not (asked | _POINTING).isdisjoint(
            content_stems(sentence) | set(sentence.split())
        )

    if any(tells(each) and _is_past(verb, each) for each in others):
        return False
    told = [each for each in own if tells(each) or asked & content_stems(each)]
    return any(map(tells, told)) and all(_is_open(verb, each) for each in told)


def doer(question: str, found: Sequence[Evidence], where: Filter) -> Note | None:
    """Who did it, or is to, by what people say of themselves: "Who cleared the cache?", "I cleared the old cache".

    None where nobody says it of themselves, verb and all: somebody else may have.
    """
    match = _ASKS_WHO.match(question) if language(question) == "en" else None
    if not match or where.user_id is None or FIRST_PERSON.search(question):
        return None
    verb, asked = match["verb"].casefold(), content_stems(match["what"])
    if verb in FUNCTION_WORDS or not asked or who.meant(question):  # who lived there may have moved since
        return None
    said = [each for each in messages_of(found) if each.role is not Role.ASSISTANT and _says(verb, asked, each.text)]
    text = ", ".join(dict.fromkeys("you" if each.user_id == where.user_id else each.speaker for each in said))
    return Note(text, tuple(each.id for each in said), {}, text) if said else None


def _says(verb: str, asked: set[str], text: str) -> bool:
    """Whether somebody says that they do, did or will do it."""
    hedge = wordings("en").hedge
    return any(
        asked <= content_stems(sentence)
        and any(_has(verb, own["verb"]) for own in _OWN.finditer(sentence))
        and not (is_question(sentence) or _DENIES.search(sentence) or hedge.search(sentence))
        and (_is_past(verb, sentence) or not _is_past(verb, verb))
        for sentence in map(str.casefold, split_sentences(text))
    )


def _is_open(verb: str, sentence: str) -> bool:
    """Whether a sentence asks for it, or means to do it."""
    if _DENIES.search(sentence):
        return False
    ahead = any(_has(verb, match["verb"]) for match in _TO_COME.finditer(sentence))
    return ahead or is_question(sentence) or bool(wordings("en").hedge.search(sentence))


def _is_past(verb: str, sentence: str) -> bool:
    """Whether it says that it was done; advice says what to do, and how it is done."""
    return any(word.endswith("ed") or word in forms(verb)[1:] for word in _words(sentence) if _has(verb, word))


def _has(verb: str, text: str) -> bool:
    bare = verb.removesuffix("s")
    return not content_stems(" ".join({verb, *forms(verb), *forms(bare)})).isdisjoint(content_stems(text))


def _words(text: str) -> list[str]:
    return WORD.findall(searchable(text))
