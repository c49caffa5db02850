"""What the commands of keeping say: each as a JSON document and as a screen."""

from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from evermem_cli.memory import Forgotten

Document = dict[str, Any]


def forgotten(gone: Forgotten) -> str:
    """How much it is, in words."""
    names = {name: name.replace("_", " ").removesuffix(" changed") for name in gone.counts}
    return ", ".join(counted(count, names[name]) for name, count in gone.counts.items() if count)


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


def import_document(taken: Counter[str]) -> Document:
    """`import --json`: rows by type, the header aside."""
    return {"imported": dict(taken)}


def import_screen(taken: Counter[str], db: Path) -> RenderableType:
    """What was taken in."""
    names = {kind: kind.replace("_", " ") + "s" for kind in taken}
    return Text(f"{db}: {', '.join(counted(count, names[kind]) for kind, count in taken.items())}")


def backup_document(target: Path, rows: dict[str, int]) -> Document:
    """`backup --json`."""
    return {"backup": str(target), "rows": rows, "bytes": target.stat().st_size}


def backup_screen(target: Path, rows: dict[str, int]) -> RenderableType:
    """What was copied and checked."""
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    return Text(f"{target}: {size}, {counted(rows['messages'], 'messages')}; opened, and the same in every row")


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the plural."""
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}"
