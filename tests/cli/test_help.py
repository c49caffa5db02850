import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from evermem_cli.cli.commands import GROUPS
from evermem_cli.cli.shared.markdown import TerminalMarkdown
from tests.cli.test_main import Shell
from tests.support.manual import PAGES, ROOT


def test_help_lists_every_page_with_its_heading(tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")("help")
    headings = [page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in PAGES]
    assert done.returncode == 0
    assert [line.split(maxsplit=1) for line in done.stdout.splitlines()] == [
        [page.stem, heading] for page, heading in zip(PAGES, headings, strict=True)
    ]


def test_a_page_is_plain_text_in_a_pipe(tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")("help", "privacy", NO_COLOR="")
    assert done.stdout == (ROOT / "evermem_cli" / "help" / "privacy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("no_color", "coloured"), [("1", False), ("", True)])
def test_a_page_is_laid_out_in_the_pager_of_a_terminal(no_color: str, coloured: bool) -> None:
    terminal, inside = pty.openpty()
    environment = os.environ | {"PAGER": "cat", "TERM": "xterm-256color", "NO_COLOR": no_color}
    command = [sys.executable, "-m", "evermem_cli", "help", "models"]
    with subprocess.Popen(command, stdin=inside, stdout=inside, env=environment):
        os.close(inside)
        shown = ""
        try:
            while chunk := os.read(terminal, 65_536):
                shown += chunk.decode(errors="replace")
        except OSError:
            pass
    os.close(terminal)
    assert "qwen2.5-coder-1.5b" in shown
    assert "| --- |" not in shown
    assert ("\x1b[" in shown) is coloured


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_narrow_terminal_cuts_off_no_cell_of_a_table(page: Path) -> None:
    text, console = page.read_text(encoding="utf-8"), Console(width=60)
    with console.capture() as captured:
        console.print(TerminalMarkdown(text))
    assert captured.get().count("…") == text.count("…")


def test_an_unknown_topic_is_a_usage_error_that_names_the_topics(tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")("help", "cooking", "--json")
    assert done.returncode == 2
    assert all(page.stem in json.loads(done.stdout)["error"]["hint"] for page in PAGES)


@pytest.mark.parametrize(
    ("command", "page"),
    [("mcp", "assistants"), ("connect", "assistants"), ("rules", "assistants"), ("undo", "commands")],
)
def test_a_command_leads_to_the_page_of_its_group_or_to_the_list_of_commands(command: str, page: str) -> None:
    shown = Shell(Path("none.duckdb")).json("help", command)
    assert (shown["topic"], shown["text"]) == (page, (ROOT / "evermem_cli" / "help" / f"{page}.md").read_text("utf-8"))
    assert f"evermem {command}" in shown["text"]


def test_the_readme_is_a_page_that_links_to_every_topic() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 200
    assert [page.name for page in PAGES if f"](evermem_cli/help/{page.name})" not in readme] == []


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", ["", "people", "rules", "models"])
def test_no_summary_of_a_command_is_cut(command: str, width: int, tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")(*command.split(), "--help", COLUMNS=str(width))
    assert done.returncode == 0
    assert "\n  -h, --help" in done.stdout  # the last option, before the commands
    assert "..." not in done.stdout.replace("[ARGS]...", "")
    listed = done.stdout.partition("\n  -h, --help")[2]
    assert max(map(len, listed.splitlines())) < width


def test_help_lists_the_commands_by_group_each_in_a_line(tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")("--help", COLUMNS="80")
    listed = done.stdout.partition("\nRead chats:\n")[2].splitlines()
    assert [line.rstrip(":") for line in listed if line and not line.startswith(" ")] == list(GROUPS)[1:]
    assert [line for line in listed if line.startswith(" ") and not re.match(r"  [a-z]", line)] == []
