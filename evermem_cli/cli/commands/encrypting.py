"""Commands that encrypt the memory file, take its encryption off, or give it another key: encrypt, decrypt, rekey."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json
from evermem_cli.cli.shared.output import show

NewKey = Annotated[
    Path | None, typer.Option("--new-key", metavar="FILE", help="Make a key in a new file.", show_default=False)
]
Keyring = Annotated[bool, typer.Option("--keyring", help="Make a key in the system's keyring.")]


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    for command in (encrypt, decrypt, rekey):
        app.command()(command)


def encrypt(new_key: NewKey = None, keyring: Keyring = False, db: Db = None, json: Json = False) -> None:
    """Encrypt the memory file and all that is kept beside it; --key-file takes a key that is there."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.encrypt(Session.open(db=db), new_key, keyring=keyring)
    show(encryption.document(done), encryption.screen(done), as_json=json)


def decrypt(db: Db = None, json: Json = False) -> None:
    """Write an encrypted memory file as a plain one."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.decrypt(Session.open(db=db))
    show(encryption.document(done), encryption.screen(done), as_json=json)


def rekey(
    new_key: NewKey = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Take the key in this file.", show_default=False)
    ] = None,
    keyring: Keyring = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Encrypt the memory file with another key; --key-file names the one that it has now."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.rekey(Session.open(db=db), new_key, to, keyring=keyring)
    show(encryption.document(done), encryption.screen(done), as_json=json)
