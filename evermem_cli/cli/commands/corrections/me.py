"""`me`: says who the user is in the chats."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json, User
from evermem_cli.cli.shared.output import show


def me(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="All your names in chats between people.")
    ] = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Set who you are in your chats. Without names, show who you are."""
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db).of_owner()
    owner = corrections.owner_names(session)
    changed = owner.assign(names) if names else 0
    known = owner.known()
    document = corrections.me_document(session.settings.user, known, changed)
    screen = corrections.me_screen(known, changed if names else None, is_stated=owner.is_only_stated())
    show(document, screen, as_json=json)
