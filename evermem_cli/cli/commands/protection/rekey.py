"""`rekey`: encrypts the memory file with another key."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json, Keyring, NewKey
from evermem_cli.cli.shared.output import show


def rekey(
    new_key: NewKey = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Use the existing key in this file.", show_default=False)
    ] = None,
    keyring: Keyring = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Encrypt the memory file with another key. --key-file names the present key."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.rekey(Session.open(db=db), new_key, to, keyring=keyring)
    show(encryption.document(done), encryption.screen(done), as_json=json)
