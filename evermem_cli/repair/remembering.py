"""Notes: statements stored directly, each as a message in a conversation of its author."""

from dataclasses import dataclass
from datetime import datetime

from evermem_cli.errors import UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.chosen import Incoming
from evermem_cli.intake.identity import conversation_of_key, identify
from evermem_cli.intake.reports import InputReport
from evermem_cli.memory import ChatKind, Message, Role, Transcript, Turn, content_id
from evermem_cli.transcripts.cleaning import clean


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAuthor:
    """The author of notes and the conversation that keeps them.

    `id` distinguishes several authors in one conversation.
    """

    key: str
    title: str
    format: str
    id: str
    speaker: str
    role: Role


def note_text(text: str) -> str:
    """The text without characters that do not belong in a message. Raises UsageError where it has no words."""
    cleaned = clean(text).strip()
    if not any(character.isalnum() for character in cleaned):
        raise UsageError("the text has no words", "say what to remember")
    return cleaned


def store_note(ingestion: Ingestion, author: NoteAuthor, text: str, now: datetime) -> tuple[Message, bool]:
    """Stores a note and makes it searchable; the message, and whether it is new to its author's notes.

    Raises StoreError, StoreBusy.
    """
    turn = Turn(
        speaker=author.speaker,
        role=author.role,
        text=text,
        sent_at=now,
        external_id=content_id("told", author.id, text),
    )
    transcript = Transcript(
        format=author.format, kind=ChatKind.ASSISTANT, turns=(turn,), key=author.key, title=author.title
    )
    report, user = InputReport(path="-"), ingestion.settings.user
    ingestion.take_in([Incoming(transcript, report)])
    (message,) = identify(transcript, conversation_of_key(author.key, user), user, ())[1]
    return message, report.new_messages > 0
