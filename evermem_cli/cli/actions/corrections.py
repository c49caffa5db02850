"""The repair commands: what they do, as JSON documents and as screens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType

from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.confirmation import answer
from evermem_cli.cli.shared.formatting import DIM, counted, day, heading
from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import joined, styled
from evermem_cli.memory import Action, ActionKind, Correction, Message, NameOwnership, Role, Undoing
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.repair.owner_names import OwnerNames

NAMED = 8  # people or chats named on one line
FORMAT = "evermem"
NOBODY = "nobody in your chats between people is you"
NAMELESS = "your exports say which messages are yours, and not what you are called"
SAYS_WHO = f"{NOBODY}: `evermem me NAME` says who is"
SAYS_NAME = f"{NAMELESS}: `evermem me NAME` says it"


@dataclass(frozen=True, slots=True)
class StoredNote:
    """A stored note, and whether it is new."""

    message: Message
    new: bool


def owner_names(session: Session) -> OwnerNames:
    """The names of the memory's owner."""
    from evermem_cli.repair.owner_names import OwnerNames

    store, user = session.store, session.settings.user
    store.refuse_agent()
    return OwnerNames(store, session.consolidation, user)


def who_are_you(session: Session, action: Action, *, ask: bool) -> None:
    """If nobody in the chats is the owner, or the owner has no name, asks on a terminal; elsewhere says how to tell."""
    owner = owner_names(session)
    unclaimed, is_stated = owner.unclaimed(), owner.is_only_stated()
    if owner.known().names or not (unclaimed or is_stated):
        return
    people = _named(unclaimed)
    if not (ask and sys.stdin.isatty() and session.stderr.is_terminal):
        session.note(SAYS_NAME if is_stated else f"{SAYS_WHO} ({people})")
        return
    session.note(f"{NAMELESS}." if is_stated else f"Who are you in these chats? {people}")
    while name := answer(f"Your name, or Enter for none{' of them' * (not is_stated)}:"):
        if _owns(session, owner, name, action):
            break


def _owns(session: Session, owner: OwnerNames, name: str, action: Action) -> bool:
    from evermem_cli.errors import UsageError

    try:
        owner.assign([name], action)
    except UsageError as error:
        session.note(f"{error.message}: {error.hint}")
        return False
    return True


def me_document(user: str, known: NameOwnership, changed: int) -> Document:
    """`me --json`: names with their numbers of messages."""
    return {"user_id": user, "names": known.names, "others": known.others, "messages_changed": changed}


def me_screen(known: NameOwnership, changed: int | None, *, is_stated: bool) -> RenderableType:
    """The owner's names, everybody else's, and how many messages changed hands.

    `is_stated`: only exports say which messages are the owner's.
    """
    if not known.names and not known.others:
        return styled("there are no chats between people yet; chats with assistants are yours")
    nameless = SAYS_NAME if is_stated else SAYS_WHO
    lines = [styled(f"you are {_spoken(known.names)}" if known.names else nameless)]
    if known.others:
        lines.append(styled(f"others: {_spoken(known.others)}", DIM))
    if changed is not None:
        lines.append(styled(f"{counted(changed, 'messages')} reassigned" if changed else "nothing was changed", DIM))
    return Group(*lines)


def remember(session: Session, text: str) -> StoredNote:
    """Stores a statement of the owner and reads it."""
    from evermem_cli.ingest import Ingestion
    from evermem_cli.intake.identity import OWN_NOTES
    from evermem_cli.intake.reports import Choice
    from evermem_cli.repair.remembering import NoteAuthor, note_text, store_note

    note, store, settings = note_text(text), session.store, session.settings
    store.refuse_agent()
    if store.exists:
        session.of_owner()
    action = Action(kind=ActionKind.REMEMBER)
    ingestion = Ingestion(
        store, session.embedder, settings, lambda *_: None, Choice(again=True), action=action
    )  # fmt: skip
    ingestion.prepare()
    author = NoteAuthor(
        key=OWN_NOTES,
        title="Told by you",
        format=FORMAT,
        id=settings.user,
        speaker=own_name(session),
        role=Role.USER,
    )
    message, new = store_note(ingestion, author, note, datetime.now(session.zone))
    session.form()
    return StoredNote(message, new)


def own_name(session: Session) -> str:
    """The owner's name: that of the settings, else the name with the most messages."""
    with session.store.read() as reader:
        return session.settings.me or reader.names.owner_name(session.settings.user)


def remember_document(note: StoredNote) -> Document:
    """`remember --json`."""
    return {
        "id": note.message.id,
        "new": note.new,
        "told_by": note.message.speaker,
        "said_at": plain(note.message.said_at),
    }


def remember_screen(note: StoredNote) -> RenderableType:
    """What was remembered."""
    head = "remembered" if note.new else "known already"
    return joined(f"{head}: {one_line(note.message.text)}", (f"\n  {note.message.id}", DIM))


