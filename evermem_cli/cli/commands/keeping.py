"""Commands that keep memory, carry it elsewhere, or let it go: forget, restore, digest, export, import, backup,
and who may see it: privacy, access-log."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Db, Embedder, Json, User, moment
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.memory import Selection

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


class Level(StrEnum):
    """What `privacy` sets; `default` is the tier of the memory's domain."""

    PUBLIC = "public"
    SENSITIVE = "sensitive"
    PRIVATE = "private"
    DEFAULT = "default"


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    app.command()(forget)
    app.command()(restore)
    app.command()(digest)
    app.command()(export)
    app.command("import")(import_)
    app.command()(backup)
    app.command()(privacy)
    app.command("access-log")(access_log)


def forget(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids, or enough of their beginnings.")] = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Only in this conversation: its id or title.", show_default=False)
    ] = None,
    person: Annotated[str | None, typer.Option(help="Only what this person said.", show_default=False)] = None,
    before: Annotated[str | None, typer.Option(metavar="TIME", help="Only what was said before.")] = None,
    after: Annotated[str | None, typer.Option(metavar="TIME", help="Only what was said then or later.")] = None,
    matching: Annotated[
        list[str] | None, typer.Option(metavar="WORDS", help="Only what has all of these words.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much it would be.")] = False,
    yes: Yes = False,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Forget for good: messages, and all that rests on them."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    marks = {"conversation": conversation, "person": person, "words": tuple(matching or ())}
    selection = _selection(session, ids or [], before, after, **marks)
    gone = session.store.would_forget(selection)
    if not dry_run and not gone.nothing:
        confirm(f"Forget {upkeep.forgotten(gone)}, for good?", yes=yes)
        gone = session.forget(selection)
    show(upkeep.forget_document(gone, dry_run), upkeep.forget_screen(gone, dry_run), as_json=json)


def restore(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids, or enough of their beginnings.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Bring back what is archived: memories, or all of a MemCell or conversation."""
    from evermem_cli.cli.shared import formatting
    from evermem_cli.cli.shared.session import Session

    restored = Session.open(db=db).store.restore(ids)
    show({"restored": restored}, f"{formatting.counted(restored, 'memories')} restored", as_json=json)


def digest(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only this scene, conversation or digest.", show_default=False)
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="TIME", help="Topics that ended before; 90 days ago if left out.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take digests away; memory is as it was before them.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would be.")] = False,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Sum up old topics that belong together; search finds the digest in place of their episodes."""
    from evermem_cli.cli.actions import digests
    from evermem_cli.cli.presentation import documents, listings
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, user=user, db=db)
    found = digests.digests(session, memory_id, before, undo=undo, dry_run=dry_run)
    document = documents.digests(found, dry_run=dry_run, undo=undo)
    show(document, listings.digests(found, session.zone, dry_run=dry_run, undo=undo), as_json=json)


def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Not to stdout.", show_default=False)
    ] = None,
    include_private: Annotated[bool, typer.Option("--include-private", help="What is private, too.")] = False,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="All that can still be read of a damaged file, what is private too.")
    ] = False,
    force: Force = False,
    db: Db = None,
) -> None:
    """Print all that is remembered, one JSON object a line."""
    from evermem_cli import archive
    from evermem_cli.cli.shared.output import destination
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    tiers = None if include_private else session.settings.tiers
    with destination(output, session.store.drafted, force=force, spill=not session.store.is_encrypted) as out:
        if salvage:
            out.writelines(archive.salvage(session.store, session.note_lost))
        else:
            out.writelines(archive.export(session.store, tiers, session.note_left_out))


def import_(
    path: Annotated[str, typer.Argument(metavar="FILE", help="An export, or - for stdin.")],
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Take an export into a new memory file, all of it or nothing."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, db=db)
    taken = session.import_lines(path)
    show(upkeep.import_document(taken), upkeep.import_screen(taken, session.settings.db), as_json=json)


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Where the copy goes.")],
    force: Force = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Copy the memory file, also while it is written to, and check the copy."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    rows = session.store.backup(target.expanduser(), force=force)
    show(upkeep.backup_document(target, rows), upkeep.backup_screen(target, rows), as_json=json)


def privacy(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="A memory, MemCell or conversation.")],
    tier: Annotated[Level | None, typer.Argument(help="Its tier from now on.", show_default=False)] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show or set who may see a memory, the messages behind it included."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    settled = Session.open(db=db).privacy(memory_id, tier.value if tier else None)
    show(upkeep.privacy_document(settled), upkeep.privacy_screen(settled), as_json=json)


def access_log(
    agent: Annotated[str | None, typer.Option("--as", metavar="AGENT", help="Only of this agent.")] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show who has read, what for, and with which command."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    with session.store.privacy(write=False) as opened:
        found = opened.accesses(agent)
    show(upkeep.access_document(found), upkeep.access_screen(found, session.zone), as_json=json)


def _selection(
    session: "Session", ids: list[str], before: str | None, after: str | None, **marks: object
) -> "Selection":
    """What the command line selects. Raises UsageError where that is nothing, or ids and marks at once."""
    from evermem_cli.memory import Selection

    edges = {"before": moment(before, session.zone, end=False), "after": moment(after, session.zone, end=False)}
    selection = Selection(user_id=session.settings.user, ids=tuple(ids), **edges, **marks)  # type: ignore[arg-type]
    if bool(ids) == selection.marks:
        raise UsageError("name ids, or choose with options, one of both", "see `evermem forget --help`")
    return selection
