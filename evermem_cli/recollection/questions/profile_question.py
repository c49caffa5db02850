"""Questions about profiles: an attribute of somebody as it is, was or will be, or the whole profile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.attributes import OTHERS, SEVERAL, SPECIES, key, same, translated
from evermem_cli.consolidation.statements import ATTRIBUTES
from evermem_cli.languages.english import NAMING
from evermem_cli.languages.labels import in_english, label_of
from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, content_stems, words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import NOTHING, PORTRAIT, Asks, Era, Owner, Sought
from evermem_cli.recollection.questions.permission import PermissionQuestion, read_permission
from evermem_cli.timespan import Interval, Span

# From this probability on, code may answer. Of the questions to choose by, kind, asks and owner are right in 138 of the
# 167 English ones that reach it, asks and owner in 158, and 5 ask for nothing of the kind.
SURELY_ASKED = {"en": 0.7, "zh": 0.85}
_LIKELY_ASKED = 0.5
# Words for whatever there is of an attribute: "Do I have a pet?".
ANY = OTHERS | frozenset(
    """
    pet animal animals child kid kids anything anyone anybody work live
    家人 宠物 孩子
    """.split()
)
# Of values that say who somebody is, these name one alone: "Who is my partner?" is no question for the boss.
_ANY_TIE = frozenset({"partner", "relationship"})
_MORE = frozenset({Sought.REASON, Sought.STORY, Sought.ADVICE})  # what no value answers
_STEM = 5  # letters that two words must share to count as one: "allergic" and "allergies"
_USER, _ARTICLES = frozenset({"user"}), frozenset({"the"})  # what scripts and assistants call the asker
_UNTIL_WHEN = re.compile(r"\b(?:until|till|up to) when\b|到什么时候", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileQuestion:
    """What a question asks of a profile.

    `attribute` is the one that it is about, "" where it is about none, and `likely` are those that it may be about,
    likeliest first. `owner` and `called` tell whose, `value` and `narrow` are words of the question (see `AskedFor`).
    `is_sure`: all this is read so surely that code may answer. `time` is the one time that it names. `of_the_end`: it
    asks until when.
    """

    text: str
    language: str
    words: frozenset[str]
    attribute: str
    likely: tuple[str, ...]
    asks: Asks
    owner: Owner
    called: str
    value: str
    narrow: str
    is_sure: bool
    is_portrait: bool
    is_who: bool
    era: Era
    time: Interval | None
    of_the_end: bool
    permission: PermissionQuestion | None

    def asks_for(self, asked: Asks) -> bool:
        """Whether it surely asks this of an attribute."""
        return self.is_sure and bool(self.attribute) and self.asks is asked

    def is_about(self, name: str, asker: str) -> bool:
        """Whether it is about the person called `name`, one of whose profiles are known."""
        called = frozenset(words_of(self.called)) - _ARTICLES
        if self.owner is Owner.ASKER or (self.owner is Owner.NAMED and called == _USER):
            return name == asker
        return self.owner is Owner.NAMED and bool(called) and called <= frozenset(words_of(name))

    def is_of_now(self, now: datetime) -> bool:
        """Whether it asks how things are at `now`."""
        time = self.time or Interval(None, None, "")
        is_then = (time.start and now < time.start) or (time.end and time.end <= now)
        return self.era not in (Era.THEN, Era.AHEAD) and not is_then

    def meant(self, attribute: str, facts: Sequence[ProfileFact]) -> list[ProfileFact]:
        """Those of an attribute's values that the question may mean: of pets, the dog, where it asks for a dog.

        None where it asks for a part of the values that none belongs to.
        """
        mentioned = [fact for fact in facts if self.mentions(attribute, fact.value)]
        if attribute in SEVERAL and mentioned:
            return mentioned
        return [] if self._is_for_some(attribute) and not mentioned else list(facts)

    def _is_for_some(self, attribute: str) -> bool:
        """Whether it narrows what it asks for, or has a word that may say which person or animal: "boss", "cat"."""
        ignored = self.any_words(attribute) | STOP_WORDS | NAMING
        if not ignored.issuperset(words_of(self.narrow)):
            return True
        return attribute in OTHERS and self.language == "en" and bool(self.words - ignored - set(words_of(self.called)))

    def supposed(self, attribute: str, facts: Sequence[ProfileFact]) -> list[ProfileFact]:
        """Those of an attribute's values that the question supposes, or has a word of."""
        words = self.supposed_words
        return [
            fact
            for fact in facts
            if (words and same(attribute, key(attribute, fact.value), words)) or self.mentions(attribute, fact.value)
        ]

    def mentions(self, attribute: str, value: str) -> bool:
        """Whether the question has a word of a value, in its own language."""
        if self.language == "zh":
            english = set(words_of(value))
            in_words = (own for own, theirs in in_english().items() if theirs.casefold() in english)
            return translated(value, "zh") in self.text or any(own in self.text for own in in_words)
        words = key(attribute, value) - self.any_words(attribute) - STOP_WORDS
        return not _stems(words).isdisjoint(_stems(self.words | self.species))

    @property
    def species(self) -> frozenset[str]:
        """The species of the breeds that it names."""
        return frozenset(species for species, breeds in SPECIES.items() if self.words & breeds)

    @property
    def supposed_words(self) -> frozenset[str]:
        """The words of the value that it supposes, without those for whatever there is."""
        words = key(self.attribute, self.value) if self.value else frozenset[str]()
        return words - self.any_words(self.attribute) - STOP_WORDS

    @property
    def supposes_any(self) -> bool:
        """Whether it asks if there is any value, and supposes none in particular."""
        return not self.supposed_words

    @property
    def asks_for_any(self) -> bool:
        """Whether it asks in so many words if there is any: "Am I in a relationship?", and not "Am I married?"."""
        return self.supposes_any and not self.words.isdisjoint(self.any_words(self.attribute))

    def any_words(self, attribute: str) -> frozenset[str]:
        """Words of the question and of values for whatever there is of an attribute: "allergic", "a job"."""
        called = {word[:_STEM] for label in (attribute, label_of(attribute, "en")) for word in words_of(label)}
        of_any = ANY if attribute in OTHERS else ANY | _ANY_TIE
        return of_any | called | {word for word in self.words if word[:_STEM] in called}


