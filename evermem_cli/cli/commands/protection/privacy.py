"""`privacy`: shows or sets who may see a memory, or shows what the tiers of areas withhold."""

from enum import StrEnum
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json
from evermem_cli.cli.shared.output import show


class Level(StrEnum):
    """The values of the argument TIER; `default` restores the tier of the memory's domain."""

    PUBLIC = "public"
    SENSITIVE = "sensitive"
    PRIVATE = "private"
    DEFAULT = "default"


def privacy(
    memory_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The id of a memory, topic (MemCell) or conversation.", show_default=False),
    ] = None,
    tier: Annotated[
        Level | None,
        typer.Argument(metavar="[TIER]", help=f"Its privacy tier from now on: {', '.join(Level)}.", show_default=False),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show or set which assistants may read a memory. Its messages get the same privacy tier.

    Without an ID, show the tier of each area of life and how many messages the tiers withhold.
    """
    from evermem_cli.cli.lookups import privacy as tiers
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    if memory_id is None:
        known = tiers.in_force(session)
        show(upkeep.areas_document(known), upkeep.areas_screen(known), as_json=json)
        return
    tiers.refuse_area(memory_id, tier.value if tier else None)
    settled = session.privacy(memory_id, tier.value if tier else None)
    show(upkeep.privacy_document(settled), upkeep.privacy_screen(settled), as_json=json)
