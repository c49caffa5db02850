"""The phrasing of answers: repetitions of the question and of earlier items are removed.

A small model begins its answer with the question's words, however short an answer it is asked for.
"""

import re
from collections.abc import Callable, Sequence
from enum import Enum, auto

from evermem_cli.languages.english import AUXILIARIES, CONJUNCTIONS, DETERMINERS
from evermem_cli.languages.word_forms import forms
from evermem_cli.languages.words import STOP_WORDS, WORD_WITH_ENDING
from evermem_cli.recollection.questions.question import Question

NOT_KNOWN = {"en": "Memory does not say.", "zh": "记忆中没有提到。"}
# A small model that is told to answer from excerpts has many ways to say that they do not tell.
_OF_EXCERPTS = r"\s*(?:(?:the|these|your|none of the)\s)?(?:(?:given|provided)\s)?(?:excerpts?|context)\b"
_MAY_REFUSE = re.compile(rf"{_OF_EXCERPTS}|\s*there(?:['’]s|\sis)\sno\b|\s*(?:it(?:['’]s|\sis)\s)?not\b", re.IGNORECASE)
_REFUSES = re.compile(
    rf"{_OF_EXCERPTS}.*(?:\bnot\b|n['’]t\b|\bno\b)|\s*there(?:['’]s|\sis)\sno\s(?:\w+\s)?(?:information|mention|record)\b"
    r"|\s*(?:it(?:['’]s|\sis)\s)?not\s(?:mentioned|specified|stated|provided|given)\b",
    re.IGNORECASE,
)
# Joins a repeated beginning to the answer: "… has been great [for] her health".
_JOINT = re.compile(r"(?:[\s,:;]|(?:be|been|being|is|are|was|were|that|for|as|of|with|again)\b)*", re.IGNORECASE)
# Words at which an answer turns from repeating the question to answering it.
_TURNS = CONJUNCTIONS | frozenset("so".split())
_LEAST_ECHO = 2  # words: a name alone is not a repetition
_STEM, _LEAST_STEM = 5, 3  # letters by which "pursue" and "pursuing", "say" and "says" count as the same word
ITEM = re.compile(r"(?:[^,;，、；\n]|,(?=\S))+")  # "1,000" is one


class AnswerStream:
    """Hands on an answer while it is written.

    It begins where the answer says more than the question, and stops where the answer repeats itself. `text` is what
    was handed on so far.
    """

    def __init__(self, question: Question, on_text: Callable[[str], None]) -> None:
        self.text = ""
        self._repeatable = question.terms.repeatable
        self._language = question.language
        self._on_text = on_text
        self._written = ""
        self._start: int | None = None

    def __call__(self, piece: str) -> None:
        """Takes the next piece."""
        self._written += piece
        if self._start is None:
            self._start = beginning(self._written, self._repeatable)
        if self._start is not None and not _MAY_REFUSE.match(self._written):
            self._tell(said_once(self._written[self._start :]))

    @property
    def only_repeats(self) -> bool:
        """Whether the answer so far consists of the question's words. Nothing of it has been handed on then."""
        return self._start is None and beginning(f"{self._written} ", self._repeatable) is None

    def end(self) -> str:
        """Hands on the rest and returns the answer, which may consist of the question's words alone."""
        refused = NOT_KNOWN[self._language] if refuses(self._written) else ""
        self._tell(refused or said_once(self._written[self._start or 0 :], ended=True))
        return self.text.strip()

    def _tell(self, text: str) -> None:
        """Hands on the part of this text that has not been handed on yet."""
        if new := text[len(self.text) :]:
            self.text += new
            self._on_text(new)


def refuses(text: str) -> bool:
    """Whether a reply says that memory does not tell."""
    return bool(_REFUSES.match(text)) or any(refusal.rstrip(".。") in text for refusal in NOT_KNOWN.values())


def said_once(text: str, *, ended: bool = False) -> str:
    """The text up to the point where its items repeat. A small model may list the same items until it is stopped.

    Until the text has `ended`, items that may turn out to be repetitions are left out, too.
    """
    items = [*ITEM.finditer(text)]
    bare = [item[0].strip(" .").casefold() for item in items]
    whole = next((start for start in range(1, len(bare)) if _goes_round(bare, start, ended)), len(bare))
    return text[: items[whole - 1].end()] if items else ""


def _goes_round(items: Sequence[str], start: int, ended: bool) -> bool:
    """Whether the items from `start` on repeat those before them, in order; the last may be cut off."""
    again = items[start:]
    for period in range(1, start + 1):
        same = [item == had for item, had in zip(again, items[start - period :], strict=False)]
        cut = items[-1 - period].startswith(items[-1]) and (len(again) > 1 or not ended)
        if all(same[:-1]) and (same[-1] or cut) and (len(again) >= min(period, 2) or not ended):
            return True
    return False


class _PhrasePart(Enum):
    """What a word of an answer is, compared with the question."""

    NEW = auto()
    TURN = auto()
    DETERMINER = auto()
    ECHO = auto()
    CHANGED = auto()  # "donated", if the question is what somebody "did … donate"
    AUXILIARY = auto()
    OTHER = auto()


def beginning(text: str, asked: Sequence[str]) -> int | None:
    """Where an answer starts to say more than the words of the question; None if that cannot be told yet."""
    echo = verbs = end = 0
    before_noun: int | None = None
    for word in WORD_WITH_ENDING.finditer(text):
        if word.end() == len(text):
            return None  # the word may go on
        part = _part(word[0].casefold(), asked)
        if part in (_PhrasePart.NEW, _PhrasePart.TURN):
            if part is _PhrasePart.NEW and before_noun is not None:
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
    if word in _TURNS and word not in asked:
        return _PhrasePart.TURN
    if word in DETERMINERS:
        return _PhrasePart.DETERMINER
    if repeated := [other for other in asked if other not in STOP_WORDS and _same(word, other)]:
        changed = word not in repeated and (word.endswith("ed") or len(forms(word)) > 1)
        return _PhrasePart.CHANGED if changed else _PhrasePart.ECHO
    if word in AUXILIARIES:
        return _PhrasePart.AUXILIARY
    return _PhrasePart.OTHER if word in STOP_WORDS else _PhrasePart.NEW


def _same(left: str, right: str) -> bool:
    left, right = (re.sub(r"['’]s?$", "", word) for word in (left, right))
    if left in forms(right):
        return True
    shared = min(len(left), len(right), _STEM)
    return shared >= _LEAST_STEM and left[:shared] == right[:shared] and abs(len(left) - len(right)) <= _LEAST_STEM
