"""What a question asks for: its words, the people it names, the time it is about and the kind of answer it wants."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from Stemmer import Stemmer

from evermem_cli.language import searchable
from evermem_cli.timespan import Interval, Span

# They stand in every message. Few on purpose: the extension's 570 stop words also drop "new", "first" and "used",
# which cost half a point of recall on LoCoMo. Dropped from the question only, so the index needs no list.
FUNCTION_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be been before being below between both but by
    can could d did do does doing done down during each few for from further had has have having he her hers herself him
    himself his how i if in into is it its itself just ll m may me might mine more most must my myself no nor not of off
    on once only or other our ours out over own re s same shall she should so some such t than that the their theirs
    them themselves then there these they this those through to too under until up us ve very was we were what when
    where which while who whom whose why will with would you your yours yourself don doesn didn isn wasn won
    couldn wouldn kind kinds type types different many much long often according mention mentioned likely 我
    """.split()
)
WORD = re.compile(r"[^\W_]+")
# "Won't" and "don't" have nothing of "won" and "Don", which are words where they stand by themselves.
CONTRACTION = re.compile(r"\b[a-z]+n['’]t\b")
CONTENT_WORDS = frozenset({"don", "won"})
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b|[我咱]", re.IGNORECASE)
WANTS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:day|date|month|year|time|season)\b|\bhow long\b"
    r"|\bhow many (?:days|weeks|months|years)\b"
    r"|什么时候|何时|哪天|哪年|哪个月|几号|几月|多久",
    re.IGNORECASE,
)
WANTS_NAME = re.compile(
    r"\b(?:who|where|named?|called)\b|\b(?:what|which) (?:\w+ )?(?:cit|countr|state|place|book|movie|film|show|game|"
    r"band|song|artist|author|compan|brand|restaurant|team)\w*|谁|哪里|哪儿|叫什么|什么名字",
    re.IGNORECASE,
)
WANTS_NUMBER = re.compile(r"\bhow (?:many|much|old|often)\b|\b(?:total|average|number)\b|多少|几|多大", re.IGNORECASE)
WANTS_YES = re.compile(
    r"^(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must)\b(?!.*\bor\b)"
    r"|[吗嘛]\s*[？?]?\s*$|能不能|是不是|有没有|会不会|可不可以",
    re.IGNORECASE,
)

# "Who is Ruben?", "Who's Mrs Adeyemi again?", "小雨是谁？"; a name is no more than a name.
_ASKS_WHO = re.compile(
    r"\s*who(?:['’]s| is| was)\s+(?P<name>[^?.!,]+?)(?:\s+again)?\s*[?.! ]*$|\s*(?P<zh>[^？?。，\s]+)是谁[？?。 ]*$",
    re.IGNORECASE,
)

# "Where do I work?", "How many bikes do I have now?"; not "Where did I work?", "When was the last time I …?". What
# others told of themselves stays as true as it was: the latest first costs LoCoMo four points of any@10 there.
ASKS_OF_NOW = re.compile(
    r"\b(?:is|are|am|do|does|have|has|my|current|currently|now|so far)\b|现在|目前|[^了过]$", re.IGNORECASE
)
ASKS_OF_THEN = re.compile(
    r"\b(?:did|was|were|had|ago|when|last|first|before|originally|previous\w*|used to|initially|earlier)\b|"
    r"以前|之前|当时|曾",
    re.IGNORECASE,
)
# "How many kits have I bought?": whoever bought one did not say how many they were. Pasted questions may be long.
COUNTS_DEEDS = re.compile(r"\bhow many\b.{0,200}?\b(?:have|has|had|did) (?:i|we)\b", re.IGNORECASE)
# Advice rests on what one likes and does; the time it is wanted for is not when that was told, and who asks for advice
# has asked for some before.
WANTS_ADVICE = re.compile(
    r"\bshould (?:i|we)\b|\b(?:can|could|would) you (?:please )?(?:recommend|suggest|advise)\b"
    r"|(?:\bdo you have |(?:^|[.,;:!?] *))any (?:\w+ ){0,2}(?:tips|advice|suggestions?|ideas?|recommendations?)\b"
    r"|\bdo you (?:think|recommend|suggest)\b|^(?:please )?(?:recommend|suggest)\b"
    r"|我们?[^，。？]{0,6}该|有什么(?:好的?)?(?:建议|推荐)|推荐(?:一下|几|点|些)",
    re.IGNORECASE,
)
# Not looked up where they tell a time, as in "two weeks ago": the ranking heeds the time itself.
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
# What only makes a question of "model kits I bought".
_ASKING = re.compile(
    r"^\s*(?:how (?:many|much|long|often|old)|what(?:['’]s)?|which|when|where|who|why|how|(?:can|could|do) you)\b"
    r"|\b(?:am|is|are|was|were|do|does|did|have|has|had|will|would|can|could|should)\b",
    re.IGNORECASE,
)
# Who is asked what something is called has said "His name is Biscuit".
_CALLED = re.compile(
    r"\b(what(?:['’]s| is| was| are| were)) ([^?,]+?) (?:called|named)(?=\s*(?:[?,]|$))", re.IGNORECASE
)

