"""Progress on stderr: a bar with the remaining time on a terminal, nothing when stderr is piped."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _TimeToGo(ProgressColumn):
    """The remaining time at the average pace. rich's own estimate fails where steps take half a minute each."""

    def render(self, task: Task) -> Text:
        end = task.fields["end"]
        left = "-:--:--" if end is None else timedelta(seconds=max(0, round(end - time.monotonic())))
        return Text(str(left), style="progress.remaining")


@contextmanager
def working(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """A callback (what, done, total) with one bar per kind of work; a total of 0 is unknown."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _TimeToGo())
    begin = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=None, end=None)
            now = time.monotonic()
            end = now + (now - begin) * (total - done) / done if total and done else None
            bars.update(tasks[what], completed=done, total=total or None, end=end)

        yield show


@contextmanager
def download(console: Console) -> Iterator[Callable[[int, int], None]]:
    """A callback (done, total) in bytes; nothing is drawn until the first call."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bars.add_task("fetching")

    def show(done: int, total: int) -> None:
        bars.start()
        bars.update(task, completed=done, total=total)

    try:
        yield show
    finally:
        bars.stop()
