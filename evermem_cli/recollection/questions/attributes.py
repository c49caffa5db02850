"""Questions about profiles: an attribute of somebody as it is, was or will be, or the whole profile."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evermem_cli.consolidation.wordings.wording import questions
from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.reading.asked import AskedFor, Sought
from evermem_cli.recollection.questions.durations import DurationQuestion, read_duration
from evermem_cli.recollection.questions.polar import (
    NAMES,
    NOW,
    PermissionQuestion,
    PolarQuestion,
    read_permission,
    read_polar,
)
from evermem_cli.recollection.questions.possessions import PossessionQuestion, read_possession
from evermem_cli.recollection.questions.wants import FIRST_PERSON
from evermem_cli.timespan import Interval, Span

_EMPTY_ZH = re.compile("[我的在是有什么哪里儿多少谁吗呢了现对叫个家]")
_WH = re.compile(r"\s*(?:what|which|where|who|how (?:old|much))\b|.*(?:什么|哪|谁|多少)", re.I)
_UNSPELLED = re.compile(r"\b(what|who|where|how)s\b", re.I)
_NOT_PLAIN = re.compile(
    r"\b(?:can|could|should|would|may|might|shall|will|going to|plan\w*|next|soon|start\w*|when|he|she|they|it|his|her|"
    r"their)\b"
    r"|能|可以|应该|他|她|将|打算|计划",
    re.I,
)
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|before|previous\w*|used to|history|changed?|ever|ex)\b|以前|之前|曾|变", re.I
)
_WHO_AM_I = re.compile(
    r"\s*(?:who am i|what (?:kind|sort) of person am i"
    r"|(?:what (?:do you|does (?:memory|evermem|it)) (?:know|remember) (?:about|of)|"
    r"(?:please )?(?:describe|introduce|tell me (?:all |everything )?about)) (?:me|myself))\s*[?.!]*\s*$"
    r"|\s*(?:我是谁|请?介绍一下我(?:自己)?|你?对?我?(?:了解|知道)我?(?:多少|什么|些什么))\s*[？?。]?\s*$",
    re.I,
)
_OF_THE_FUTURE = re.compile(r"\b(?:will|going to|plan\w*|next|soon|start\w*|when)\b|将|打算|计划|什么时候", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question for a value, beginning with "what", "where" or "who".

    `words` are all its words; `others` are, for each attribute, the words that do not ask for it.
    """

    says_i: bool
    words: frozenset[str]
    others: Mapping[str, frozenset[str]]

    def asks_only_for(self, attribute: str, name: str) -> bool:
        """Whether it asks for this attribute of the asker or of `name`, and for nothing else."""
        own = frozenset(words_of(name))
        if attribute not in self.others or not (self.says_i or own & self.words):
            return False
        return not self.others[attribute] - own


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileQuestion:
    """What a question asks of a profile.

    `words` are all its words; `matched` is the word that names each attribute. `now` is the question for a value as it
    is now, `then` that for a value in the `time` named; each is None where the question is of another kind. `is_plain`:
    it asks how things are now.
    """

    language: str
    words: frozenset[str]
    matched: Mapping[str, str]
    is_portrait: bool
    is_who: bool
    is_plain: bool
    of_the_past: bool
    of_the_future: bool
    now: OpenQuestion | None
    then: OpenQuestion | None
    time: Interval | None
    polar: PolarQuestion
    duration: DurationQuestion | None
    permission: PermissionQuestion | None
    possession: PossessionQuestion | None

    def names(self, attribute: str) -> bool:
        """Whether it has a word of the attribute, or all words of its name where the attribute has no other words."""
        if attribute in questions(self.language):
            return attribute in self.matched
        return self.words.issuperset(attribute.split("_"))


def respelled(text: str) -> str:
    """The question with "whats" spelled "what's"."""
    return _UNSPELLED.sub(r"\1's", text)


def read_profile_question(text: str, asked: AskedFor, times: Sequence[Span]) -> ProfileQuestion:
    """Reads a `respelled` question with its time phrases (`timespan.find`)."""
    patterns = questions(language(text))
    of_the_past = bool(_OF_THE_PAST.search(text))
    then, time = _in_one_time(text, times, of_the_past)
    is_plain = not _NOT_PLAIN.search(text) and not of_the_past
    return ProfileQuestion(
        language=language(text),
        words=frozenset(words_of(text)),
        matched={
            attribute: match[0].casefold() for attribute, pattern in patterns.items() if (match := pattern.search(text))
        },
        is_portrait=bool(_WHO_AM_I.match(text)),
        is_who=asked.sought is Sought.PERSON,
        is_plain=is_plain,
        of_the_past=of_the_past,
        of_the_future=bool(_OF_THE_FUTURE.search(text)),
        now=_open(text) if is_plain else None,
        then=then,
        time=time,
        polar=read_polar(text),
        duration=read_duration(text),
        permission=read_permission(text),
        possession=read_possession(text),
    )


def _open(text: str) -> OpenQuestion | None:
    if not _WH.match(text):
        return None
    tongue = language(text)
    ignored = STOP_WORDS | NOW | NAMES
    others = {}
    for attribute, pattern in questions(tongue).items():
        rest = pattern.sub(" ", text)
        others[attribute] = frozenset(words_of(_EMPTY_ZH.sub(" ", rest) if tongue == "zh" else rest)) - ignored
    return OpenQuestion(says_i=bool(FIRST_PERSON.search(text)), words=frozenset(words_of(text)), others=others)


def _in_one_time(text: str, times: Sequence[Span], of_the_past: bool) -> tuple[OpenQuestion | None, Interval | None]:
    """The question without the one time that it names, and that time, which is past if it ends."""
    if len(times) != 1:
        return None, None
    [span] = times
    if span.interval.end is not None and not of_the_past:
        return None, None
    return _open(f"{text[: span.start_offset]} {text[span.end_offset :]}"), span.interval
