"""`connect`: writes an assistant's own configuration."""

from enum import StrEnum
from typing import Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Db, Json, User, Yes
from evermem_cli.cli.shared.output import show


class Client(StrEnum):
    """The assistants that can be connected."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    GEMINI_CLI = "gemini-cli"
    OPENCODE = "opencode"


def connect(
    client: Annotated[Client, typer.Argument(metavar="CLIENT", help=f"The assistant: {', '.join(Client)}.")],
    undo: Annotated[bool, typer.Option("--undo", help="Remove evermem from the assistant's configuration.")] = False,
    yes: Yes = False,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Let an assistant use this memory. evermem shows the change to the configuration, and asks first."""
    from evermem_cli.cli.actions import connecting
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    if db is not None and not undo:
        connecting.check_folder(session)
    plan = connecting.planned(session, client.value, undo=undo)
    if plan:
        connecting.preview(plan)
        confirm(f"Change {len(plan)} file{'s' * (len(plan) > 1)} of {client.value}?", yes=yes, instead="add --yes")
    made = connecting.made(plan)
    if not undo:
        connecting.note_obstacles(session, client.value)
    show(connecting.document(client.value, made), connecting.screen(client.value, made, undo=undo), as_json=json)
