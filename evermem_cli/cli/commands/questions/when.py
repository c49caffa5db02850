"""`when`: shows what a time phrase means."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Json
from evermem_cli.cli.shared.output import show


def when(
    phrase: Annotated[
        str, typer.Argument(metavar="PHRASE", help="A time phrase or a sentence; - reads one per line on stdin.")
    ],
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When the phrase was said; now if left out.")] = None,
    json: Json = False,
) -> None:
    """Show what a time phrase means: from when to when."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.queries import worded
    from evermem_cli.cli.shared.session import Session

    session = Session.open()
    for entry in worded(phrase, "phrase"):
        meaning = memories.when(session, entry, at)
        show(documents.when(meaning), screens.when(meaning), as_json=json or phrase == "-")
