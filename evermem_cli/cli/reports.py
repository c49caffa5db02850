"""What the commands of keeping say: each as a JSON document and as a screen."""

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from evermem_cli.memory import Forgotten

Document = dict[str, Any]


def forgotten(gone: Forgotten) -> str:
    """How much it is, in words."""
    return ", ".join(counted(count, name) for name, count in gone.counts.items() if count)


def forget_document(gone: Forgotten, dry_run: bool) -> Document:
    """`forget --json`."""
    return {"dry_run": dry_run} | gone.counts | {"memcells_pending": gone.pending}


def forget_screen(gone: Forgotten, dry_run: bool) -> RenderableType:
    """What is, or would be, forgotten."""
    if gone.nothing:
        return Text("nothing fits")
    said = f"{'would forget' if dry_run else 'forgotten'}: {forgotten(gone)}"
    if not gone.pending:
        return Text(said)
    keep = "would be left" if dry_run else "are left: `evermem enrich` forms them anew"
    return Text(f"{said}\nof {counted(gone.pending, 'memcells')} some messages {keep}")


def counted(count: int, names: str) -> str:
    """A count with its noun, which is given in the plural: "1 memcell", "2 scenes changed"."""
    noun, *rest = names.split("_")
    return " ".join([f"{count:,}", noun.removesuffix("s") if count == 1 else noun, *rest])
