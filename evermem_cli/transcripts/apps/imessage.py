"""imessage-exporter's text files, one chat per file: a line with the time, one with the sender, then the text.

The format is that of the exporter's source, `exporters/txt.rs` (tests/golden/imessage*). A reply occurs twice: indented
below the message that it answers, and again at its own place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import APP, NO_TIME, Chat, MessageDraft, assemble
from evermem_cli.transcripts.source import Format, Source

INDENT = "    "  # indent of a reply below the message that it answers

_TIME = r"[A-Z][a-z]{2} \d{2}, \d{4} {1,2}\d{1,2}:\d{2}:\d{2} [AP]M"
_HEAD = re.compile(rf"(?P<indent> *)(?P<time>{_TIME})(?: \(Read by .+\))?")
_EVENT = re.compile(rf"{_TIME} (?P<text>\S.*)")  # above an edited message's first version
_LATER = re.compile(r"Edited .+? later: (?P<text>.*)")
_REPLY = "This message responded to an earlier message."
_REACTIONS = ("Reactions:", "Tapbacks:")
_REACTION = re.compile(r" *(?:\S.* by .+|Sticker from .+)")
_SHAREPLAY = ["SharePlay Message", "Ended"]
_TRANSLATED = "Translated from:"  # separates the app's translation from the original text below it
_APP_WROTE = re.compile(
    r"(?:~?/.*/)?[Aa]ttachments/.+\.\w{2,5}|Attachment missing!|(?:You|They) deleted a message\."
    r"|Audio Message\.caf|.{1,60} unsent (?:this|a) message.*|This message was deleted from the conversation!"
    r"|St(?:arted|opped) sharing location!|(?:\w+ )?Sticker from .+: .+"
    r"|Unable to format (?:announcement!|app message: .*)"
    r"|Sent with (?:Balloons|Confetti|Echo|Fireworks|Gentle|Heart|Invisible Ink|Lasers|Loud|Shooting Start?|Slam"
    r"|Sparkles|Spotlight)"
)


@dataclass(slots=True)
class _Block:
    """A message in the file; `line` is the line of its time."""

    line: int
    stamp: str
    indented: bool
    sender: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def who_and_when(self) -> tuple[str, str]:
        """What a reply has in common with its second copy."""
        return self.stamp, self.sender


def _matches(source: Source) -> bool:
    return not source.is_json and any(_HEAD.fullmatch(line.rstrip()) for line in source.sample)


def _read(source: Source) -> Iterator[Transcript]:
    """The conversation, without calls, renamings, reactions and attachments."""
    chat = Chat("imessage", kind=ChatKind.GROUP)
    for block in _once(_blocks(source)):
        if block.sender:
            text = "\n".join(_said(block.lines))
            edited = any(map(_EVENT.fullmatch, block.lines[:1]))
            chat.drafts.append(MessageDraft(block.sender, text, _iso(block, source), line=block.line, is_edited=edited))
        else:
            source.problem("a time without a sender; the message is left out", block.line)
    yield from assemble(chat, source)


def _blocks(source: Source) -> list[_Block]:
    """All messages as written. Notices of the app, such as a new name of the chat, are left out."""
    blocks: list[_Block] = []
    above = []
    for number, line in enumerate(source.text, 1):
        if match := _HEAD.fullmatch(line):
            blocks.append(_Block(number, match["time"], bool(match["indent"])))
        elif _EVENT.fullmatch(line) and (not blocks or blocks[-1].lines):
            source.skip(APP)
        elif not blocks:
            above += [number] if line else []
        elif not blocks[-1].sender:
            blocks[-1].sender = line.strip()
        else:
            blocks[-1].lines.append(line.removeprefix(INDENT) if blocks[-1].indented else line)
    if above:
        source.problem(f"{len(above)} lines above the first message are left out", above[0])
    return blocks


def _once(blocks: list[_Block]) -> Iterator[_Block]:
    """`blocks` without indented replies that occur again at their own place.

    A line that only the indented copy has belongs to the message above, which continues after its replies.
    """
    in_place = {block.who_and_when: block for block in blocks if not block.indented and _REPLY in block.lines}
    kept: list[_Block] = []
    for block in blocks:
        again = in_place.get(block.who_and_when) if block.indented else None
        if again is None:
            kept.append(block)
        elif kept:
            kept[-1].lines += [line for line in block.lines if line and line not in again.lines]
    yield from kept


def _said(lines: list[str]) -> Iterator[str]:
    """The text that the person wrote."""
    reacting = False
    for line in _last_version(lines):
        reacting = line in _REACTIONS or (reacting and _REACTION.fullmatch(line) is not None)
        if not reacting and line != _REPLY and not _APP_WROTE.fullmatch(line):
            yield line


def _last_version(lines: list[str]) -> list[str]:
    """The lines of a message: the latest version if edited, the original if translated."""
    if lines and (first := _EVENT.fullmatch(lines[0])):
        versions = [first["text"], *(match["text"] for line in lines if (match := _LATER.fullmatch(line)))]
        return [versions[-1], *(line for line in lines[1:] if not _LATER.fullmatch(line))]
    if lines[:2] == _SHAREPLAY:
        return lines[2:]
    return _untranslated(lines) if _TRANSLATED in lines else lines


def _untranslated(lines: list[str]) -> list[str]:
    """The original below the app's translation, which has as many paragraphs; what stands above it is the person's."""
    place = lines.index(_TRANSLATED)
    translation, original = lines[:place], lines[place + 1 :]
    gaps = [number for number, line in enumerate(translation) if not line]
    surplus = len(gaps) - original.count("")
    return [*translation[: gaps[surplus - 1]], *original] if surplus > 0 else original


def _iso(block: _Block, source: Source) -> str | None:
    """The time in ISO 8601 without a zone; None if no such time exists, which is reported."""
    try:
        return datetime.strptime(block.stamp, "%b %d, %Y %I:%M:%S %p").isoformat()
    except ValueError:
        source.problem(f"no such time: {block.stamp}; {NO_TIME}", block.line)
        return None


FORMAT = Format(
    "imessage",
    "imessage-exporter's text files, one chat per file",
    "on a Mac, with imessage-exporter (github.com/ReagentX/imessage-exporter): imessage-exporter -f txt",
    frozenset({".txt"}),
    _matches,
    _read,
)
