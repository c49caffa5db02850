"""Captions of meetings and videos, WebVTT and SRT, as the words of each voice (tests/golden/vtt-*)."""

import html
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.source import Format, Source
from evermem_cli.transcripts.subtitles.cues import Cue, read_cues

PAUSE = timedelta(seconds=5)  # a longer pause begins another message
LONGEST = 600  # characters after which another message begins, since a talk is not a single message
MIN_CUES = 2  # cues that must begin with the same `Name: `, since a single one may be "Note: "
ROLLING = 0.3  # share of cues that repeat the lines before, from which on the captions scroll
NAMED = 0.5  # share of cues that begin with a line `(Name)` or with `Name: `, from which on all cues name their speaker
NOBODY = "Speaker"  # the speaker where none is named

_TIMING = re.compile(r"\s*\d+:\d{1,2}:\d{1,2}[,.]\d+\s*-->")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"<(?:/?[a-z][^<>]*|\d[\d:.]*)>|\{\\[^{}]*\}", re.IGNORECASE)
_NAME = re.compile(r"(?:-|>>)?\s*(?P<name>[^\W\d_][^:<>?!,]{0,39}):\s+(?P<text>\S.*)")
_ALONE = re.compile(r"\((?P<name>[^\W\d_][^()<>]{0,39})\)")
_CHANGE = re.compile(r"(?:-|>>)\s*(?=\S)")  # somebody else speaks
# "GMT20260214-100000_Recording" by Zoom, "2026-02-14 10-00-00" by OBS
_RECORDED = re.compile(r"(?P<utc>GMT)?(?P<start>20\d\d-?\d\d-?\d\d[-_T ]\d\d[-.]?\d\d[-.]?\d\d)(?!\d)")


@dataclass(slots=True)
class _CaptionSpeech:
    """The words of one voice without a longer pause; `voice` is "" where it is not named."""

    voice: str
    text: str
    start: timedelta
    end: timedelta


def _is_vtt(source: Source) -> bool:
    return source.sample[0].startswith("WEBVTT")


def _is_srt(source: Source) -> bool:
    return any(map(_TIMING.match, source.sample[:2]))


def _read(source: Source, form: str) -> Iterator[Transcript]:
    """The conversation, one message per uninterrupted voice."""
    lines = "\n".join(source.text).split("\n")  # also splits at form feeds and the like
    cues, lost = read_cues(lines, gaps=form == "srt")
    cues = [cue for cue in cues if any(line.strip() for line in cue.lines)]
    if not cues and not lost:
        raise source.error(f"not {form.upper()} captions: no cue with a time", "leave out --format")
    if lost:
        source.problem(f"lines left out, since they are of no cue with a time that can be read: {len(lost)}", lost[0])
    chat = Chat(form, kind=ChatKind.GROUP)
    start = None if source.options.date else _start(source)
    for said in _merged(_voices(cues, [lines[number - 1] for number in lost])):
        stamp = (start + said.start).isoformat() if start else said.start
        chat.drafts.append(MessageDraft(said.voice or NOBODY, said.text, stamp))
    yield from assemble(chat, source)


def _start(source: Source) -> datetime | None:
    """When the recording began, as some file names tell."""
    match = _RECORDED.search(source.path.stem) if source.path else None
    if match:
        with suppress(ValueError):
            start = datetime.strptime(re.sub(r"\D", "", match["start"]), "%Y%m%d%H%M%S")
            return start.replace(tzinfo=UTC).astimezone(source.options.tz) if match["utc"] else start
    return None


