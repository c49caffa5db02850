"""The cues of WebVTT and SRT captions with their times and lines, and the lines that belong to no cue."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby, pairwise

_TIME = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})\d*"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?P<settings>.*)")
_SETTINGS = re.compile(r"(?:\s+\w+[:=]\S+)*\s*")  # a cue's settings after its times
_HEADER = re.compile(r"WEBVTT\b")
_METADATA = re.compile(r"[\w-]+\s*[:=]")  # a line of the header, as in "Kind: captions"
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)\b")
_WORDLESS = re.compile(rf"\s*[\d:.,]+\s*-->\s*[\d:.,]+{_SETTINGS.pattern}")  # an impossible time; nothing is lost
_CLOCK = re.compile(r"[\dOo\W_]*\d:\d\d[:.,]\d\d[\dOo\W_]*")  # only a time, even if its arrow is damaged
_LONGEST_TIME = 60  # maximum length of a line with times and settings
_LONGEST_COUNTER = 9  # maximum digits of a cue's number
_NAMED = re.compile(r"[^\W\d_][^:<>?!,]{0,39}:\s+\S|<v")  # begins content that may belong to another cue

Line = tuple[int, str]  # a line with its number in the file, from 1


@dataclass(slots=True)
class Cue:
    """A cue that is displayed from `start` to `end`. `after_loss`: something before it could not be read."""

    start: timedelta
    end: timedelta
    lines: list[str] = field(default_factory=list)
    after_loss: bool = False


@dataclass(slots=True)
class _CuePart:
    """The lines from the time of one cue to the head of the next. Before the first cue there is no time."""

    timing: re.Match[str] | None
    head: list[Line]
    body: list[Line]

    @property
    def counter(self) -> int | None:
        """The number above the time."""
        return next((int(text) for _, text in self.head[:-1] if _is_counter(text)), None)


def read_cues(lines: Sequence[str], *, gaps: bool) -> tuple[list[Cue], list[int]]:
    """The cues in the lines of a file, and the numbers of the lines in none.

    With `gaps` a cue may contain blank lines, as in SRT. A line that may belong to a cue with a damaged time belongs to
    none.
    """
    cues: list[Cue] = []
    lost: list[int] = []
    before = 0
    parts = list(_parts(lines, named=not gaps))
    for part, following in pairwise([*parts, None]):
        assert part is not None
        kept, dropped = _own(part, following, gaps=gaps)
        if part.timing:
            start, end = _time(part.timing, 1), _time(part.timing, 5)
            cues.append(Cue(start, end, [text for _, text in kept], after_loss=len(lost) > before))
            before = len(lost)
            lost += [part.head[-1][0]] * (_SETTINGS.fullmatch(part.timing["settings"]) is None)
        lost += [number for number, text in dropped if not _WORDLESS.fullmatch(text)]
    return cues, lost


def _parts(lines: Sequence[str], *, named: bool) -> Iterator[_CuePart]:
    """The file in order: the lines before the first cue, then each cue with the lines below it.

    Cues may have a number above their time, and where they may be `named` a name.
    """
    part = _CuePart(None, [], [])
    for number, line in enumerate(lines, 1):
        timing = _TIMING.match(line)
        if not timing:
            part.body.append((number, line))
            continue
        name = [part.body.pop()] if _ends_in_head(part, named=named) else []
        yield part
        part = _CuePart(timing, [*name, (number, line)], [])
    yield part


def _ends_in_head(part: _CuePart, *, named: bool) -> bool:
    """Whether the last line is the number or name of the next cue: a number, or a single word below a gap.

    WebVTT allows several words, but such a line is more likely something said whose own time was lost.
    """
    if not part.body or not (last := part.body[-1][1]).strip() or _is_damaged_time(last):
        return False
    if _is_counter(last):
        return True
    first = len(part.body) == 1 and part.timing is None
    return named and len(last.split()) == 1 and (first or (len(part.body) > 1 and not part.body[-2][1].strip()))


def _own(part: _CuePart, following: _CuePart | None, *, gaps: bool) -> tuple[list[Line], list[Line]]:
    """The lines of this cue, and those of no cue."""
    blocks = [list(rows) for filled, rows in groupby(part.body, lambda row: bool(row[1].strip())) if filled]
    blocks = [_below_header(rows) for rows in blocks if not _NO_CUE.match(rows[0][1])]
    blocks = [rows for rows in blocks if rows]
    if not part.timing:
        return [], [row for rows in blocks for row in rows]
    below_gap = not part.body or not part.body[0][1].strip()
    own = [] if below_gap or not blocks else blocks.pop(0)
    rest = [row for rows in blocks for row in rows]
    if (place := _other_head(own, part.counter, following)) is not None:
        return own[:place], own[place:] + rest
    if gaps and _continues(rest, part.counter, following):
        return own + rest, []
    return own, rest


def _below_header(rows: list[Line]) -> list[Line]:
    """The lines without those of the file's header."""
    if not _HEADER.match(rows[0][1]):
        return rows
    return [row for row in rows[1:] if not _METADATA.match(row[1])]


def _other_head(rows: Sequence[Line], counter: int | None, following: _CuePart | None) -> int | None:
    """The line among those of a cue where another cue with a damaged time begins: its number, or its former time."""
    skipped = following is None or following.counter != (counter or 0) + 1
    for place, (_, text) in enumerate(rows):
        if _is_damaged_time(text) or (skipped and counter is not None and text.strip() == str(counter + 1)):
            return place - 1 if place and _is_counter(rows[place - 1][1]) else place
    return None


def _continues(rows: Sequence[Line], counter: int | None, following: _CuePart | None) -> bool:
    """Whether lines below a gap belong to the cue above: no number is missing, and nothing begins another cue."""
    if following is not None and counter is not None and following.counter != counter + 1:
        return False
    return not any(_is_counter(text) or _is_damaged_time(text) or _NAMED.match(text) for _, text in rows)


def _is_counter(text: str) -> bool:
    return text.strip().isdecimal() and len(text) <= _LONGEST_COUNTER


def _is_damaged_time(text: str) -> bool:
    return "-->" in text or (len(text) <= _LONGEST_TIME and _CLOCK.fullmatch(text) is not None)


def _time(timing: re.Match[str], place: int) -> timedelta:
    hours, minutes, seconds, fraction = (timing[place + offset] or "0" for offset in range(4))
    return timedelta(
        hours=int(hours), minutes=int(minutes), seconds=int(seconds), milliseconds=int(fraction.ljust(3, "0"))
    )
