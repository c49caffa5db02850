"""The profiles on the page, the timeline, conflicts and assertions of somebody who writes in two languages."""

from pathlib import Path

from evermem_cli.cli.shared.session import Session
from evermem_cli.view.profiles import profiles
from tests.cli.test_main import Shell

CHAT = """[2025-03-01 09:00] Ann: I live in Leeds and I work at Larkfield as a data analyst.
[2025-03-02 09:00] Ann: 我对青霉素过敏。
"""


def test_labels_are_in_one_language_whatever_that_of_the_values(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=CHAT).returncode == 0
    [ann] = profiles(Session.open(db=shell.db).as_owner())
    assert {"allergies", "location"} <= {value.attribute for value in ann.values}
    assert "对青霉素过敏" in {value.value for value in ann.values}
    entries = [entry for month in shell.json("timeline")["months"] for entry in month["entries"]]
    assert "allergies: 对青霉素过敏" in {entry["title"] for entry in entries}


def test_the_days_of_values_are_in_the_language_of_their_labels(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    chat = "[2025-03-02 09:00] Ann: 我对青霉素过敏。\n[2025-04-02 09:00] Ann: 我住在北京。\n"
    moved = "[2025-05-01 09:00] Ann: 我搬到上海了。\n"
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat + moved).returncode == 0
    [ann] = profiles(Session.open(db=shell.db).as_owner())
    spans = {value.value: value.span for value in ann.values}
    assert spans["对青霉素过敏"] == "2025年3月2日起"
    assert spans["北京"] == "2025年4月2日到2025年5月1日"
    printed = shell("profile").stdout
    assert "2025年3月2日起" in printed
    assert "since" not in printed


def test_an_earlier_value_or_another_person_does_not_change_the_language_of_the_page(
    tmp_path: Path, minilm: Path
) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    chat = """[2024-03-02 09:00] Ann: 我住在上海市浦东新区陆家嘴。
[2025-03-01 09:00] Ann: I moved to Leeds.
[2025-04-02 09:00] 小雨: 我住在北京。
"""
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    values = [value for person in profiles(Session.open(db=shell.db).as_owner()) for value in person.values]
    assert {value.tongue for value in values} == {"en", "zh"}
    assert {value.attribute for value in values} == {"location"}
    assert not any("年" in value.span for value in values)


def test_conflicts_and_assertions_name_attributes_in_the_language_of_the_interface(
    tmp_path: Path, minilm: Path
) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    chat = f"{CHAT}[2025-05-01 09:00] Ann: 我昨天搬到上海了。\n"
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    assert shell("conflicts").stdout.startswith("location: Leeds → 上海 ")
    stated = shell("list", "assertions").stdout
    assert "allergies: 对青霉素过敏" in stated
    assert "location: 上海" in stated
    [allergy] = [each for each in shell.json("list", "assertions")["assertions"] if each["value"] == "对青霉素过敏"]
    assert "understood: Ann, allergies: 花生过敏" in shell("correct", allergy["id"], "我花生过敏。").stdout
    assert shell("list", "corrections").stdout.startswith("allergies: 对青霉素过敏 → ")
