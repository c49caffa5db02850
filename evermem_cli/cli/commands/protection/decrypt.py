"""`decrypt`: removes the encryption of the memory file."""

from evermem_cli.cli.shared.options import Db, Json
from evermem_cli.cli.shared.output import show


def decrypt(db: Db = None, json: Json = False) -> None:
    """Rewrite an encrypted memory file as a plain one."""
    from evermem_cli.cli.actions import encryption
    from evermem_cli.cli.shared.session import Session

    done = encryption.decrypt(Session.open(db=db))
    show(encryption.document(done), encryption.screen(done), as_json=json)
