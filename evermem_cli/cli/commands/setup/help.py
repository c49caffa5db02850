"""`help`: shows the pages of the manual."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Json
from evermem_cli.cli.shared.output import page, show
from evermem_cli.errors import UsageError

PAGES = Path(__file__).parents[3] / "help"


def help_(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="The page to show; the list of topics if left out.")
    ] = None,
    json: Json = False,
) -> None:
    """Show a page of the manual, or the list of its topics."""
    if topic is None:
        return _list(as_json=json)
    source = PAGES / f"{topic}.md"
    if topic not in topics():
        raise UsageError(f"no help on {topic!r}", f"topics: {', '.join(topics())}")
    text = source.read_text(encoding="utf-8")
    if json:
        return show({"topic": topic, "title": topics()[topic], "text": text}, "", as_json=True)
    page(text)


def topics() -> dict[str, str]:
    """The heading of each page by topic, in alphabetical order."""
    return {source.stem: _heading(source) for source in sorted(PAGES.glob("*.md"))}


def _heading(source: Path) -> str:
    with source.open(encoding="utf-8") as lines:
        return next(lines).removeprefix("# ").strip()


def _list(*, as_json: bool) -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, title in topics().items():
        table.add_row(name, title)
    document = {"topics": [{"topic": name, "title": title} for name, title in topics().items()]}
    show(document, table, as_json=as_json)
