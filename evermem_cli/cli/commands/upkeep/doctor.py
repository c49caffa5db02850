"""`doctor`: checks the file, the models and the index."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json, Llm
from evermem_cli.cli.shared.output import show


def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read every block and row of the file.")] = False,
    llm: Llm = None,
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Check the file, the models and the versions, and say what to do."""
    from evermem_cli.cli.actions import diagnosis
    from evermem_cli.cli.shared.session import Session

    checks = diagnosis.examine(Session.open(llm=llm, embedder=embedder, db=db), deep=deep)
    show(diagnosis.document(checks), diagnosis.screen(checks), as_json=json)
    raise typer.Exit(diagnosis.code(checks))
