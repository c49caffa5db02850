"""Notes that an assistant adds to memory: its own words, under its own name, and only if the user allows it."""

from datetime import datetime

from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.session import Session
from evermem_cli.config import config_file
from evermem_cli.errors import UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Access, Action, ActionKind, Role
from evermem_cli.repair.remembering import NoteAuthor, note_text, store_note

FORMAT = "mcp"
SPEAKER = "{} (assistant)"  # no person in a chat has such a name, whatever an assistant calls itself


def remember(session: Session, text: str) -> Document:
    """Stores a note of the session's agent and logs it. A note that is stored already adds nothing.

    Raises UsageError where the user does not allow notes or the text has no words, StoreError, StoreBusy.
    """
    settings = session.settings
    if not settings.agents_may_remember:
        hint = f"only the user can allow notes: agents_may_remember = true in {config_file()}"
        raise UsageError("assistants may not add to this memory", hint)
    note, author = note_text(text), _author(settings.agent)
    message, new = store_note(_ingestion(session), author, note, datetime.now(session.zone))
    return {
        "id": message.id,
        "new": new,
        "told_by": message.speaker,
        "said_at": plain(message.said_at),
        "conversation": author.title,
    }


def _author(agent: str) -> NoteAuthor:
    """The agent as the author of notes, in the role of an assistant, so that no note counts as the user's words."""
    return NoteAuthor(
        key=f"told-by:{agent}",
        title=f"Told by {agent}",
        format=FORMAT,
        id=agent,
        speaker=SPEAKER.format(agent),
        role=Role.ASSISTANT,
    )


def _ingestion(session: Session) -> Ingestion:
    """Prepares the memory file for the note and logs the agent's access."""
    owner, settings = session.as_owner(), session.settings
    action = Action(kind=ActionKind.REMEMBER)
    ingestion = Ingestion(owner.store, owner.question_embedder, owner.settings, lambda *_: None, action=action)
    ingestion.prepare()
    reader = {"agent": settings.agent, "reason": settings.reason, "command": session.command}
    with owner.store.privacy(write=True) as opened:
        opened.log(Access(**reader, tiers=settings.privacy))
    return ingestion
