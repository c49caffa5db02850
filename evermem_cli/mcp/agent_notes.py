"""What an assistant adds to memory: its own words, under its own name, and only where the user allows it."""

from datetime import datetime

from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.session import Session
from evermem_cli.config import config_file
from evermem_cli.errors import UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Access, Action, ActionKind, Role
from evermem_cli.repair.remembering import NoteAuthor, note_text, store_note

FORMAT = "mcp"
SPEAKER = "{} (assistant)"  # nobody's name in a chat, whatever an assistant calls itself


def remember(session: Session, text: str) -> Document:
    """Stores one message of the session's agent, as told by it, and logs that. What it told before adds nothing.

    Raises UsageError where the user does not allow it or the text has no words, StoreError, StoreBusy.
    """
    settings = session.settings
    if not settings.agents_may_remember:
        hint = f"only the user can allow it: agents_may_remember = true in {config_file()}"
        raise UsageError("assistants may not add to this memory", hint)
    told, author = note_text(text), _author(settings.agent)
    message, new = store_note(_ingestion(session), author, told, datetime.now(session.zone))
    return {
        "id": message.id,
        "new": new,
        "told_by": message.speaker,
        "said_at": plain(message.said_at),
        "conversation": author.title,
    }


def _author(agent: str) -> NoteAuthor:
    """The assistant's part of a chat with it: nothing of what an assistant says is taken for the user's words."""
    return NoteAuthor(
        key=f"told-by:{agent}",
        title=f"Told by {agent}",
        format=FORMAT,
        id=agent,
        speaker=SPEAKER.format(agent),
        role=Role.ASSISTANT,
    )


def _ingestion(session: Session) -> Ingestion:
    """Makes memory ready to be added to, and logs who does."""
    owner, settings = session.as_owner(), session.settings
    action = Action(kind=ActionKind.REMEMBER)
    ingestion = Ingestion(owner.store, owner.question_embedder, owner.settings, lambda *_: None, action=action)
    ingestion.prepare()
    told = {"agent": settings.agent, "reason": settings.reason, "command": session.command}
    with owner.store.privacy(write=True) as opened:
        opened.log(Access(**told, tiers=settings.tiers))
    return ingestion
