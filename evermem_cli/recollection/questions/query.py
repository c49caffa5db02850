"""The query for search: words, people, time, and the kind of answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evermem_cli.languages.words import content_words
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.voices import FIRST_PERSON
from evermem_cli.recollection.dates import Days, local_days
from evermem_cli.recollection.questions.wants import (
    COUNTS_DEEDS,
    NAMES,
    NUMBERS,
    TIMES,
    asks_how_things_are,
)
from evermem_cli.timespan import Span

UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
# Not looked up within time phrases such as "two weeks ago", which the ranking uses as times.
_COUNT_ZH, _UNIT_ZH, _WEEK_ZH = "[一二两三四五六七八九十几数半\\d]", "(?:天|周|星期|礼拜|月|年)", "(?:周|星期|礼拜)"
_WEEKDAY_ZH = "[一二三四五六日天末]"
_TIME_WORDS = re.compile(
    r"\b(?:past|last|next|ago|days?|weeks?|months?|years?)\b"
    rf"|(?:最近|过去)?{_COUNT_ZH}+个?{_UNIT_ZH}(?:之|以)?前"
    rf"|(?:最近|过去){_COUNT_ZH}*个?{_UNIT_ZH}?"
    r"|[去前后明今]年"
    rf"|[上下这本]+个?(?:月|{_WEEK_ZH}(?!{_WEEKDAY_ZH})|(?={_WEEK_ZH}{_WEEKDAY_ZH}))",  # "周六" is a name
    re.IGNORECASE,
)
# The words that make "model kits I bought" a question.
_ASKING = re.compile(
    r"^\s*(?:how (?:many|much|long|often|old)|what(?:['’]s)?|which|when|where|who|why|how|(?:can|could|do) you)\b"
    r"|\b(?:am|is|are|was|were|do|does|did|have|has|had|will|would|can|could|should)\b",
    re.IGNORECASE,
)
# Somebody who is asked what a thing is called has said "His name is Biscuit".
_CALLED = re.compile(
    r"\b(what(?:['’]s| is| was| are| were)) ([^?,]+?) (?:called|named)(?=\s*(?:[?,]|$))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query for search, read without a model.

    `words` are looked up in the keyword index, without those that only tell how far away a time is. Three texts are
    embedded: `spoken` is the question in the words of the people that it names, `stated` is the same as a statement,
    `asked` is the question itself. `speakers` are all names of the `people` meant, including the asker where the
    question says "I". `intervals` are half-open, local dates; a question for advice has none. `wants_latest`: it asks
    how things are, so that the latest of several answers is true.
    """

    words: tuple[str, ...]
    spoken: str
    stated: str
    asked: str = ""
    speakers: frozenset[str]
    intervals: tuple[Days, ...]
    wants_time: bool
    wants_name: bool
    wants_number: bool = False
    wants_latest: bool = False
    wants_advice: bool = False
    people: int = 0


Speakers = Iterable[str] | Mapping[str, frozenset[str]]


def read_query(
    text: str, asked: AskedFor, speakers: Speakers, spans: Sequence[Span] = (), asker: str | None = None
) -> Query:
    """Reads the query for search among the messages of `speakers`; a mapping gives all names of each of them.

    `spans` are the time phrases in the text (`timespan.find`). `asker` is the speaker who asks, None where the memory
    belongs to nobody. Advice depends on likes and habits: the time for which it is wanted is not when those were
    mentioned, and somebody who asks for advice has asked before.
    """
    forms = {name: form for name in speakers if (form := _form_used(name, text))}
    spoken = text
    for form in forms.values():
        spoken = _as_first_person(spoken, form)
    people = _people({*forms, asker} if asker and FIRST_PERSON.search(text) else forms, speakers)
    return Query(
        words=tuple(dict.fromkeys(content_words(_without_times(text, spans)).split())),
        spoken=spoken,
        stated=" ".join(_ASKING.sub(" ", spoken).split()).rstrip(" .?？") or spoken,
        asked=text,
        speakers=frozenset(name for names in people for name in names),
        people=len(people),
        intervals=() if asked.advice else tuple(local_days(span.interval) for span in spans),
        wants_time=asked.sought in TIMES,
        wants_name=asked.sought in NAMES,
        wants_number=asked.sought in NUMBERS and not COUNTS_DEEDS.search(text),
        wants_latest=not spans and asks_how_things_are(text, asked),
        wants_advice=asked.advice,
    )


def named_in(text: str, speakers: Speakers) -> frozenset[str]:
    """All names of the speakers that a text names."""
    people = _people((name for name in speakers if _form_used(name, text)), speakers)
    return frozenset(name for names in people for name in names)


def by_name(text: str) -> str:
    """The question with "What is my cat called?" rephrased as "What is the name of my cat?"."""
    return _CALLED.sub(r"\1 the name of \2", text)


def _people(names: Iterable[str], speakers: Speakers) -> set[frozenset[str]]:
    """Each person with all their names."""
    known = speakers if isinstance(speakers, Mapping) else {}
    return {known.get(name, frozenset({name})) for name in names}


def _without_times(text: str, spans: Sequence[Span]) -> str:
    """The text without the words of time phrases that only tell how far away a time is."""
    for span in sorted(spans, key=lambda span: -span.start_offset):
        phrase = _TIME_WORDS.sub(" ", text[span.start_offset : span.end_offset])
        text = text[: span.start_offset] + phrase + text[span.end_offset :]
    return text


def _form_used(name: str, text: str) -> str | None:
    """The form in which `text` names the speaker: the whole name or its first part."""
    folded = text.casefold()
    for form in dict.fromkeys((name, name.split(" ")[0])):
        if len(form) > 1 and form.casefold() in folded and re.search(_whole(form), text, re.IGNORECASE):
            return form
    return None


def _whole(form: str) -> str:
    escaped = re.escape(form)
    return escaped if UNSPACED.search(form) else rf"(?<!\w){escaped}(?!\w)"


def _as_first_person(text: str, form: str) -> str:
    """The question in the first person, as its answer would be said.

    This is the largest single gain of the vector view.
    """
    if UNSPACED.search(form):
        return text.replace(form, "我")
    owned = re.sub(rf"(?<!\w){re.escape(form)}['’]s?(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(_whole(form), "I", owned, flags=re.IGNORECASE)
