"""`show`: shows one memory with everything that belongs to it."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason
from evermem_cli.cli.shared.output import show


def show_(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="An id, or the beginning of one.")],
    agent: Agent = None,
    reason: Reason = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a memory, its messages, and what was derived from them."""
    from rich.console import Group

    from evermem_cli.cli.actions.assertions import is_assertion, show_assertion
    from evermem_cli.cli.lookups import memories, privacy, strengths
    from evermem_cli.cli.presentation import documents, listings, records, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, db=db)
    ground = privacy.ground(session, memory_id)
    if is_assertion(session, memory_id):
        return show_assertion(session, memory_id, ground, json)
    known, cells = strengths.memory_state(session, memory_id), strengths.contents(session, memory_id)
    hidden = memories.withheld_contents(session, memory_id)
    chat = listings.chat(memories.chat(session, memory_id), cells, session.zone)
    screen = Group(chat, records.screen(known, ground, session.zone), screens.contents(cells, session.zone))
    document = records.document(known) | records.ground_document(ground) | documents.contents(cells)
    show(document, screen, as_json=json, withheld=hidden)
