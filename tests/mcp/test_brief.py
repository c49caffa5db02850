"""What an assistant is told at the start of a session lies ahead or goes on, and nothing else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from evermem_cli.config import Settings
from evermem_cli.mcp.brief import brief
from evermem_cli.mcp.host import MemoryHost
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
def lines(tmp_path: Path, minilm: Path) -> list[str]:
    """The lines of a brief about a memory in which all that is expected."""
    (tmp_path / "moving.txt").write_text("[2025-03-01 09:00] Maya: I moved to Leeds with my cat Miso.\n")
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Maya", str(tmp_path / "moving.txt")).returncode == 0
    now = datetime.now(UTC).replace(tzinfo=None)
    with duckdb.connect(str(shell.db)) as connection:
        for text, days in EXPECTED.items():
            begins, ends = (now + timedelta(days=count) if count is not None else None for count in days)
            connection.execute(ADD, {"text": text, "begins": begins, "ends": ends})
            connection.execute("insert into sources select $text, 1, id from messages limit 1", {"text": text})
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    return brief(host.call("tester", "", "brief").session).splitlines()


def test_a_brief_tells_what_goes_on_and_what_lies_within_a_month(lines: list[str]) -> None:
    told = {text: line for text in EXPECTED for line in lines if text in line}
    assert set(told) == {"A course in pottery", "A cold that goes on", "A day at the sea"}
    assert told["A course in pottery"].startswith("- under way since ")
    assert told["A day at the sea"].startswith("- ahead, ")
