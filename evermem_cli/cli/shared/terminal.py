"""rich with invisible characters made visible before layout, since rich would drop some of them."""

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

from evermem_cli.cli.shared.formatting import first_words
from evermem_cli.terminal.streams import layout
from evermem_cli.terminal.visible import one_line, visible

ANY_WIDTH = 10_000  # columns, more than any text needs


class Terminal(Console):
    """A console for a stream, without markup: text is printed as it is."""

    def __init__(self, stream: TextIO, width: int | None = None) -> None:
        soft = width is not None
        super().__init__(
            file=layout(stream), width=width, soft_wrap=soft, highlight=False, markup=False, emoji=False
        )  # fmt: skip

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Renders everything printed, including cells of tables and progress bars."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class Fitting:
    """The first of two layouts if it fits the width, else the second."""

    def __init__(self, wide: RenderableType, narrow: RenderableType) -> None:
        self._wide, self._narrow = wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options.update(width=ANY_WIDTH), self._wide).maximum
        yield self._wide if needed <= options.max_width else self._narrow


class Hanging:
    """A text whose lines after the first are indented by two columns."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.no_wrap or self._text.cell_len <= options.max_width:
            yield self._text
            return
        first, *rest = self._text.wrap(console, max(options.max_width - 2, 1))
        yield first
        yield from (Text("  ") + line for line in rest)


class OneLine:
    """A text that stays on one line, and one behind it: the first is cut at the end of a word where both do not fit."""

    def __init__(self, text: Text, behind: Text | None = None) -> None:
        self._text, self._behind = text, behind or Text()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield joined(self._cut(options.max_width - self._behind.cell_len), self._behind)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = min(self._text.cell_len + self._behind.cell_len, options.max_width)
        return Measurement(widest, widest)

    def _cut(self, room: int) -> Text:
        if self._text.cell_len <= room:
            return self._text
        fitting = self._text.copy()
        fitting.truncate(max(room - 1, 1))  # with a space where half of a wide character would fit
        return self._text[: len(first_words(self._text.plain, len(fitting.plain.rstrip(" "))))] + "…"


def styled(text: str, style: str = "") -> Text:
    """A styled text."""
    return Text(visible(text), style)


def label(text: str, style: str = "") -> Text:
    """A styled text for a name or title within a line."""
    return Text(one_line(text), style)


def joined(*parts: str | Text | tuple[str, str]) -> Text:
    """Several styled texts in a row."""
    return Text().join(
        part if isinstance(part, Text) else styled(part) if isinstance(part, str) else styled(*part) for part in parts
    )
