"""What is expected after later messages, on the screen, in JSON and in answers."""

from pathlib import Path

import pytest

from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.recollection.asking import answered

pytestmark = pytest.mark.model

CHAT = """[2026-11-20 09:00] Ann: My dentist appointment is on 5 December 2026.
[2026-11-20 09:01] Bob: The choir concert is on 19 December 2026.
[2026-11-20 09:02] Ann: We're going to Rome on 3 March 2027.
[2026-11-23 09:00] Ann: The dentist appointment is cancelled, the practice is closed.
[2026-11-24 09:00] Bob: They moved the choir concert to 21 December 2026.
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("expected")
    (folder / "chat.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "--tz", "UTC", str(folder / "chat.txt")).returncode == 0
    return shell


def expected(shell: Shell, *options: str) -> list[tuple[str, str]]:
    listed = shell.json("foresights", *options)["foresights"]
    return [(item["start_time"][:10], item["foresight"]) for item in listed]


def test_what_was_called_off_is_expected_no_more_from_when_that_was_said(shell: Shell) -> None:
    assert "dentist" in str(expected(shell, "--as-of", "2026-11-21"))
    assert "dentist" not in str(expected(shell, "--as-of", "2026-11-25"))
    assert expected(shell, "--as-of", "2026-11-25", "--expired") == [
        ("2026-12-05", "Ann's dentist appointment is on 5 December 2026. (no longer planned)")
    ]


def test_what_was_moved_is_expected_once_on_its_new_day(shell: Shell) -> None:
    days = [day for day, text in expected(shell, "--as-of", "2026-11-25") if "concert" in text]
    assert days == ["2026-12-21"]
    assert [day for day, text in expected(shell, "--as-of", "2026-11-21") if "concert" in text] == ["2026-12-19"]


def test_what_nothing_changed_stays(shell: Shell) -> None:
    assert "2027-03-03" in dict(expected(shell, "--as-of", "2026-11-25"))


def test_plans_and_the_day_of_one_are_answered_by_what_became_of_them(shell: Shell, minilm: Path) -> None:
    store, embedder = Store(shell.db, 1.0), CatalogEmbed(minilm, DEFAULT_EMBEDDER)
    plans = answered(store, "What are my plans?", "2026-11-25", embedder) or ""
    assert ("Rome" in plans, "dentist" in plans, "21 December 2026" in plans) == (True, False, True)
    told = answered(store, "When is the dentist appointment?", "2026-11-25", embedder)
    assert (
        told == 'no longer planned: "The dentist appointment is cancelled, the practice is closed." (23 November 2026)'
    )


def test_without_the_embedder_it_is_said_that_plans_are_shown_as_planned(shell: Shell, tmp_path: Path) -> None:
    done = shell("foresights", "--as-of", "2026-11-25", EVERMEM_MODELS_DIR=str(tmp_path), EVERMEM_OFFLINE="1")
    assert (done.returncode, "dentist" in done.stdout) == (0, True)
    assert "shown as planned" in done.stderr
