"""`embed`: gives the memory vectors of another embedder."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json
from evermem_cli.cli.shared.output import show


def embed(
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="An embedder of `evermem models list`, or of fastembed.", show_default=False),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Embed the memory again with another embedder.

    Searches use the old vectors until the new ones are complete. A stopped run continues when run again. Without
    --model, shows which embedder the memory has.
    """
    from evermem_cli.cli.actions import embedding
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    done = embedding.embed(session, model) if model else embedding.state(session)
    show(embedding.document(done), embedding.screen(done), as_json=json)
