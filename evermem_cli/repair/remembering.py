"""A statement taken in directly, as a message of whoever tells it, in a conversation of its own."""

from dataclasses import dataclass
from datetime import datetime

from evermem_cli.errors import UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.identity import conversation_of_key, identify
from evermem_cli.intake.reports import InputReport
from evermem_cli.memory import ChatKind, Message, Role, Transcript, Turn, content_id
from evermem_cli.transcripts.cleaning import clean


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAuthor:
    """Who tells, and the conversation in which it is kept. `id` tells apart what several tell in one."""

    key: str
    title: str
    format: str
    id: str
    speaker: str
    role: Role


def note_text(text: str) -> str:
    """What is told, without what does not belong into a message. Raises UsageError where it has no words."""
    told = clean(text).strip()
    if not any(character.isalnum() for character in told):
        raise UsageError("the text has no words", "say what to remember")
    return told


def store_note(ingestion: Ingestion, author: NoteAuthor, told: str, now: datetime) -> tuple[Message, bool]:
    """Stores one message, and makes it searchable; what was told before adds nothing (False).

    Raises StoreError, StoreBusy.
    """
    turn = Turn(
        speaker=author.speaker,
        role=author.role,
        text=told,
        sent_at=now,
        external_id=content_id("told", author.id, told),
    )
    transcript = Transcript(
        format=author.format, kind=ChatKind.ASSISTANT, turns=(turn,), key=author.key, title=author.title
    )
    report, user = InputReport(path="-"), ingestion.settings.user
    ingestion.remember([(transcript, None)], report)
    (message,) = identify(transcript, conversation_of_key(author.key, user), user, ())[1]
    return message, report.new_messages > 0
