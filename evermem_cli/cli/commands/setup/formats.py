"""`formats`: lists the chat exports that are read."""

from evermem_cli.cli.shared.options import Json
from evermem_cli.cli.shared.output import show


def formats(json: Json = False) -> None:
    """List the chat exports that evermem reads, and how to get each."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.transcripts import FORMATS

    show(documents.formats(FORMATS), screens.formats(FORMATS), as_json=json)
