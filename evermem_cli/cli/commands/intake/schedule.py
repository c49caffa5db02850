"""`schedule`: ingests folders regularly."""

from datetime import datetime
from typing import Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import ByCode, Db, Json, Me, User, Yes, path_of
from evermem_cli.cli.shared.output import show
from evermem_cli.schedule import Every

At = Annotated[
    datetime | None, typer.Option(metavar="HH:MM", formats=["%H:%M"], help="The time of day; 03:30 if left out.")
]


def schedule(
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH…", help="Folders and files.")] = None,
    every: Annotated[
        Every | None, typer.Option(metavar="PERIOD", help="How often: hour, day or week; day if left out at first.")
    ] = None,
    at: At = None,
    me: Me = None,
    no_llm: ByCode = False,
    undo: Annotated[bool, typer.Option("--undo", help="Remove these folders; without PATH, the timer.")] = False,
    yes: Yes = False,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Ingest folders regularly, with a timer of your system. evermem shows what it writes, and asks first.

    A second `schedule` adds its folders to those of the first. Without PATH it shows what is scheduled, when that runs
    next and ran last.
    """
    from evermem_cli.cli.actions import scheduling
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    when = at.time() if at else None
    named = tuple(map(path_of, paths or ()))
    asked = scheduling.ScheduleRequest(named, every, when, tuple(me or ()), no_llm=no_llm, undo=undo)
    plan = scheduling.planned(session, asked)
    if plan.question:
        scheduling.preview(plan)
        confirm(plan.question, yes=yes, instead="add --yes")
    faults = scheduling.done(plan)
    runs = plan.timer.runs
    show(scheduling.document(plan, runs), scheduling.screen(plan, runs, faults), as_json=json)
