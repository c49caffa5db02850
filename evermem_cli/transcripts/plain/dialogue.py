"""Builds a conversation from lines and the heads in them; shared by plain text and Markdown."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

from evermem_cli.memory import Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.plain.heads import Head, Style, fenced, heads
from evermem_cli.transcripts.source import Source
from evermem_cli.transcripts.speakers import is_role
from evermem_cli.transcripts.times import DAY, STAMP, AmbiguousDateError, StampReader, find_day, is_undated

DAY_LINE_LENGTH = 60  # maximum length of a line that is only a date
FIELDS = "lines about the chat, above its first message"
FRONT_MATTER_LINES = 100  # lines within which front matter ends; a `---` further down is a rule

_CHAT_ID = ("conversation_id", "session_id", "thread_id", "id")
_DAY_FIELDS = ("date", "created", "created_at", "date created")
_DAY_LINE = re.compile(rf"[#\s*=_–—-]*(?:\w+,? )?({DAY})[#\s*:=_–—-]*")
_FIELD = re.compile(r"[A-Za-z][\w -]*(?::(?: |$)|=)")
_RULE = re.compile(r"[-*_=]{3,}")
_NO_WORDS = re.compile(rf"[-*_=]{{3,}}\Z|\W*{DAY}\W*\Z")
_ABOUT = re.compile(r"#{1,6}\s|(?!\s*[-*+]\s)\W*\w[\w ]{0,30}[*_]*[:：]")
_ENDS = (".", "!", "?", "…", "。", "！", "？")
_EVENT = re.compile(rf"\s{{0,3}}(?:\[{STAMP}\]|{DAY}(?:T|,? )\d{{1,2}}:\d\d[\d:]* [-–—]) ")
_HAS_DAY = re.compile(DAY)


@dataclass(frozen=True, slots=True)
class Page:
    """A text: the fields of its front matter, and all its lines, those of the front matter blank.

    `day` and `moment` are the date in the front matter, `moment` None where it has no time. `fault` tells what of front
    matter cannot be read, and why; "" otherwise. `matter` is the front matter as it is written.
    """

    fields: dict[str, str]
    lines: list[str]
    fault: str = ""
    day: date | None = None
    moment: str | None = None
    matter: str = ""

    @property
    def key(self) -> str | None:
        """The conversation's id in the front matter."""
        return next((self.fields[name] for name in _CHAT_ID if self.fields.get(name)), None)

    @property
    def title(self) -> str:
        """The title in the front matter."""
        return self.fields.get("title", "")


def page(source: Source) -> Page:
    """The text of `source`. Front matter is between two `---` (YAML) or `+++` (TOML), the first at the very top.

    Raises InputError for a date of which the order of day and month is unknown.
    """
    lines = source.text
    fence = lines[0]
    if fence not in _MATTERS:
        return Page({}, lines)
    if fence in lines[1:FRONT_MATTER_LINES]:
        end = lines.index(fence, 1)
        matter = "\n".join(lines[1:end])
        fields, fault = _MATTERS[fence](matter)
        text = Page(fields, [""] * (end + 1) + lines[end + 1 :], fault, matter=matter)
        return text if fault else _dated(text, source)
    is_open = len(lines) > 1 and _FIELD.match(lines[1])
    return Page({}, lines, f"front matter without a `{fence}` at its end; it is read as text" if is_open else "")


def _dated(text: Page, source: Source) -> Page:
    """`text` with the first date of its front matter that can be read, else with why none can."""
    fault = ""
    for stated in filter(None, map(text.fields.get, _DAY_FIELDS)):
        try:
            day = find_day(stated) or _day_of(stated, source)
        except AmbiguousDateError as error:
            if source.options.date is None:
                raise source.error(f"front matter: {error}", "or state the day with --date", line=1) from error
        except (ValueError, OverflowError) as error:
            fault = fault or f"front matter: {error}; it is left out"
        else:
            return replace(text, day=day, moment=stated if ":" in stated else None)
    return replace(text, fault=fault)


def _day_of(stated: str, source: Source) -> date:
    """The day of a date in any form. Raises ValueError if it is none."""
    if is_undated(stated):
        raise ValueError(f"no day: {stated}")
    return StampReader(source.options.tz, source.day, source.options.date_order).sent(stated)[0].date()


