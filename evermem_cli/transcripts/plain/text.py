"""Plain text: `[2024-03-06 09:14] Ann: hi`, `2024-03-06 09:14 - Ann: hi`, `[09:14] Ann: hi`, `Ann: hi`."""

from collections.abc import Iterator

from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.plain.dialogue import Preamble, page, read_dialogue
from evermem_cli.transcripts.plain.heads import PLAIN, heads
from evermem_cli.transcripts.source import Format, Source


def _matches(source: Source) -> bool:
    return not source.is_json


def _read(source: Source) -> Iterator[Transcript]:
    """The conversation. A text without heads is rejected, but with `--format text` it is one note of the user."""
    text = page(source)
    if message_heads := heads(text.lines, PLAIN):
        above = Preamble.of(text.lines[: message_heads[0].row])
        above.count_fields(source)
        if above.words:
            lost = len(above.words)
            source.problem(f"{lost} lines above the first message have no speaker and are left out", above.words[0] + 1)
        yield from read_dialogue(source, "text", text, message_heads)
    elif source.options.format == "text":
        note = MessageDraft("me", "\n".join(text.lines), role=Role.USER, line=1)
        yield from assemble(Chat("text", [note], key=text.key, title=text.title, day=text.day), source)


FORMAT = Format(
    "text",
    "plain text, a name before each message",
    "copy or type the chat with `Ann: ` or `[2024-03-06 09:14] Ann: ` before each message",
    frozenset({".txt", ".text", ".log"}),
    _matches,
    _read,
)
