"""The period for which a statement is valid, from the words of its sentence."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from evermem_cli.timespan import scanner
from evermem_cli.timespan.counted import Amount
from evermem_cli.timespan.grammar import Parse, words
from evermem_cli.timespan.interval import SUB_DAY, Interval, Span, in_calendar, lasting, midnight, moved
from evermem_cli.timespan.named import Reference
from evermem_cli.timespan.tense import CERTAIN

_OVER = re.compile(
    r"(?<!\bbe )(?<!\bam )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )(?<!\bgetting )(?<!['’]m )(?<!['’]re )(?<!\bnot )"
    r"(?<!\bbeen )(?<!\bwas )(?<!\bwere )\bused to\b|以前|曾经|从前|过去常",
    re.IGNORECASE,
)
_PERFECT = re.compile(
    r"(?:\b(?:have|has)|['’](?:ve|s))\s+(?:\w+ly\s+)?(?:been|had|known|gone|\w+ed)\b|已经|一直"
    # "Seven years now."
    r"|\b(?:days|weeks|months|years) (?:now|already|and counting)\b",
    re.IGNORECASE,
)
# Something given applies to the future: "the doctor gave me antibiotics for ten days".
_GIVEN = re.compile(r"\b(?:gave|given|prescribed|put|signed|lent|granted)\s(?:me|us)\b|给我?开了|让我", re.IGNORECASE)
# "Not until Friday" negates nothing.
_DENIED = re.compile(r"(?:\bnot|n['’]t)(?: (?:on|in|at|for|the))*\s*$|不(?:是|在|再是)\s*$", re.IGNORECASE)
# Words before a duration that make it the duration of what is stated ...
_LASTING = frozenset(words("for lasts lasting takes another , ( :"))
# ... after these words of precision ...
_HEDGES = frozenset(words("about around roughly approximately almost nearly over just well more than at least"))
_AHEAD = frozenset(["next", "coming", "following", "upcoming", "未来", "接下来", "今后"])
# ... and words after it that give it another meaning.
_NOT_LASTING = frozenset(
    words(
        "ago old later earlier early late away off before after older younger since from hence back apart per "
        "- 前 以前 之前 后 以后 之后 内 以内 之内"
    )
)


def validity(sentence: str, at: datetime, *, ahead: bool = False) -> Interval | None:
    """The period in which the sentence is or was true; None if it does not say.

    `at` is the speaker's local time. A duration alone begins at `at` ("for ten days"), or ends there if it has
    continued until now ("I have been vegan for two years": no known end). Beside a date it begins on the date ("a
    two-week trip starting Monday"). What lasts "until the 11th" began at `at` unless that is past. What "used to" be
    ended by `at`. `ahead`: the sentence is known to tell of what is to come or goes on, whatever its tense.
    """
    return in_calendar(_window(sentence, at, ahead))


def _window(sentence: str, at: datetime, ahead: bool) -> Interval | None:
    spans = _stated(sentence, scanner.find(sentence, at, ahead=ahead))
    if lasting_part := _lasting(sentence, at, spans):
        length, leaning, spans = lasting_part
        window = _from_length(sentence, at, spans, length, CERTAIN if ahead else leaning)
        if window or not spans:
            return window
    if spans:
        return _from_spans(spans, at)
    return Interval(None, at, "second") if _OVER.search(sentence) else None


def _stated(sentence: str, spans: Sequence[Span]) -> Sequence[Span]:
    """The phrases without negated ones where others are not negated: "not the 20th, it's the 22nd"."""
    return [span for span in spans if not _DENIED.search(sentence[: span.start_offset])] or spans


def _from_spans(spans: Sequence[Span], at: datetime) -> Interval:
    """One period from the phrases: one that begins it and one that ends it, else the open one, else the first.

    A day to come begins what lasts until a later one: "choir on 3 November, every Tuesday until Christmas".
    """
    begins = [span.interval for span in spans if span.interval.end is None]
    ends = [span.interval for span in spans if span.interval.start is None]
    if not begins and not ends:
        return spans[0].interval
    if not ends:
        return begins[0]
    end = ends[0].end
    ahead = (start for span in spans if (start := span.interval.start) and end and at < start < end)
    start = begins[0].start if begins else next(ahead, at)
    return Interval(start if start and end and start < end else None, end, ends[0].grain)


class Length(NamedTuple):
    """A length of time in a text, `text[start_offset:end_offset]`, as the time that ends or that begins with the text.

    Either is None where the calendar ends before.
    """

    start_offset: int
    end_offset: int
    gone_on: Interval | None
    to_come: Interval | None


def lengths(text: str, at: datetime) -> Iterator[Length]:
    """The lengths of time in a text said at `at`, from left to right: "two years", "for ten days"."""
    language = scanner.language_of(text)
    parse = language.grammar.parse(language.tokenize(text, True), Reference(at))
    place = 0
    while place < len(parse.tokens):
        end, amount = max(parse.phrases("LENGTH", place).items(), default=(place, None))
        if isinstance(amount, Amount):
            offsets = parse.tokens[place].start, parse.tokens[end - 1].end
            to_come = lasting(at, amount.delta, amount.unit)
            yield Length(*offsets, in_calendar(gone_on(at, amount)), in_calendar(to_come))
        place = max(end, place + 1)


def gone_on(at: datetime, length: Amount) -> Interval | None:
    """The time since something began that has lasted so long."""
    start = moved(at, -length.delta)
    return None if start is None else Interval(start if length.unit in SUB_DAY else midnight(start), None, length.unit)


def _from_length(sentence: str, at: datetime, spans: Sequence[Span], length: Amount, leaning: float) -> Interval | None:
    """The period of a duration, by the day beside it or by the tense."""
    for span in spans:
        start = span.interval.start
        if start is not None and (span.interval.end is None or span.interval.grain == "day"):
            return lasting(start, length.delta, length.unit)
    if spans:
        return None
    if _PERFECT.search(sentence):
        return gone_on(at, length)
    if leaning < 0 and not _GIVEN.search(sentence):
        return None
    return lasting(at, length.delta, length.unit)


def _lasting(sentence: str, at: datetime, spans: Sequence[Span]) -> tuple[Amount, float, Sequence[Span]] | None:
    """The duration of what is stated, how much its tense leans to what is to come, and the spans of other phrases.

    The duration's own phrase may be one of the spans: "the next ten days".
    """
    language = scanner.language_of(sentence)
    parse = language.grammar.parse(language.tokenize(sentence, True), Reference(at))
    for i, token in enumerate(parse.tokens):
        for end, length in sorted(parse.phrases("LENGTH", i).items(), reverse=True)[:1]:
            inside = [span for span in spans if span.start_offset <= token.start < span.end_offset]
            if _says_how_long(parse, i, end, bool(inside), scanner.is_chinese(sentence)):
                others = [span for span in spans if span not in inside]
                return length, language.leaning(sentence, token.start, parse.tokens[end - 1].end), others
    return None


def _says_how_long(parse: Parse, i: int, end: int, inside: bool, chinese: bool) -> bool:
    unhedged = next((place for place in range(i, 0, -1) if parse.tokens[place - 1].word not in _HEDGES), 0)
    before = parse.tokens[unhedged - 1].word if unhedged else ","
    after = parse.tokens[end].word if end < len(parse.tokens) else ""
    if after in _NOT_LASTING:
        return False
    if inside or before in _AHEAD:
        return before in _AHEAD
    return chinese or before in _LASTING or any(token.word == "-" for token in parse.tokens[i:end])
