"""The profiles on the page, and the timeline, of somebody who writes in two languages."""

from pathlib import Path

from evermem_cli.cli.shared.session import Session
from evermem_cli.view.profiles import profiles
from tests.cli.test_main import Shell

CHAT = """[2025-03-01 09:00] Ann: I live in Leeds and I work at Larkfield as a data analyst.
[2025-03-02 09:00] Ann: 我对核桃过敏。
"""


def test_labels_are_in_one_language_whatever_that_of_the_values(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=CHAT).returncode == 0
    [ann] = profiles(Session.open(db=shell.db).as_owner())
    assert {"allergies", "location"} <= {value.attribute for value in ann.values}
    assert "核桃" in {value.value for value in ann.values}
    entries = [entry for month in shell.json("timeline")["months"] for entry in month["entries"]]
    assert "allergies: 核桃" in {entry["title"] for entry in entries}