def _voices(cues: Sequence[Cue], lost: Sequence[str]) -> Iterator[_CaptionSpeech]:
    """The words of each voice in each cue. The `lost` lines still count for who is named.

    A cue without a name continues the voice before, unless something unreadable is between them, or it seems to begin
    with a name where all cues name their speaker.
    """
    texts = _voiced(_unrolled([_lines(cue) for cue in cues]))
    begun = [match["name"] if lines and (match := _NAME.fullmatch(lines[0])) else "" for lines in texts]
    counts = Counter([*begun, *(match["name"] for match in map(_NAME.fullmatch, lost) if match)])
    names = {name for name, count in counts.items() if name and count >= MIN_CUES}
    labelled = sum(name in names for name in begun) >= NAMED * len(cues)
    voice = ""
    for cue, lines, name in zip(cues, texts, begun, strict=True):
        goes_on = not cue.after_loss and not (labelled and name)
        spoken, voice = _spoken(lines, voice if goes_on else "", names)
        yield from (_CaptionSpeech(who, html.unescape(text), cue.start, cue.end) for who, text in spoken)


def _spoken(lines: Sequence[str], named: str, names: Container[str]) -> tuple[list[tuple[str, str]], str]:
    """The speaker of each line of a cue, and the voice that continues into the next; `named` is the voice before it."""
    spoken = []
    voice = named
    for line in lines:
        if tagged := _VOICE.match(line):
            voice, line = html.unescape(tagged[1]).strip(), line[tagged.end() :]
        elif (match := _NAME.fullmatch(line)) and match["name"] in names:
            voice = named = match["name"]
            line = match["text"]
        elif change := _CHANGE.match(line):
            voice, line = "", line[change.end() :]
        spoken.append((voice, line))
    return spoken, named


def _lines(cue: Cue) -> list[str]:
    """The lines of a cue, with one line per voice; only voice tags are kept."""
    lines = _VOICE.sub(lambda tag: "\n" + tag[0], "\n".join(cue.lines)).split("\n")
    plain = (_TAG.sub(lambda tag: tag[0] if _VOICE.fullmatch(tag[0]) else "", line).strip() for line in lines)
    return [line for line in plain if _VOICE.sub("", line)]


def _unrolled(cues: Sequence[list[str]]) -> Sequence[list[str]]:
    """`cues` without lines repeated from the cue before, where captions scroll."""
    repeated = [_overlap(before, after) for before, after in pairwise([[], *cues])]
    if sum(map(bool, repeated)) < ROLLING * len(cues):
        return cues
    return [lines[count:] for lines, count in zip(cues, repeated, strict=True)]


def _voiced(cues: Sequence[list[str]]) -> Sequence[list[str]]:
    """`cues` with voice tags where names are in brackets on lines of their own."""
    named = [lines for lines in cues if len(lines) > 1 and _ALONE.fullmatch(lines[0])]
    if len(named) < max(MIN_CUES, NAMED * len(cues)):
        return cues
    return [_tagged(lines) for lines in cues]


def _tagged(lines: Sequence[str]) -> list[str]:
    text = "".join(f"<v {match['name']}>" if (match := _ALONE.fullmatch(line)) else f"{line}\n" for line in lines)
    return [line for line in text.split("\n") if _VOICE.sub("", line)]


def _overlap(before: Sequence[str], after: Sequence[str]) -> int:
    """The number of last lines of `before` that are the first lines of `after`."""
    counts = range(min(len(before), len(after)), 0, -1)
    return next((count for count in counts if before[-count:] == after[:count]), 0)


def _merged(parts: Iterator[_CaptionSpeech]) -> Iterator[_CaptionSpeech]:
    said: _CaptionSpeech | None = None
    for part in parts:
        if said and part.voice == said.voice and part.start - said.end <= PAUSE and len(said.text) < LONGEST:
            said.text, said.end = f"{said.text} {part.text}", part.end
            continue
        if said:
            yield said
        said = part
    if said:
        yield said


VTT = Format(
    "vtt",
    "WebVTT captions of a meeting or video, with or without speakers",
    "download the transcript of a meeting in Teams, Zoom or Meet as .vtt; --date says the day of the meeting",
    frozenset({".vtt"}),
    _is_vtt,
    partial(_read, form="vtt"),
)
SRT = Format(
    "srt",
    "SRT subtitles",
    "download the subtitles of a video or transcript as .srt; --date says the day of the recording",
    frozenset({".srt"}),
    _is_srt,
    partial(_read, form="srt"),
)
