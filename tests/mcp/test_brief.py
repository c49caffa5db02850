"""What an assistant is told at the start of a session, and what is listed, lies ahead or goes on, and nothing else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from evermem_cli.config import Settings
from evermem_cli.mcp.brief import brief
from evermem_cli.mcp.host import MemoryHost
from evermem_cli.mcp.resources import RESOURCES
from tests.cli.test_main import Shell

# Begins and ends so many days from now; without an end it is open.
EXPECTED = {
    "Tom might move one day": (-400, None),
    "A course in pottery": (-100, 20),
    "A cold that goes on": (-3, None),
    "A day at the sea": (9, 9),
    "A wedding in York": (90, 90),
    "The removal van": (-9, -8),
}
ADD = """
    insert into foresights by name
    select $text as id, memcell_id, $text as foresight, text as evidence, user_id, $begins as start_time,
           $ends as end_time, 1 as duration_days, 'fixed' as duration_type, 'memcell' as parent_type,
           memcell_id as parent_id, said_at, said_at as created_at, 0.9 as confidence, 'general' as domain
    from messages limit 1"""


@pytest.fixture
def shell(tmp_path: Path, minilm: Path) -> Shell:
    """A memory in which all that is expected."""
    (tmp_path / "moving.txt").write_text("[2025-03-05 09:00] Maya: I moved to Leeds last week.\n")
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Maya", str(tmp_path / "moving.txt")).returncode == 0
    now = datetime.now(UTC).replace(tzinfo=None)
    with duckdb.connect(str(shell.db)) as connection:
        for text, days in EXPECTED.items():
            begins, ends = (now + timedelta(days=count) if count is not None else None for count in days)
            connection.execute(ADD, {"text": text, "begins": begins, "ends": ends})
            connection.execute("insert into sources select $text, 1, id from messages limit 1", {"text": text})
    return shell


@pytest.fixture
def lines(shell: Shell) -> list[str]:
    """The lines of a brief about this memory."""
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    return brief(host.call("tester", "", "brief").session).splitlines()


def test_a_brief_tells_what_goes_on_and_what_lies_within_a_month(lines: list[str]) -> None:
    told = {text: line for text in EXPECTED for line in lines if text in line}
    assert set(told) == {"A course in pottery", "A cold that goes on", "A day at the sea"}
    assert told["A course in pottery"].startswith("- under way since ")
    assert told["A day at the sea"].startswith("- ahead, ")


def test_a_brief_tells_a_time_no_finer_than_it_was_named(lines: list[str]) -> None:
    assert "- location: Leeds (since the week of 24 Feb 2025)" in lines


def test_what_began_long_ago_and_has_no_end_is_counted_among_what_lies_ahead(shell: Shell) -> None:
    ahead, everything = shell("foresights").stdout, shell("foresights", "--all").stdout
    assert "Tom might move one day" not in ahead
    assert "1 foresight without an end began more than a month ago (shown by --all)" in ahead
    assert {text for text in EXPECTED if text in everything} == set(EXPECTED) - {"The removal van"}
    assert "--all" not in everything
    assert "Tom might move one day" in [each["foresight"] for each in shell.json("foresights")["foresights"]]
    call = MemoryHost(Settings.load(db=shell.db, offline=True)).call("tester", "", "foresights")
    (resource,) = [each for each in RESOURCES if each.name == "foresights"]
    listed = {each["foresight"] for each in resource(call)["foresights"]}
    assert listed == {text for text in EXPECTED if text in ahead}
