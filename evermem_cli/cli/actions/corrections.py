"""What the commands of repairing do and say: each as a JSON document and as a screen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType

from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.formatting import DIM, counted, day
from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import joined, styled
from evermem_cli.memory import Action, ActionKind, Assertion, Correction, Message, Owned, Role, Undoing
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.repair.owning import Owning

NAMED = 8  # people, or chats, that a line names
FORMAT = "evermem"
NOBODY = "nobody in your chats of people is you"


@dataclass(frozen=True, slots=True)
class Told:
    """A statement as it was taken in, whether it is new, and what was read of it."""

    message: Message
    new: bool
    assertions: Sequence[Assertion]


def owning(session: Session) -> Owning:
    """Who the owner of memory is."""
    from evermem_cli.repair.owning import Owning

    store, user = session.store, session.settings.user
    store.refuse_agent()
    return Owning(store, lambda: session.consolidation, user)


def who_are_you(session: Session, action: Action, *, ask: bool) -> None:
    """Where nobody in the chats is the owner: asks on a terminal who is, and says elsewhere how to tell."""
    found = owning(session)
    known = found.known()
    if known.names or not known.others:
        return
    people = _named(list(known.others))
    if not (ask and sys.stdin.isatty() and session.stderr.is_terminal):
        session.note(f"{NOBODY}: `evermem me NAME` says who is ({people})")
        return
    session.note(f"Who are you in these chats? {people}")
    while name := input("Your name, or Enter for none of them: ").strip():
        if _owns(session, found, name, action):
            break


def _owns(session: Session, found: Owning, name: str, action: Action) -> bool:
    from evermem_cli.errors import UsageError

    try:
        found.own([name], action)
    except UsageError as error:
        session.note(f"{error.message}: {error.hint}")
        return False
    return True


def me_document(user: str, known: Owned, changed: int) -> Document:
    """`me --json`: names with how many messages each has."""
    return {"user_id": user, "names": known.names, "others": known.others, "messages_changed": changed}


def me_screen(known: Owned, changed: int | None) -> RenderableType:
    """Who the owner is, who else speaks, and how many messages have changed hands."""
    if not known.names and not known.others:
        return styled("there are no chats of people yet; chats with assistants are yours")
    said = _spoken(known.names)
    lines = [styled(f"you are {said}" if known.names else f"{NOBODY} yet: `evermem me NAME` says who is")]
    if known.others:
        lines.append(styled(f"others: {_spoken(known.others)}", DIM))
    if changed is not None:
        lines.append(styled(f"{counted(changed, 'messages')} changed hands" if changed else "as it was before", DIM))
    return Group(*lines)


def remember(session: Session, text: str) -> Told:
    """Takes in what the owner says now, and reads it."""
    from evermem_cli.ingest import Ingestion
    from evermem_cli.intake.reports import Choice
    from evermem_cli.repair.telling import Teller, tell, worded

    told, store, settings = worded(text), session.store, session.settings
    store.refuse_agent()
    if store.exists:
        session.of_owner()
    action = Action(kind=ActionKind.REMEMBER)
    ingestion = Ingestion(
        store, session.embedder, settings, lambda *_: None, Choice(again=True), action=action
    )  # fmt: skip
    ingestion.prepare()
    teller = Teller(
        key="told-by-me",
        title="Told by you",
        format=FORMAT,
        id=settings.user,
        speaker=own_name(session),
        role=Role.USER,
    )
    message, new = tell(ingestion, teller, told, datetime.now(session.zone))
    session.annotate()
    with store.read() as reader:
        read = [each for each in reader.assertions(owner=settings.user) if message.id in each.message_ids]
    return Told(message, new, read)


def own_name(session: Session) -> str:
    """The owner's name: that of the settings, else the one that most is said under."""
    with session.store.read() as reader:
        known = reader.owned(session.settings.user).names
    return session.settings.me or next(iter(known), "User")


def remember_document(told: Told) -> Document:
    """`remember --json`."""
    return {
        "id": told.message.id,
        "new": told.new,
        "told_by": told.message.speaker,
        "said_at": plain(told.message.said_at),
        "assertions": [
            {"id": each.id, "attribute": each.attribute, "value": each.value, "stance": each.stance.value}
            for each in told.assertions
        ],
    }


