"""`restore`: restores archived memories."""

from typing import Annotated

from evermem_cli.cli.shared.options import Db, Ids, Json
from evermem_cli.cli.shared.output import show


def restore(
    ids: Annotated[list[str], Ids],
    db: Db = None,
    json: Json = False,
) -> None:
    """Restore archived memories. An ID names a memory, or all memories of a topic (MemCell) or conversation."""
    from evermem_cli.cli.shared import formatting
    from evermem_cli.cli.shared.session import Session

    restored = Session.open(db=db).store.restore(ids)
    done = f"{formatting.counted(restored, 'memories')} as strong as new"
    show({"restored": restored}, done if restored else f"not archived: {' '.join(ids)}", as_json=json)
