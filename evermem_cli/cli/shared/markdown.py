"""Markdown as a terminal shows it. A narrow table wraps what does not fit; rich alone would cut it off."""

from collections.abc import Iterator
from typing import ClassVar

from rich.console import Console, ConsoleOptions
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table


class _WrappedTable(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        for table in super().__rich_console__(console, options):
            assert isinstance(table, Table)
            for column in table.columns:
                column.overflow = "fold"
            yield table


class TerminalMarkdown(Markdown):
    """Markdown without clickable links."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "table_open": _WrappedTable}

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False)
