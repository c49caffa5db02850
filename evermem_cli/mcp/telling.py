"""What an assistant adds to memory: its own words, under its own name, and only where the user allows it."""

from datetime import datetime

from evermem_cli.cli.documents import Document, plain
from evermem_cli.cli.session import Session
from evermem_cli.config import config_file
from evermem_cli.errors import UsageError
from evermem_cli.identity import conversation_of_key, identify
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Access, ChatKind, Role, Transcript, Turn, content_id
from evermem_cli.reports import InputReport
from evermem_cli.transcripts.cleaning import clean

FORMAT = "mcp"
SPEAKER = "{} (assistant)"  # nobody's name in a chat, whatever an assistant calls itself


def remember(session: Session, text: str) -> Document:
    """Stores one message of the session's agent, as told by it, and logs that. What it told before adds nothing.

    Raises UsageError where the user does not allow it or the text has no words, StoreError, StoreBusy.
    """
    settings, told = session.settings, clean(text).strip()
    if not settings.agents_may_remember:
        hint = f"only the user can allow it: agents_may_remember = true in {config_file()}"
        raise UsageError("assistants may not add to this memory", hint)
    if not any(character.isalnum() for character in told):
        raise UsageError("the text has no words", "say what to remember")
    transcript = _transcript(settings.agent, told, datetime.now(session.zone))
    report = _store(session, transcript)
    (message,) = identify(transcript, conversation_of_key(str(transcript.key), settings.user), settings.user, "")[1]
    return {
        "id": message.id,
        "new": report.new_messages > 0,
        "told_by": message.speaker,
        "said_at": plain(message.said_at),
        "conversation": transcript.title,
    }


def _transcript(agent: str, text: str, now: datetime) -> Transcript:
    """The assistant's part of a chat with it: nothing of what an assistant says is taken for the user's words."""
    turn = Turn(
        speaker=SPEAKER.format(agent),
        role=Role.ASSISTANT,
        text=text,
        sent_at=now,
        external_id=content_id("told", agent, text),
    )
    title = f"Told by {agent}"
    return Transcript(format=FORMAT, kind=ChatKind.ASSISTANT, turns=(turn,), key=f"told-by:{agent}", title=title)


def _store(session: Session, transcript: Transcript) -> InputReport:
    """Logs who writes, then makes it searchable."""
    owner, settings, report = session.as_owner(), session.settings, InputReport(path="-")
    ingestion = Ingestion(owner.store, owner.question_embedder, owner.settings, lambda *_: None)
    ingestion.prepare()
    told = {"agent": settings.agent, "reason": settings.reason, "command": session.command}
    with owner.store.privacy(write=True) as opened:
        opened.log(Access(**told, tiers=settings.tiers))
    ingestion.remember([(transcript, None)], report)
    return report