Days = tuple[date, date]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, read without a model.

    `words` are looked up in the keyword index, without those that only tell how far away a time is.
    `spoken` is embedded: the question as those it names would have put it; so is `stated`, the same without what makes
    a question of it.
    `speakers` are the speakers named, the asker included where it says "I", by all names of so many `people`.
    `intervals` are half-open, local dates; none where it asks for advice.
    `wants_latest`: it asks how things are, so that of several answers the latest is true.
    """

    words: tuple[str, ...]
    spoken: str
    stated: str
    speakers: frozenset[str]
    intervals: tuple[Days, ...]
    wants_time: bool
    wants_name: bool
    wants_number: bool = False
    wants_latest: bool = False
    wants_advice: bool = False
    people: int = 0


def read_question(
    text: str,
    speakers: Iterable[str] | Mapping[str, frozenset[str]],
    spans: Sequence[Span] = (),
    asker: str | None = None,
) -> Question:
    """Reads a question about what `speakers` said; a mapping gives all the names under which each of them speaks.

    `spans` are the time phrases in it (`timespan.find`). `asker` is the speaker who asks, None where it is nobody's own
    memory.
    """
    named = {name: form for name in speakers if (form := _form_used(name, text))}
    spoken = text
    for form in named.values():
        spoken = _as_first_person(spoken, form)
    meant = set(named) | ({asker} if asker and FIRST_PERSON.search(text) else set())
    names = speakers if isinstance(speakers, Mapping) else {}
    people = {names.get(each, frozenset({each})) for each in meant}
    wants_advice = bool(WANTS_ADVICE.search(text))
    return Question(
        words=tuple(dict.fromkeys(content_words(_without_times(text, spans)).split())),
        spoken=spoken,
        stated=" ".join(_ASKING.sub(" ", spoken).split()).rstrip(" .?？") or spoken,
        speakers=frozenset(name for each in people for name in each),
        people=len(people),
        intervals=() if wants_advice else tuple(local_days(span.interval) for span in spans),
        wants_time=bool(WANTS_TIME.search(text)),
        wants_name=bool(WANTS_NAME.search(text)),
        wants_number=bool(WANTS_NUMBER.search(text)) and not COUNTS_DEEDS.search(text),
        wants_latest=not spans and asks_how_things_are(text),
        wants_advice=wants_advice,
    )


def by_name(text: str) -> str:
    """The question with "What is my cat called?" put as "What is the name of my cat?"."""
    return _CALLED.sub(r"\1 the name of \2", text)


def content_words(text: str) -> str:
    """The words that it is about, as the index knows words: Chinese as bigrams."""
    words = WORD.findall(CONTRACTION.sub(" ", searchable(text)))
    return " ".join(word for word in words if word in CONTENT_WORDS or word not in FUNCTION_WORDS)


def content_stems(text: str) -> set[str]:
    """The words that it is about, stemmed (Porter 1980), each once."""
    return set(Stemmer("porter").stemWords(content_words(text).split()))


def asks_how_things_are(text: str) -> bool:
    """Whether the question is about the asker's own present."""
    return all(pattern.search(text) for pattern in (FIRST_PERSON, ASKS_OF_NOW)) and not ASKS_OF_THEN.search(text)


def asked_person(text: str) -> str:
    """What the question calls whom it asks about, where it asks who that is; "" for other questions."""
    match = _ASKS_WHO.match(text)
    return (match["name"] or match["zh"]) if match else ""


def _without_times(text: str, spans: Sequence[Span]) -> str:
    """The text without the words of its time phrases that only tell how far away they are."""
    for span in sorted(spans, key=lambda span: -span.start_offset):
        phrase = _TIME_WORDS.sub(" ", text[span.start_offset : span.end_offset])
        text = text[: span.start_offset] + phrase + text[span.end_offset :]
    return text


def _form_used(name: str, text: str) -> str | None:
    """How `text` calls the speaker: by the whole name or the first part of it."""
    for form in dict.fromkeys((name, name.split(" ")[0])):
        if len(form) > 1 and re.search(_whole(form), text, re.IGNORECASE):
            return form
    return None


def _whole(form: str) -> str:
    escaped = re.escape(form)
    return escaped if UNSPACED.search(form) else rf"(?<!\w){escaped}(?!\w)"


def _as_first_person(text: str, form: str) -> str:
    """A message says "I" where a question about it says the name: the largest single gain of the vector view."""
    if UNSPACED.search(form):
        return text.replace(form, "我")
    owned = re.sub(rf"(?<!\w){re.escape(form)}['’]s?(?!\w)", "my", text, flags=re.IGNORECASE)
    return re.sub(_whole(form), "I", owned, flags=re.IGNORECASE)


def local_days(interval: Interval) -> Days:
    """The days of an interval, half-open; an open end is the first or the last of all days."""
    start = interval.start.date() if interval.start else date.min
    if interval.end is None:
        return start, date.max
    last: datetime = interval.end - timedelta(microseconds=1)
    return start, last.date() + timedelta(days=1)
