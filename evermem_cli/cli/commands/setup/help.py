"""`help`: shows the pages of the manual."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Json
from evermem_cli.cli.shared.output import page, show
from evermem_cli.errors import UsageError

PAGES = Path(__file__).parents[3] / "help"
COMMANDS = "commands"


def help_(
    context: typer.Context,
    topic: Annotated[
        str | None,
        typer.Argument(metavar="TOPIC", help="The page to show, or a command; the list of topics if left out."),
    ] = None,
    json: Json = False,
) -> None:
    """Show a page of the manual, or the list of its topics."""
    if topic is None:
        return _list(as_json=json)
    topic = _page_on(topic, context)
    text = (PAGES / f"{topic}.md").read_text(encoding="utf-8")
    if json:
        return show({"topic": topic, "title": topics()[topic], "text": text}, "", as_json=True)
    page(text)


def _page_on(topic: str, context: typer.Context) -> str:
    """The page of this name. For a command, the page of its group, else the one that lists all commands.

    Raises UsageError for any other word.
    """
    if topic in topics():
        return topic
    command = getattr(context.find_root().command, "commands", {}).get(topic)
    if command is None:
        raise UsageError(f"no help on {topic!r}", f"topics: {', '.join(topics())}")
    group = str(command.rich_help_panel).lower()
    return group if group in topics() else COMMANDS


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