def correct(session: Session, prefix: str, text: str) -> Correction:
    """Replaces a wrong memory with the owner's statement."""
    from evermem_cli.repair.correcting import Correcting
    from evermem_cli.repair.remembering import note_text

    store, speaker = session.store, own_name(session)
    store.refuse_agent()
    with store.read() as reader:  # before a model is loaded
        reader.corrections.resolved(prefix, session.settings.user)
    correcting = Correcting(store, session.embedder, session.settings, speaker, session.engines.tagger, session.form)
    return correcting.correct(prefix, note_text(text), datetime.now(session.zone))


def correction_document(corrected: Correction) -> Document:
    """`correct --json`, and an entry of `list corrections --json`."""
    return {
        "id": corrected.id,
        "memory_id": corrected.memory_id,
        "kind": corrected.kind,
        "user_id": corrected.user_id or None,
        "attribute": corrected.attribute or None,
        "wrong": corrected.wrong,
        "stated": corrected.stated,
        "message_id": corrected.statement_id,
        "corrected_at": plain(corrected.corrected_at),
    }


def correction_screen(corrected: Correction) -> RenderableType:
    """The wrong memory and its correction."""
    kind = {"episode": "title"}.get(corrected.kind, corrected.kind)
    what = heading(corrected.attribute) if corrected.attribute else kind
    return Group(
        joined(f"{what}: ", (one_line(corrected.wrong), DIM), " → ", (one_line(corrected.stated), "bold")),
        styled(f"  {corrected.memory_id}", DIM),
    )


def list_corrections(session: Session, as_json: bool) -> None:
    """Shows the corrections, oldest first."""
    with session.store.read() as reader:
        corrections = reader.corrections.of(session.settings.user)
    document = {"corrections": [correction_document(correction) for correction in corrections]}
    screen = Group(*map(correction_screen, corrections)) if corrections else styled("no corrections")
    show(document, screen, as_json=as_json)


def undoing(undo: Undoing, zone: tzinfo) -> str:
    """The action to undo, in words."""
    at = undo.action.done_at.astimezone(zone)
    return f"{_WORDS[undo.action.kind](undo)} ({day(at, zone)}, {at:%H:%M})"


def take_back(session: Session, undo: Undoing) -> None:
    """Undoes the last action."""
    from evermem_cli.repair.undoing import Undo

    Undo(session.store, session.consolidation).run(undo)


def undo_document(undo: Undoing, dry_run: bool) -> Document:
    """`undo --json`."""
    return {
        "dry_run": dry_run,
        "action": undo.action.kind.value,
        "done_at": plain(undo.action.done_at),
        "messages_removed": undo.messages,
        "conversations": list(undo.chats),
        "restored": undo.changed,
        "texts": [{"removed": gone, "restored": back} for gone, back in undo.texts],
    }


def undo_screen(undo: Undoing, zone: tzinfo, dry_run: bool) -> RenderableType:
    """What was, or would be, undone."""
    return styled(f"{'would undo' if dry_run else 'undone'}: {undoing(undo, zone)}")


def _ingest(undo: Undoing) -> str:
    older = f", and {counted(undo.changed, 'older messages')} are as before" if undo.changed else ""
    chats = f" of {_named(undo.chats)}" if undo.chats else ""
    said = counted(undo.messages, "messages")
    return f"the ingest: {said}{chats} and all that was derived from them are removed{older}"


def _remember(undo: Undoing) -> str:
    return f"remembering {', '.join(_quoted(gone) for gone, _ in undo.texts)}"


def _correct(undo: Undoing) -> str:
    said = "; ".join(f"{_quoted(gone)} is removed, {_quoted(back)} restored" for gone, back in undo.texts)
    return f"the correction: {said}"


def _me(undo: Undoing) -> str:
    hands = ", ".join(
        f"{one_line(name)} is {'somebody else' if back == name else 'you' if back else 'not what you are called'} again"
        for name, back in undo.texts
    )
    return f"who you are: {hands} ({counted(undo.changed, 'messages')})"


def _merge(undo: Undoing) -> str:
    apart = [f"{one_line(gone)} are two people again" for gone, _ in undo.texts if gone]
    together = [f"{one_line(back)} are one person again" for _, back in undo.texts if back]
    return f"the {undo.action.kind} of people: {', '.join([*apart, *together])}"


def _privacy(undo: Undoing) -> str:
    return f"the change of privacy of {counted(undo.changed, 'memories')}"


_WORDS = {
    ActionKind.INGEST: _ingest,
    ActionKind.REMEMBER: _remember,
    ActionKind.CORRECT: _correct,
    ActionKind.ME: _me,
    ActionKind.MERGE: _merge,
    ActionKind.SPLIT: _merge,
    ActionKind.PRIVACY: _privacy,
}


def _quoted(text: str) -> str:
    return f"“{one_line(text)}”"


def _spoken(names: dict[str, int]) -> str:
    """Names with their numbers of messages, most first."""
    said = [f"{one_line(name)} ({counted(count, 'messages')})" for name, count in names.items()]
    more = [f"and {len(said) - NAMED} more"] * (len(said) > NAMED)
    return ", ".join([*said[:NAMED], *more])


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
    return ", ".join(map(one_line, names[:NAMED])) + more
