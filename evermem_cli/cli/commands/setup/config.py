"""`config`: shows the settings."""

from evermem_cli.cli.shared.options import Json
from evermem_cli.cli.shared.output import show


def config(json: Json = False) -> None:
    """Show the settings in use and where to change them."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.session import Session

    settings = Session.open().settings
    show(documents.config(settings), screens.config(settings), as_json=json)