def _yaml(text: str) -> tuple[dict[str, str], str]:
    """The fields of front matter by lower-case name, and why it cannot be read, "" if it can."""
    import yaml

    try:
        parsed = yaml.load(text, Loader=yaml.BaseLoader)  # builds only strings, lists and objects from these
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 2}" if mark else ""
        return {}, f"front matter that is no YAML{place}; it is left out"
    fields = parsed.items() if isinstance(parsed, dict) else ()
    return {key.lower(): value.strip() for key, value in fields if isinstance(key, str) and isinstance(value, str)}, ""


def _toml(text: str) -> tuple[dict[str, str], str]:
    """Like `_yaml`, of front matter in TOML."""
    import tomllib

    try:
        parsed = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, f"front matter that is no TOML: {error}; it is left out"
    return {key.lower(): str(value).strip() for key, value in parsed.items() if isinstance(value, str | date)}, ""


_MATTERS: dict[str, Callable[[str], tuple[dict[str, str], str]]] = {"---": _yaml, "+++": _toml}


def best_style(lines: Sequence[str], styles: Sequence[Style]) -> Style | None:
    """The style of `styles` in which `lines` are a chat; None if they are in none.

    A style that names roles is preferred, then the one that begins first, since bold text within messages is no head.
    """
    candidates = [(style, heads(lines, style)) for style in styles]
    ranked = [(not any(is_role(head.name) for head in of), of[0].row, style) for style, of in candidates if of]
    return min(ranked, key=lambda rank: rank[:2])[2] if ranked else None


def read_dialogue(source: Source, name: str, text: Page, message_heads: Sequence[Head]) -> Iterator[Transcript]:
    """The conversation, in the format called `name`, of a text with these heads, without what stands above them."""
    if text.fault:
        source.problem(text.fault, 1)
    above = text.lines[: message_heads[0].row]
    chat = Chat(name, key=text.key, title=text.title or Preamble.of(above).title)
    chat.day = text.day or find_day("\n".join(above))
    chat.drafts = _drafts(text.lines, message_heads, source)
    yield from assemble(chat, source)


@dataclass(frozen=True, slots=True)
class Preamble:
    """What stands above the messages of a text: the title, and the other lines by their indexes.

    `fields` are headings and lines like "Model: gpt-4", `words` all that are neither. Rules and dates are in none.
    """

    title: str
    fields: tuple[int, ...]
    words: tuple[int, ...]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """The preamble in `lines`. Its title is the first heading, else the first words unless they are a sentence."""
        rows = [row for row, line in enumerate(lines) if line and not _NO_WORDS.match(line)]
        words = [row for row in rows if not _ABOUT.match(lines[row])]
        titles = [row for row, line in enumerate(lines) if line.startswith("#")]
        titles += [row for row in words[:1] if not lines[row].endswith(_ENDS)]
        title = next(iter(titles), None)
        return cls(
            "" if title is None else lines[title].strip("#*_=- "),
            tuple(row for row in rows if row not in words and row != title),
            tuple(row for row in words if row != title),
        )

    def count_fields(self, source: Source) -> None:
        """Counts the fields as left out."""
        source.skip(FIELDS, len(self.fields))


def _drafts(lines: Sequence[str], message_heads: Sequence[Head], source: Source) -> list[MessageDraft]:
    """One draft per head, with the lines up to the next. A line that is a date sets the day of the times below it."""
    code = fenced(lines)
    drafts = []
    day: str | None = None
    ends = [*(head.row for head in message_heads[1:]), len(lines)]
    for head, end in zip(message_heads, ends, strict=True):
        stamp = head.stamp
        if day and (stamp is None or not _HAS_DAY.match(stamp)):
            stamp = f"{day} {stamp}" if stamp else day
        text = [head.text]
        for index in range(head.row + 1, end):
            line = lines[index]
            if index not in code and len(line) <= DAY_LINE_LENGTH and (match := _DAY_LINE.fullmatch(line)):
                day = match[1]
            elif message_heads[0].sure and index not in code and _EVENT.match(line):
                source.problem("a time but no speaker; the line is left out", index + 1)
            else:
                text.append(line)
        drafts.append(MessageDraft(head.name, _without_rule("\n".join(text).strip()), stamp, line=head.row + 1))
    return drafts


def _without_rule(text: str) -> str:
    """`text` without a rule at its end, which only separates messages."""
    body, _, last = text.rpartition("\n")
    return body.rstrip() if body and _RULE.fullmatch(last) else text
