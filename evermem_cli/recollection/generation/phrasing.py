"""The phrasing of answers: repetitions of the question and of earlier items are removed.

A small model begins its answer with the question's words, however short an answer it is asked for.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto

from evermem_cli.languages.word_forms import forms
from evermem_cli.languages.words import STOP_WORDS, WORD
from evermem_cli.recollection.questions.parts import VERB
from evermem_cli.recollection.questions.question import Question

NOT_KNOWN = {"en": "Memory does not say.", "zh": "记忆中没有提到。"}
# A small model that is told to answer from excerpts has many ways to say that they do not tell.
_OF_EXCERPTS = r"\s*(?:(?:the|these|your|none of the)\s)?(?:(?:given|provided)\s)?(?:excerpts?|context)\b"
_REFUSES = re.compile(
    rf"{_OF_EXCERPTS}.*(?:\bnot\b|n['’]t\b|\bno\b)|\s*there(?:['’]s|\sis)\sno\s(?:\w+\s)?(?:information|mention|record)\b"
    r"|\s*(?:it(?:['’]s|\sis)\s)?not\s(?:mentioned|specified|stated|provided|given)\b",
    re.IGNORECASE,
)
# Joins a repeated beginning to the answer: "… has been great [for] her health".
_JOINT = re.compile(r"(?:[\s,:;]|(?:be|been|being|is|are|was|were|that|for|as|of|with|again)\b)*", re.IGNORECASE)
_DETERMINERS = frozenset("a an the my your his her its our their this that some".split())
_LEAST_ECHO = 2  # words: a name alone is not a repetition
_STEM, _LEAST_STEM = 5, 3  # letters by which "pursue" and "pursuing", "say" and "says" count as the same word
ITEM = re.compile(r"(?:[^,;，、；\n]|,(?=\S))+")  # "1,000" is one


def phrased(reply: str, question: Question) -> str:
    """The answer in a reply: from where it says more than the question, up to where it repeats itself."""
    if refuses(reply):
        return NOT_KNOWN[question.language]
    return said_once(reply[beginning(reply, question.terms.repeatable) or 0 :]).strip()


def only_repeats(reply: str, question: Question) -> bool:
    """Whether a reply consists of the question's words."""
    return beginning(f"{reply} ", question.terms.repeatable) is None


def refuses(text: str) -> bool:
    """Whether a reply says that memory does not tell."""
    return bool(_REFUSES.match(text)) or any(refusal.rstrip(".。") in text for refusal in NOT_KNOWN.values())


def said_once(text: str) -> str:
    """The text up to the point where its items repeat. A small model may list the same items until it is stopped."""
    items = [*ITEM.finditer(text)]
    bare = [item[0].strip(" .").casefold() for item in items]
    whole = next((start for start in range(1, len(bare)) if _goes_round(bare, start)), len(bare))
    return text[: items[whole - 1].end()] if items else ""


def _goes_round(items: Sequence[str], start: int) -> bool:
    """Whether the items from `start` on repeat those before them, in order; the last may be cut off."""
    again = items[start:]
    for period in range(1, start + 1):
        same = [item == had for item, had in zip(again, items[start - period :], strict=False)]
        cut = len(again) > 1 and items[-1 - period].startswith(items[-1])
        if all(same[:-1]) and (same[-1] or cut) and len(again) >= min(period, 2):
            return True
    return False


class _PhrasePart(Enum):
    """What a word of an answer is, compared with the question."""

    NEW = auto()
    DETERMINER = auto()
    ECHO = auto()
    CHANGED = auto()  # "donated", if the question is what somebody "did … donate"
    AUXILIARY = auto()
    OTHER = auto()


def beginning(text: str, asked: Sequence[str]) -> int | None:
    """Where an answer starts to say more than the words of the question; None where it does not.

    The last word does not count, since it may be cut off.
    """
    echo = verbs = end = 0
    before_noun: int | None = None
    for word in WORD.finditer(text):
        if word.end() == len(text):
            return None  # the word may go on
        part = _part(word[0].casefold(), asked)
        if part is _PhrasePart.NEW:
            if before_noun is not None:
                end = before_noun  # "a Canadian nurse" is whole, also if the question is who was in Canada
            break
        echo += part in (_PhrasePart.ECHO, _PhrasePart.CHANGED)
        verbs += part in (_PhrasePart.CHANGED, _PhrasePart.AUXILIARY)
        if part in (_PhrasePart.ECHO, _PhrasePart.CHANGED, _PhrasePart.AUXILIARY):
            end = word.end()
        if part is not _PhrasePart.ECHO:
            before_noun = end if part is _PhrasePart.DETERMINER else None
    else:
        return None
    joint = _JOINT.match(text, end)
    return joint.end() if joint and verbs and echo >= _LEAST_ECHO else 0


def _part(word: str, asked: Sequence[str]) -> _PhrasePart:
    if word in _DETERMINERS:
        return _PhrasePart.DETERMINER
    if repeated := [other for other in asked if other not in STOP_WORDS and _same(word, other)]:
        changed = word not in repeated and (word.endswith("ed") or len(forms(word)) > 1)
        return _PhrasePart.CHANGED if changed else _PhrasePart.ECHO
    if VERB.fullmatch(word):
        return _PhrasePart.AUXILIARY
    return _PhrasePart.OTHER if word in STOP_WORDS else _PhrasePart.NEW


def _same(left: str, right: str) -> bool:
    if left in forms(right):
        return True
    shared = min(len(left), len(right), _STEM)
    return shared >= _LEAST_STEM and left[:shared] == right[:shared] and abs(len(left) - len(right)) <= _LEAST_STEM
