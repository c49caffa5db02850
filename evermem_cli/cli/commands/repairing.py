"""Commands that put memory right: me, remember, correct, undo."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Db, Embedder, Json, User
from evermem_cli.cli.shared.output import show


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    for command in (me, remember, correct, undo):
        app.command()(command)


def me(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="All your names in chats of people.")
    ] = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Say, or change, who you are in your chats; alone: show it."""
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, user=user, db=db).of_owner()
    changed = corrections.owning(session).own(names) if names else 0
    known = corrections.owning(session).known()
    document = corrections.me_document(session.settings.user, known, changed)
    show(document, corrections.me_screen(known, changed if names else None), as_json=json)


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember, in whole sentences.")],
    tz: Annotated[str | None, typer.Option(help="The zone that you are in.", show_default=False)] = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remember what you say now, as any other message of yours."""
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(tz=tz, embedder=embedder, user=user, db=db)
    told = corrections.remember(session, text)
    show(corrections.remember_document(told), corrections.remember_screen(told), as_json=json)


def correct(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="A wrong memory: its id, or enough of its beginning.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right; of an episode, its title.")],
    tz: Annotated[str | None, typer.Option(help="The zone that you are in.", show_default=False)] = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Replace a wrong fact, assertion, foresight or episode's title by what you state."""
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(tz=tz, embedder=embedder, user=user, db=db).of_owner()
    corrected = corrections.correct(session, memory_id, text)
    show(corrections.correction_document(corrected), corrections.correction_screen(corrected), as_json=json)


def undo(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would be.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Take back the last ingest, correction, remembering, merge, `me` or change of privacy."""
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.repair.undoing import last_action

    session = Session.open(embedder=embedder, db=db)
    found = last_action(session.store)
    if not dry_run:
        confirm(f"Undo {corrections.undoing(found, session.zone)}?", yes=yes)
        corrections.take_back(session, found)
    show(corrections.undo_document(found, dry_run), corrections.undo_screen(found, session.zone, dry_run), as_json=json)
