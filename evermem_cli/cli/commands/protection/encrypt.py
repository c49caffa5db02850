"""`encrypt`: encrypts the memory file."""

from evermem_cli.cli.shared.options import Db, Json, Keyring, NewKey
from evermem_cli.cli.shared.output import show


def encrypt(new_key: NewKey = None, keyring: Keyring = False, db: Db = None, json: Json = False) -> None:
    """Encrypt the memory file, stored replies and the access journal. --key-file names an existing key."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.encrypt(Session.open(db=db), new_key, keyring=keyring)
    show(encryption.document(done), encryption.screen(done), as_json=json)
