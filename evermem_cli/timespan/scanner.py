"""Parses phrases that stand alone and finds phrases in running text, in English or Chinese."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan import bare_days, chinese, chinese_words, english, tense
from evermem_cli.timespan.counted import Amount
from evermem_cli.timespan.english.words import tokenize as english_tokens
from evermem_cli.timespan.grammar import Grammar, Parse, Token, words
from evermem_cli.timespan.interval import STEPS, Reading, Span
from evermem_cli.timespan.named import Clock, Reference

_KEPT = 2000  # texts whose phrases are kept: each step of forming a topic's memories looks for them
_INDEFINITE = frozenset({"one day", "some day", "a day", "one night"})
_LISTING = frozenset({",", "or", "and", "、", "和", "或"})
_LISTED = frozenset({"WEEKDAY", "MONTH"})  # labels of words that are listed
_EPOCH = datetime(2000, 1, 1)  # where lengths of time are compared
_PLACING = frozenset({"the", "of"})  # with an ordinal the place of a day within a longer time
# Words that modify the duration before them: "the flat I moved in a month ago" names no future month.
_BACK = frozenset({"ago", "than"})
_SAYING = re.compile(r"new year,? new (?!year)", re.IGNORECASE)  # "new year, new me" names no day
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Language:
    """What the scanner needs to know about a language.

    `leading` words may precede a phrase without being part of it. An ambiguous phrase is a time after a `firm` word
    ("in 2014"), and after a `soft` one if its clause ends there or a word of `closing` follows ("on the 15th", but "on
    the 15th floor"). No phrase names a single time after `repeating` ("every Friday"), also with one of `other` between
    them ("every other Friday"), nor before `repeated` ("Friday nights", "the 1st of every month"). `day_odds` are the
    log odds that tokens which may name a day do so.
    """

    grammar: Grammar
    tokenize: Callable[[str, bool], list[Token]]
    leaning: Callable[[str, int, int], float]
    day_odds: Callable[[Sequence[Token], int, int], float]
    leading: frozenset[str]
    firm: frozenset[str]
    soft: frozenset[str]
    repeating: frozenset[str]
    other: frozenset[str]
    repeated: frozenset[str]
    closing: frozenset[str]


_ENGLISH = Language(
    grammar=english.GRAMMAR,
    tokenize=english_tokens,
    leaning=tense.leaning,
    day_odds=bare_days.odds,
    leading=frozenset(
        words("in on at of during for around about throughout over into the circa from back way sometime")
    ),
    firm=frozenset(words("in since from until till during before after between circa through throughout")),
    soft=frozenset(words("on at by of for around about over")),
    repeating=frozenset(words("every each all per daily nightly weekly monthly yearly annually")),
    other=frozenset(words("other second third single few two three four")),
    repeated=frozenset(
        words("every each daily nights mornings evenings afternoons mondays tuesdays wednesdays thursdays fridays")
        + words("saturdays sundays weekdays weekends")
    ),
    closing=frozenset(
        words(
            "and or at after before but for to until till through in on with so because if when while where as i "
            "we he she they it you of from is was will are were my our his her their the this that which who"
        )
    ),
)
_CHINESE = Language(
    grammar=chinese.GRAMMAR,
    tokenize=chinese_words.tokenize,
    leaning=tense.chinese_leaning,
    day_odds=lambda tokens, begin, end: 0.0,
    leading=frozenset({"在", "于", "从"}),
    firm=frozenset({"在", "于", "从", "到", "自", "那"}),
    soft=frozenset(),
    repeating=frozenset({"每", "每个"}),
    other=frozenset(),
    repeated=frozenset(),
    closing=frozenset(),
)


def is_chinese(text: str) -> bool:
    """Whether the text contains a Chinese character."""
    return bool(_HAN.search(text))


def language_of(text: str) -> Language:
    """Chinese if the text contains a Chinese character, else English."""
    return _CHINESE if is_chinese(text) else _ENGLISH


def resolve(phrase: str, at: datetime, direction: int = 0) -> Reading | None:
    """A time phrase that stands alone, parsed as a whole. `direction` is that of `Reference`."""
    value = _alone(phrase, Reference(at, direction), "SPAN")
    return value if isinstance(value, Reading) else None


def length(phrase: str, at: datetime) -> Amount | None:
    """A duration that stands alone: "for ten days". "One day" is none."""
    amount = _alone(phrase, Reference(at), "LENGTH") if phrase.strip().casefold() not in _INDEFINITE else None
    return amount if isinstance(amount, Amount) else None


def _alone(phrase: str, ref: Reference, kind: str) -> object:
    language = language_of(phrase)
    tokens = language.tokenize(phrase, False)
    while tokens and tokens[-1].word in set(".,!?;:。，！？"):
        tokens.pop()
    parse = language.grammar.parse(tokens, ref)
    for start, token in enumerate(tokens):
        value = parse.phrases(kind, start).get(len(tokens))
        if value is not None or token.word not in language.leading:
            return value
    return None


def any_length(phrase: str) -> Amount | None:
    """The first duration in a phrase, the longest that begins there."""
    language = language_of(phrase)
    tokens = language.tokenize(phrase, True)
    parse = language.grammar.parse(tokens, Reference(datetime.min))
    for i in range(len(tokens)):
        for _, amount in sorted(parse.phrases("LENGTH", i).items(), reverse=True):
            return amount if isinstance(amount, Amount) else None
    return None


def find(text: str, at: datetime, *, ahead: bool = False) -> Sequence[Span]:
    """The time phrases of a running text from left to right, the longest at each position.

    `ahead`: the text is known to tell of what is to come, whatever its tense.
    """
    return _phrases_in(text, Clock.of(at), ahead)


@lru_cache(maxsize=_KEPT)
def _phrases_in(text: str, clock: Clock, ahead: bool) -> tuple[Span, ...]:
    at, language = clock.at, language_of(text)
    tokens = language.tokenize(text, True)
    parse = language.grammar.parse(tokens, Reference(at))
    spans: list[Span] = []
    named: datetime | None = None
    for begin, end in places(language, parse):
        phrase, reading = tokens[begin:end], parse.phrases("SPAN", begin)[end]
        meant = in_direction(language, phrase, at, 1) if ahead else _in_tense(language, text, phrase, at, reading)
        if meant:
            meant = _in_month(meant, named, at)
            if _names_month(phrase) and meant.grain == "day":
                named = meant.start
            start, stop = phrase[0].start, phrase[-1].end
            spans += [] if _SAYING.match(text, start) else [Span(text[start:stop], start, stop, meant.interval)]
    return tuple(spans)


def places(language: Language, parse: Parse) -> Iterator[tuple[int, int]]:
    """The first token of each phrase, and the token after it."""
    i = last = again = 0  # `again` is the token after a time that comes again
    while i < len(parse.tokens):
        listed = 0 < last < i and all(token.word in _LISTING for token in parse.tokens[last:i])
        end, reading = _longest(language, parse, i, listed) or (0, None)
        within_unit = reading is not None and _within_unit(language, parse, i, end, reading)
        if within_unit or (end and (_repeats(language, parse, i, end) or _is_beside(parse, again, i))):
            again, end = end, 0
        if void := _no_such_day(parse, i, end or i):
            i = void
            continue
        last = end or last
        if end:
            yield i, end
        i = again if within_unit else end or i + 1


def _no_such_day(parse: Parse, i: int, end: int) -> int | None:
    """The token after a day that does not exist ("February 30"), longer than the phrase from token `i` to `end`.

    It may also begin within a phrase without a month, or behind a weekday: "Friday 30 February".
    """
    behind_weekday = i < end and "WEEKDAY" in parse.tokens[end - 1].labels
    for place in range(i, max(end + behind_weekday, i + 1)):
        parse.phrases("SPAN", place)
        after = parse.void.get(place, 0)
        if after > end and (place == i or not _names_month(parse.tokens[i:end])):
            return after
    return None


def _longest(language: Language, parse: Parse, i: int, listed: bool) -> tuple[int, Reading] | None:
    """The longest phrase that begins at token `i`, with the token after it.

    `listed`: only "," or "or" separates it from one.
    """
    for end, reading in sorted(parse.phrases("SPAN", i).items(), reverse=True):
        if end < len(parse.tokens) and parse.tokens[end].word in _BACK:
            continue
        if not reading.bare or (listed and reading.grain != "second") or _placed(language, parse, i, end, reading):
            return end, reading
    return None


def _repeats(language: Language, parse: Parse, i: int, end: int) -> bool:
    """Whether the phrase names a time that comes again: "every other Friday", "the 1st of each month", "at 9 daily"."""
    before = [token.word for token in parse.tokens[max(0, i - 2) : i]]
    after = [token.word for token in parse.tokens[end : end + 2]]
    if before[-1:] and before[-1] in language.other:
        before.pop()
    if after[:1] and after[0] in language.leading:
        after.pop(0)
    return bool(before and before[-1] in language.repeating) or bool(after and after[0] in language.repeated)


def _is_beside(parse: Parse, again: int, i: int) -> bool:
    """Whether token `i` goes on with a list of times that come again: "every Monday and Friday"."""
    if not 0 < again == i - 1 or parse.tokens[again].word not in _LISTING:
        return False
    return not _LISTED.isdisjoint(parse.tokens[again - 1].labels.keys() & parse.tokens[i].labels.keys())


def _within_unit(language: Language, parse: Parse, i: int, end: int, reading: Reading) -> bool:
    """Whether the phrase tells when within a repeated unit: "every month on the last Friday".

    The unit has to be as long as the time after which the phrase recurs: "every day in May" is of one May.
    """
    tokens, place = parse.tokens, i
    cycle = reading.cycle or _cycle(tokens[i:end])
    while place and (tokens[place - 1].word in _PLACING or "ORD" in tokens[place - 1].labels):
        place -= 1
    if cycle is None or place < 2 or tokens[place - 1].word not in language.leading:
        return False
    unit = tokens[place - 2].labels.get("UNIT")
    place -= 2
    if place and ("NUM" in tokens[place - 1].labels or tokens[place - 1].word in language.other):
        place -= 1
    is_repeated = place > 0 and tokens[place - 1].word in language.repeating
    return is_repeated and unit in STEPS and _EPOCH + STEPS[str(unit)] >= _EPOCH + cycle


def _cycle(phrase: Sequence[Token]) -> relativedelta | None:
    """The time after which a phrase recurs beside a repeated unit: "the last Friday", "the first Sunday in March"."""
    labels = {label for token in phrase for label in token.labels}
    if not labels.isdisjoint({"YEAR", "DATE"}):
        return None
    return STEPS["year"] if "MONTH" in labels else STEPS["week"] if "WEEKDAY" in labels else None


def _placed(language: Language, parse: Parse, i: int, end: int, reading: Reading) -> bool:
    """Whether an ambiguous phrase is in a place where only a time makes sense."""
    if reading.grain == "day" and language.day_odds(parse.tokens, i, end) > 0:
        return True
    before = [token.word for token in parse.tokens[max(0, i - 2) : i]]
    if before[-1:] == ["the"]:
        before.pop()
    if not before or reading.grain == "second":
        return False
    day_alone = reading.cycle == STEPS["month"]
    if before[-1] in language.firm and not day_alone:
        return True
    following = parse.tokens[end].word if end < len(parse.tokens) else ""
    closed = not following.isalpha() or following in language.closing
    return closed and (before[-1] in language.soft or before[-1] in language.firm)


def _in_tense(language: Language, text: str, tokens: list[Token], at: datetime, reading: Reading) -> Reading | None:
    """The phrase in the tense of its sentence; None if it names no time in that tense."""
    leaning = language.leaning(text, tokens[0].start, tokens[-1].end)
    if language is _CHINESE and not leaning:
        return reading
    past, ahead = (in_direction(language, tokens, at, direction) for direction in (-1, 1))
    if past and ahead and language is not _CHINESE:
        leaning += tense.nearness(at, past.start, ahead.start)
    return ahead if leaning > 0 else past


def in_direction(language: Language, tokens: list[Token], at: datetime, direction: int) -> Reading | None:
    """A phrase as it is understood in a sentence about the past, -1, or about what is to come, 1."""
    return language.grammar.parse(tokens, Reference(at, direction)).phrases("SPAN", 0).get(len(tokens))


def _in_month(reading: Reading, named: datetime | None, at: datetime) -> Reading:
    """A day without a month, in the month named before it: "16 to 20 May, and the race is on the 11th"."""
    if named is None or reading.cycle is None or reading.cycle != STEPS["month"]:
        return reading
    months = (named.year - reading.start.year) * 12 + named.month - reading.start.month
    moved = reading.moved(relativedelta(months=months))
    is_same_way = (moved.start > at) == (named > at) == (reading.start > at)
    return moved if is_same_way and moved.start.day == reading.start.day else reading


def _names_month(tokens: Sequence[Token]) -> bool:
    return any(label in token.labels for token in tokens for label in ("MONTH", "DATE", "MONTHDAY"))
