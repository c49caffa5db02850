"""`enrich`: continues where the formation of memories stopped."""

import time
from enum import StrEnum
from typing import Annotated

import typer

from evermem_cli.cli.actions.intake_outcome import exit_code
from evermem_cli.cli.shared.options import Db, Json, Llm
from evermem_cli.cli.shared.output import show


class Again(StrEnum):
    """What `enrich --again` derives anew."""

    CONSOLIDATION = "consolidation"


def enrich(
    again: Annotated[
        Again | None,
        typer.Option(
            "--again",
            metavar="consolidation",
            help="First derive scenes and profiles again.",
            show_default=False,
        ),
    ] = None,
    closed: Annotated[bool, typer.Option("--closed", help="Leave out topics that may still grow.")] = False,
    llm: Llm = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Form the memories that wait, and what a language model adds."""
    from evermem_cli.cli.presentation import intake_reports
    from evermem_cli.cli.shared import forming
    from evermem_cli.cli.shared.session import Session

    start = time.monotonic()
    session = Session.open(llm=llm, db=db)
    made = forming.form_by_code(session, closed=closed)
    if again:
        session.consolidate_again()
    if forming.model_has_part(session):  # without an engine for it, this says so
        made = made.followed_by(forming.form_with_model(session, closed=closed, by_code=True))
    seconds = time.monotonic() - start
    show(intake_reports.enrich_document(made, seconds), intake_reports.enrich_screen(made, seconds), as_json=json)
    raise typer.Exit(exit_code([], made))
