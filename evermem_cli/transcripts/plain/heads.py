"""Finds the speakers in running text: heads like `Ann: hi`, `[10:04] Ann: hi`, `**User:** hi` or `## You`."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evermem_cli.memory import Role
from evermem_cli.transcripts.speakers import is_role, names_oneself, role_of
from evermem_cli.transcripts.times import DAY, STAMP

MIN_HEADS = 2  # one line with a colon is not a chat
DENSE = 0.6  # share of heads among the non-empty lines from which on a name that occurs once counts as a speaker
NAME_WORDS = 4  # maximum words of such a name

_HAS_DAY = re.compile(DAY)
_FENCE = re.compile(r"\s{0,3}(?:[^`~]{0,80}[:：]\**\s*)?(`{3,}|~{3,})[^`]*\Z")

# Words before a colon that introduce content and do not name a speaker.
_LABELS = frozenset(
    """
    address|agenda|answer|attachment|attendees|bcc|cc|caution|comment|conclusion|cons|context|created|date|description
    details|due|e.g.|edit|email|example|fact|from|fyi|goal|goals|hint|how|http|https|i.e.|idea|important|info|ingredients
    instructions|link|links|location|nb|next steps|note|notes|option|options|output|p.s.|participants|phone|place|plan
    problem|pros|ps|question|re|reason|reminder|result|results|solution|source|sources|step|steps|subject|summary|tel
    time|tip|tips|title|tl;dr|tldr|to|to do|todo|topic|total|update|url|warning|what|when|where|who|why
    备注|注意|地址|电话|时间|地点|日期|主题|标题|问题|原因
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)

# A name has no punctuation of sentences. Any script, initials ("Dr. O'Neil") and emoji are allowed.
_NAME = r"""(?P<name>(?![\s\-–—•+.'’()@&_~])[^:：\[\]<>{}|\\/"“”*`#=;!?,。，！？；、\t\n]{1,40}?)"""
_STATED_NAME = r"(?P<name>[^\s:：\[\]*][^:：\n\[\]*]{0,39}?)"  # beside a time the label may have any form
_COLON = r"\s*(?::(?=\s|\Z)|：)"
_TEXT = r"\s*(?P<text>.*)"
_BEFORE = rf"(?:[\[(](?P<boxed>{STAMP})[\])]|(?P<bare>{STAMP}))"
_AFTER = rf"(?:\s*[\[(](?P<after>{STAMP})[\])])?"
_DASH = r"\s*(?:[-–—|]\s*|:\s+)?"
_BULLET = r"\s{0,3}(?:[-*+]\s+)?"


@dataclass(frozen=True, slots=True)
class Style:
    """A style of heads. Only a line with `mark` can be one; the first matching pattern of `patterns` counts.

    Where the head is the whole line, `longest` limits its length, so that long lines are not searched.
    """

    mark: str
    patterns: tuple[re.Pattern[str], ...]
    longest: int | None = None


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.DOTALL) for pattern in patterns)


PLAIN = Style(
    "",
    _compiled(
        rf"\s{{0,3}}(?=[\[(\d]){_BEFORE}{_DASH}{_STATED_NAME}{_COLON}{_TEXT}",
        rf"\s{{0,3}}{_NAME}{_AFTER}{_COLON}{_TEXT}",
    ),
)
BOLD = Style(
    "**",
    _compiled(
        rf"{_BULLET}(?:\*\*)?{_BEFORE}{_DASH}(?:\*\*)?{_NAME}(?:\s*[:：]\s*\*\*|\*\*\s*[:：]){_TEXT}",
        rf"{_BULLET}\*\*{_NAME}{_AFTER}\s*(?:[:：]\s*\*\*|\*\*\s*[:：]){_TEXT}",
        rf"{_BULLET}\*\*{_NAME}\*\*{_AFTER}(?:{_COLON}{_TEXT}|\s*\Z)",
    ),
)
HEADING = Style(
    "#",
    _compiled(
        rf"(?P<level>#{{1,6}})\s+(?:\*\*)?{_NAME}(?:{_AFTER}|\s*[-–—|@]\s*(?P<boxed>{STAMP}))\s*[:：]?\s*(?:\*\*)?\s*#*\s*\Z"
    ),
    longest=120,
)


class Head(NamedTuple):
    """The head of a message in line `row`, from 0. `sure` if it has a time, and so is more than a word and a colon.

    `level` has the marks of a heading, "" where it is none.
    """

    row: int
    name: str
    stamp: str | None
    text: str
    sure: bool
    level: str