def _stems(words: frozenset[str]) -> frozenset[str]:
    return content_stems(" ".join(words))


def _narrowing(text: str, narrow: str, times: Sequence[Span]) -> str:
    """What narrows a question; "" for a time, and for the kind of answer, as in "Which city do I live in?"."""
    in_times = {word for span in times for word in words_of(span.text)}
    is_kind = any(text.casefold().startswith(f"{word} {narrow.casefold()}") for word in ("which", "what"))
    return "" if is_kind or in_times.issuperset(words_of(narrow)) else narrow


def _is_portrait(asked: AskedFor) -> bool:
    """Whether it asks for a whole profile. "Hi" does so as likely as not."""
    is_whole = asked.kind == PORTRAIT and asked.asks is Asks.VALUE and not asked.narrow
    return is_whole and asked.probability >= _LIKELY_ASKED


def read_profile_question(text: str, asked: AskedFor, times: Sequence[Span]) -> ProfileQuestion:
    """Reads a question by what it asks for, and its time phrases."""
    attribute = "" if asked.kind in (NOTHING, PORTRAIT) else ATTRIBUTES.get(asked.kind, asked.kind)
    return ProfileQuestion(
        text=text,
        language=language(text),
        words=frozenset(words_of(text)),
        attribute=attribute,
        likely=tuple(ATTRIBUTES.get(name, name) for name in asked.likely),
        asks=asked.asks,
        owner=asked.owner,
        called=asked.named,
        value=asked.value,
        narrow=_narrowing(text, asked.narrow, times),
        is_sure=asked.probability >= SURELY_ASKED[language(text)] and asked.sought not in _MORE and not asked.advice,
        is_portrait=_is_portrait(asked),
        is_who=asked.sought is Sought.PERSON,
        era=asked.era,
        time=times[0].interval if len(times) == 1 else None,
        of_the_end=bool(_UNTIL_WHEN.search(text)),
        permission=read_permission(text),
    )
