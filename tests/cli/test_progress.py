"""The bar on a terminal, and its silence elsewhere."""

import io
import re
import time

from rich.console import Console

from evermem_cli.cli.shared.progress import working


def drawn(*, terminal: bool) -> str:
    """What is written of a work of a hundred steps, one of which is done, on 80 columns."""
    out = io.StringIO()
    with working(Console(file=out, force_terminal=terminal, no_color=True, width=80)) as show:
        time.sleep(0.05)
        show("messages", 1, 100)
        show("chats", 1, 0)
        time.sleep(0.3)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())


def test_the_time_to_go_is_known_after_the_first_step_and_the_bar_fits() -> None:
    written = drawn(terminal=True)
    assert re.search(r"messages .* 1/100 0:00:\d\d", written)
    assert re.search(r"chats .* 1/\? +-:--:--", written)
    assert max(map(len, re.split(r"[\r\n]", written))) <= 80


def test_a_pipe_gets_no_bar() -> None:
    assert drawn(terminal=False).strip() == ""
