"""`forget`: removes memories for good."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Db, Ids, Json, User, Yes, period
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.memory import Selection


def forget(
    ids: Annotated[list[str] | None, Ids] = None,
    conversation: Annotated[
        str | None,
        typer.Option(metavar="ID|TITLE", help="Only messages of this conversation.", show_default=False),
    ] = None,
    person: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only messages of this person.", show_default=False)
    ] = None,
    before: Annotated[str | None, typer.Option(metavar="TIME", help="Only messages before that time.")] = None,
    after: Annotated[str | None, typer.Option(metavar="TIME", help="Only messages from that time on.")] = None,
    matching: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS", help="Only messages with all of these words; may be repeated.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show how much would be forgotten.")] = False,
    yes: Yes = False,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remove messages for good, and everything derived from them."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db).of_owner()
    marks = {"conversation": conversation, "person": person, "words": tuple(matching or ())}
    selection = _selection(session, ids or [], before, after, **marks)
    gone, people = session.store.would_forget(selection), _speakers(session, selection)
    which = upkeep.chosen(selection, people, session.zone)
    if not dry_run and not gone.nothing:
        confirm(f"Forget {upkeep.forgotten(gone)}{which}, for good?", yes=yes)
        gone = session.forget(selection)
    elif not dry_run:
        session.end_forgetting()
    document = upkeep.forget_document(gone, dry_run, selection, people)
    show(document, upkeep.forget_screen(gone, dry_run, which), as_json=json)


def _selection(
    session: "Session", ids: list[str], before: str | None, after: str | None, **marks: object
) -> "Selection":
    """The selection of the command line. Raises UsageError where it is empty, or has both ids and criteria."""
    from evermem_cli.memory import Selection

    first, last = period(after, before, session.zone, ("after", "before"), end=False)
    user = session.settings.user
    selection = Selection(user_id=user, ids=tuple(ids), after=first, before=last, **marks)  # type: ignore[arg-type]
    if bool(ids) == selection.marks:
        raise UsageError("give either ids or options that select messages", "see `evermem forget --help`")
    if selection.person is None:
        return selection
    from evermem_cli.recollection.people.profile import find_person

    return replace(selection, person=find_person(session.store, user, selection.person, assistants=True))


def _speakers(session: "Session", selection: "Selection") -> list[str]:
    """The names of the person whose messages are selected; none where no person is."""
    if selection.person is None:
        return []
    with session.store.read() as reader:
        return reader.names.spoken_as(selection.user_id, selection.person)
