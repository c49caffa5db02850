"""Markdown transcripts: `## You`, `### User (2026-02-14 10:04)`, `**Ann:** hi`, `**Ann** (10:04): hi`."""

from collections.abc import Iterator

from evermem_cli.memory import Transcript
from evermem_cli.transcripts.plain.dialogue import Page, Preamble, best_style, page, read_dialogue
from evermem_cli.transcripts.plain.heads import BOLD, HEADING, PLAIN, heads
from evermem_cli.transcripts.plain.sections import key_of, note
from evermem_cli.transcripts.source import Format, Source
from evermem_cli.transcripts.speakers import is_role
from evermem_cli.transcripts.times import find_day

GUESS = "what stands above the first message is a note of yours"

_STYLES = (HEADING, BOLD)


def _matches(source: Source) -> bool:
    if source.is_json:
        return False
    lines = page(source).lines
    return best_style(lines, _STYLES) is not None and best_style(lines, (*_STYLES, PLAIN)) is not PLAIN


def names_roles(source: Source) -> bool:
    """Whether heads name the user and the assistant, as in a saved chat."""
    lines = page(source).lines
    style = best_style(lines, _STYLES)
    return style is not None and any(is_role(head.name) for head in heads(lines, style))


def _read(source: Source) -> Iterator[Transcript]:
    text = page(source)
    style = best_style(text.lines, _STYLES)
    if style:
        message_heads = heads(text.lines, style)
        yield from _above(source, text, text.lines[: message_heads[0].row])
        yield from read_dialogue(source, "markdown", text, message_heads)


def _above(source: Source, text: Page, lines: list[str]) -> Iterator[Transcript]:
    """What stands above the messages as a note of the owner, unless it only has a title and fields."""
    above = Preamble.of(lines)
    if above.words:
        day = text.day or find_day("\n".join(lines))
        page_above = Page({"title": text.title or above.title}, lines, day=day, moment=text.moment)
        yield from note(source, page_above, key_of(source), [GUESS])
    else:
        above.count_fields(source)


FORMAT = Format(
    "markdown",
    "Markdown with a heading or bold name per message",
    "save the chat as Markdown with `## You` or `**Ann:**` before each message",
    frozenset({".md", ".markdown"}),
    _matches,
    _read,
)