def heads(lines: Sequence[str], style: Style) -> list[Head]:
    """The heads of `style` in `lines`, without fenced code; [] where the lines are not a chat in that style.

    Headings are heads of messages only on the levels on which one is certainly a head; others divide a message.
    """
    code = fenced(lines)
    candidates = []
    for index, line in enumerate(lines):
        if style.mark in line and index not in code and (head := _head(index, line, style)):
            candidates.append(head)
    levels = {head.level for head in candidates if head.sure or is_role(head.name)}
    candidates = [head for head in candidates if not levels or head.level in levels]
    dense = len(candidates) >= DENSE * sum(map(bool, lines))
    opening = next((index for index, line in enumerate(lines) if line), None)
    opened = [head for head in candidates if head.row == opening and (head.sure or is_role(head.name))]
    accepted = _accepted(candidates, dense=dense, is_chat=bool(style.mark or opened))
    if len(accepted) >= MIN_HEADS and (dense or _is_talk(accepted)):
        return accepted
    return opened


def _head(index: int, line: str, style: Style) -> Head | None:
    if style.longest and len(line) > style.longest:
        return None
    for pattern in style.patterns:
        if match := pattern.match(line):
            break
    else:
        return None
    groups = match.groupdict()
    name, bare = groups["name"].strip(), groups.get("bare")
    stamp = groups.get("boxed") or groups.get("after") or bare
    sure = stamp is not None and ":" in stamp and (stamp != bare or _HAS_DAY.match(stamp) is not None)
    if not (sure or any(map(str.isalpha, name))):
        return None
    return Head(index, name, stamp, groups.get("text") or "", sure, groups.get("level") or "")


def _is_talk(candidates: list[Head]) -> bool:
    """Whether there are more candidates than an occasional word with a colon."""
    return len({head.name for head in candidates}) > 1 or any(head.sure or is_role(head.name) for head in candidates)


def _accepted(candidates: list[Head], *, dense: bool, is_chat: bool) -> list[Head]:
    """The candidates that are heads of this chat. `is_chat`: a role among them is certainly no word of a sentence.

    Where most heads have a time, the others must name the same speakers; where few have one, those may be quoted lines.
    """
    names = _speakers(candidates, dense=dense)
    if is_chat:
        names |= _answering(candidates, names)
    weak = [head for head in candidates if head.name in names]
    sure = [head for head in candidates if head.sure]
    if len(sure) * 2 < len(weak):
        return weak
    stated = {head.name for head in sure}
    return [head for head in candidates if head.sure or head.name in stated]


def _speakers(candidates: list[Head], *, dense: bool) -> set[str]:
    """The names that are speakers: roles, names that occur twice and, if heads are `dense`, names that occur once.

    Where both the user and an assistant speak under these labels, nobody else does, since answers have many colons.
    """
    counts = Counter(head.name for head in candidates)
    roles = {name for name in counts if is_role(name)}
    if {Role.USER, Role.ASSISTANT} <= {role_of(name) for name in roles}:
        return roles
    names = [name for name in counts if name.casefold() not in _LABELS]
    often = {name for name in names if counts[name] >= MIN_HEADS}
    once = {name for name in names if dense and len(names) >= MIN_HEADS and _looks_like_a_name(name)}
    return roles | often | once


def _answering(candidates: list[Head], speakers: set[str]) -> set[str]:
    """Who talks to the user where no other speaker is known: the one name beside the user's label.

    Below headings it may be several names, unless the label is that of a note, too: "## Me", "## Family", "## Work".
    """
    if {role_of(name) for name in speakers} != {Role.USER}:
        return set()
    labels = {head.name for head in candidates if not head.name[0].islower()} - speakers
    names = {name for name in labels if name.casefold() not in _LABELS and _looks_like_a_name(name)}
    several = candidates[0].level and not all(map(names_oneself, speakers))
    return names if len(names) == 1 or several else set()


def _looks_like_a_name(name: str) -> bool:
    """Whether a label is one word, or a few of which the first and last are not in lower case."""
    words = name.split()
    return len(words) == 1 or (len(words) <= NAME_WORDS and not (words[0][0].islower() or words[-1][0].islower()))


def fenced(lines: Sequence[str]) -> set[int]:
    """The indexes of lines in fenced code, closing fences included. A fence that is never closed is ignored."""
    inside: set[int] = set()
    opened: tuple[int, str] | None = None
    for index, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        if opened is None:
            match = _FENCE.match(line)
            opened = (index, match[1]) if match else None
        elif line.strip().startswith(opened[1]) and not line.strip().strip(opened[1][0]):
            inside.update(range(opened[0] + 1, index + 1))
            opened = None
    return inside