def remember_screen(told: Told) -> RenderableType:
    """That it is remembered, and what was read of it."""
    head = "remembered" if told.new else "known already"
    read = [f"  {each.attribute}: {each.value} ({each.stance.value})" for each in told.assertions]
    return Group(styled(f"{head}: {one_line(told.message.text)}"), *map(styled, read), styled(told.message.id, DIM))


def correct(session: Session, prefix: str, text: str) -> Correction:
    """Puts what the owner states in the place of a wrong memory."""
    from evermem_cli.repair.correcting import Correcting
    from evermem_cli.repair.telling import worded

    store, speaker = session.store, own_name(session)
    correcting = Correcting(store, session.embedder, session.settings, speaker, session.annotate)
    return correcting.correct(prefix, worded(text), datetime.now(session.zone))


def correction_document(corrected: Correction) -> Document:
    """`correct --json`, and a row of `list corrections --json`."""
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
    """What was wrong, and what is right."""
    what = corrected.attribute or {"episode": "title"}.get(corrected.kind, corrected.kind)
    return Group(
        joined(f"{what}: ", (one_line(corrected.wrong), DIM), " → ", (one_line(corrected.stated), "bold")),
        styled(f"  {corrected.memory_id}", DIM),
    )


def list_corrections(session: Session, as_json: bool) -> None:
    """Shows what was corrected, oldest first."""
    with session.store.read() as reader:
        found = reader.corrections(session.settings.user)
    document = {"corrections": [correction_document(each) for each in found]}
    show(document, Group(*map(correction_screen, found)) if found else styled("none"), as_json=as_json)


def undoing(found: Undoing, zone: tzinfo) -> str:
    """What would be taken back, in words."""
    at = found.action.done_at.astimezone(zone)
    return f"{_WORDS[found.action.kind](found)} ({day(at, zone)}, {at:%H:%M})"


def take_back(session: Session, found: Undoing) -> None:
    """Takes it back."""
    from evermem_cli.repair.undoing import Undo

    Undo(session.store, lambda: session.consolidation).run(found)


def undo_document(found: Undoing, dry_run: bool) -> Document:
    """`undo --json`."""
    return {
        "dry_run": dry_run,
        "action": found.action.kind.value,
        "done_at": plain(found.action.done_at),
        "messages_removed": found.messages,
        "conversations": list(found.chats),
        "restored": found.changed,
        "texts": [{"removed": gone, "restored": back} for gone, back in found.texts],
    }


def undo_screen(found: Undoing, zone: tzinfo, dry_run: bool) -> RenderableType:
    """What was, or would be, taken back."""
    return styled(f"{'would undo' if dry_run else 'undone'}: {undoing(found, zone)}")


def _ingest(found: Undoing) -> str:
    older = f", and {counted(found.changed, 'older messages')} as they were" if found.changed else ""
    chats = f" of {_named(found.chats)}" if found.chats else ""
    return f"the ingest: {counted(found.messages, 'messages')}{chats} go, with all that was drawn from them{older}"


def _remember(found: Undoing) -> str:
    return f"remembering {', '.join(_quoted(gone) for gone, _ in found.texts)}"


def _correct(found: Undoing) -> str:
    said = "; ".join(f"{_quoted(gone)} goes, {_quoted(back)} comes back" for gone, back in found.texts)
    return f"the correction: {said}"


def _me(found: Undoing) -> str:
    hands = ", ".join(
        f"{one_line(name)} is {'somebody else' if back == name else 'you'} again" for name, back in found.texts
    )
    return f"who you are: {hands} ({counted(found.changed, 'messages')})"


def _merge(found: Undoing) -> str:
    apart = [f"{one_line(gone)} is taken apart" for gone, _ in found.texts if gone]
    together = [f"{one_line(back)} again" for _, back in found.texts if back]
    return f"the {found.action.kind} of people: {', '.join([*apart, *together])}"


def _privacy(found: Undoing) -> str:
    return f"the change of privacy of {counted(found.changed, 'memories')}"


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
    """Names with how much each says, the most first."""
    said = [f"{one_line(name)} ({counted(count, 'messages')})" for name, count in names.items()]
    more = [f"and {len(said) - NAMED} more"] * (len(said) > NAMED)
    return ", ".join([*said[:NAMED], *more])


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
    return ", ".join(map(one_line, names[:NAMED])) + more
