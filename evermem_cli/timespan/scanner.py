"""Reads phrases that stand alone and finds phrases in running text, in English or Chinese."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan import chinese, chinese_words, english, tense
from evermem_cli.timespan.counted import Amount
from evermem_cli.timespan.english.words import tokenize as english_tokens
from evermem_cli.timespan.grammar import Grammar, Parse, Token, words
from evermem_cli.timespan.interval import STEPS, Reading, Span
from evermem_cli.timespan.named import Reference

_INDEFINITE = frozenset({"one day", "some day", "a day", "one night"})
_LISTING = frozenset({",", "or", "and", "、", "和", "或"})
_BACK = frozenset(
    {"ago", "than"}
)  # "ago" goes with the length before it: "the flat I moved in a month ago" tells of no month to come
_SAYING = re.compile(r"new year,? new (?!year)", re.IGNORECASE)  # "new year, new me": no day is meant
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Language:
    """What the scanner needs of a language.

    `leading` are words that may stand before a phrase without being part of it. What could be something else than a
    time is one after a `firm` word ("in 2014"), and after a `soft` one if its clause ends there or a word of `closing`
    follows ("on the 15th", but "on the 15th floor"). After `repeating` ("every Friday") nothing names one time.
    """

    grammar: Grammar
    tokenize: Callable[[str, bool], list[Token]]
    direction: Callable[[str, int, int], int]
    leading: frozenset[str]
    firm: frozenset[str]
    soft: frozenset[str]
    repeating: frozenset[str]
    closing: frozenset[str]


_ENGLISH = Language(
    grammar=english.GRAMMAR,
    tokenize=english_tokens,
    direction=tense.direction,
    leading=frozenset(
        words("in on at of during for around about throughout over into the circa from back way sometime")
    ),
    firm=frozenset(words("in since from until till during before after between circa through throughout")),
    soft=frozenset(words("on at by of for around about over")),
    repeating=frozenset({"every", "each", "all", "per"}),
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
    direction=tense.chinese_direction,
    leading=frozenset({"在", "于", "从"}),
    firm=frozenset({"在", "于", "从", "到", "自", "那"}),
    soft=frozenset(),
    repeating=frozenset({"每", "每个"}),
    closing=frozenset(),
)


def is_chinese(text: str) -> bool:
    """Whether a Chinese character stands in the text."""
    return bool(_HAN.search(text))


def language_of(text: str) -> Language:
    """Chinese if a Chinese character stands in the text, else English."""
    return _CHINESE if is_chinese(text) else _ENGLISH


def resolve(phrase: str, at: datetime) -> Reading | None:
    """A time phrase that stands alone, read whole."""
    found = _alone(phrase, at, "SPAN")
    return found if isinstance(found, Reading) else None


def length(phrase: str, at: datetime) -> Amount | None:
    """A length of time that stands alone: "for ten days". "One day" is none."""
    found = _alone(phrase, at, "LENGTH") if phrase.strip().casefold() not in _INDEFINITE else None
    return found if isinstance(found, Amount) else None


def _alone(phrase: str, at: datetime, kind: str) -> object:
    language = language_of(phrase)
    tokens = language.tokenize(phrase, False)
    while tokens and tokens[-1].word in set(".,!?;:。，！？"):
        tokens.pop()
    parse = language.grammar.parse(tokens, Reference(at))
    for start, token in enumerate(tokens):
        found = parse.phrases(kind, start).get(len(tokens))
        if found is not None or token.word not in language.leading:
            return found
    return None


def any_length(phrase: str) -> Amount | None:
    """The first length of time in a phrase, the longest that begins there."""
    language = language_of(phrase)
    tokens = language.tokenize(phrase, True)
    parse = language.grammar.parse(tokens, Reference(datetime.min))
    for i in range(len(tokens)):
        for _, found in sorted(parse.phrases("LENGTH", i).items(), reverse=True):
            return found if isinstance(found, Amount) else None
    return None


def find(text: str, at: datetime) -> list[Span]:
    """The time phrases of a running text from left to right, the longest at each place."""
    language = language_of(text)
    tokens = language.tokenize(text, True)
    parse = language.grammar.parse(tokens, Reference(at))
    found: list[Span] = []
    named: datetime | None = None
    for begin, end in _places(language, parse):
        meant = _in_tense(language, text, tokens[begin:end], at, parse.phrases("SPAN", begin)[end])
        if meant:
            meant = _in_month(meant, named, at)
            if _names_month(tokens[begin:end]) and meant.grain == "day":
                named = meant.start
            span = _span(text, tokens[begin:end], meant)
            found += [] if _SAYING.match(text, span.start_offset) else [span]
    return found


def _places(language: Language, parse: Parse) -> Iterator[tuple[int, int]]:
    """First and next token of each phrase."""
    i = last = 0
    while i < len(parse.tokens):
        listed = 0 < last < i and all(token.word in _LISTING for token in parse.tokens[last:i])
        end = _longest(language, parse, i, listed)
        last = end or last
        if end:
            yield i, end
        i = end or i + 1


def _longest(language: Language, parse: Parse, i: int, listed: bool) -> int | None:
    """The token after the longest phrase that may begin at token `i`; `listed`: only "," or "or" parts it from one."""
    before = [token.word for token in parse.tokens[max(0, i - 2) : i]]
    if before and before[-1] in language.repeating:
        return None
    for end, found in sorted(parse.phrases("SPAN", i).items(), reverse=True):
        if end < len(parse.tokens) and parse.tokens[end].word in _BACK:
            continue
        if not found.bare or listed or _placed(language, parse, i, end, found):
            return end
    return None


def _placed(language: Language, parse: Parse, i: int, end: int, found: Reading) -> bool:
    """Whether what could be something else than a time stands where only a time makes sense."""
    before = [token.word for token in parse.tokens[max(0, i - 2) : i]]
    if before[-1:] == ["the"]:
        before.pop()
    if not before or found.grain == "second":
        return False
    day_alone = found.cycle == STEPS["month"]
    if before[-1] in language.firm and not day_alone:
        return True
    following = parse.tokens[end].word if end < len(parse.tokens) else ""
    closed = not following.isalpha() or following in language.closing
    return closed and (before[-1] in language.soft or before[-1] in language.firm)


def _in_tense(language: Language, text: str, tokens: list[Token], at: datetime, found: Reading) -> Reading | None:
    """The phrase as the tense of its sentence has it; None if it is no time in that tense."""
    direction = language.direction(text, tokens[0].start, tokens[-1].end)
    if not direction:
        return found
    return language.grammar.parse(tokens, Reference(at, direction)).phrases("SPAN", 0).get(len(tokens))


def _in_month(found: Reading, named: datetime | None, at: datetime) -> Reading:
    """A day without its month, in the one of the day named before: "16 to 20 May, and the race is on the 11th"."""
    if named is None or found.cycle is None or found.cycle != STEPS["month"]:
        return found
    months = (named.year - found.start.year) * 12 + named.month - found.start.month
    moved = found.moved(relativedelta(months=months))
    is_same_way = (moved.start > at) == (named > at) == (found.start > at)
    return moved if is_same_way and moved.start.day == found.start.day else found


def _names_month(tokens: list[Token]) -> bool:
    return any(label in token.labels for token in tokens for label in ("MONTH", "DATE", "MONTHDAY"))


def _span(text: str, tokens: list[Token], meant: Reading) -> Span:
    start, end = tokens[0].start, tokens[-1].end
    return Span(text[start:end], start, end, meant.interval)
