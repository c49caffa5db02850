"""Two names of one person: merged, everything treats them as one; split, it is as it was."""

from pathlib import Path

import pytest

from evermem_cli.consolidate import Consolidation
from evermem_cli.memory import Filter, Selection
from evermem_cli.recollection.people.network import read_network
from evermem_cli.recollection.people.profile import describe_person, timeline
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.consolidation.test_relations import said
from tests.recollection.searching import search
from tests.test_consolidate import day
from tests.test_ingest import Memory

WHATSAPP = """[2025-01-06 09:00] Mum: I work at Larkfield.
[2025-01-06 09:01] Ann: I know, Mum!
"""
SLACK = """[2025-06-02 09:00] Helen Carter: I work at Corvane now.
[2025-06-02 09:01] Ann: Congrats, Helen!
"""


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory(tmp_path, me="Ann")
    made.ingest(made.file(WHATSAPP, "whatsapp.txt"), made.file(SLACK, "slack.txt"))
    made.enrich()
    return made


def employers(store: Store, person: str) -> list[str]:
    found = describe_person(store, "default", person, day("2026-01-01"), None, history=True)
    return [fact.value for fact in found.facts.get("employer", ())]


def merge(memory: Memory) -> Shell:
    shell = Shell(memory.store.path)
    [person] = shell.json("people", "merge", "Mum", "Helen Carter", "--yes")["people"]
    assert (person["name"], person["aliases"], person["said"]) == ("Mum", ["Helen Carter", "Helen"], 2)
    return shell


def test_profile_search_timeline_and_relations_treat_them_as_one_until_they_are_split(
    memory: Memory, minilm: Path
) -> None:
    before = read_network(memory.store, "default")
    facts = Consolidated(memory).facts()
    assert employers(memory.store, "Mum") == ["Larkfield"]
    shell = merge(memory)
    assert employers(memory.store, "Mum") == employers(memory.store, "Helen Carter") == ["Larkfield", "Corvane"]
    assert Consolidated(memory).conflicts("Mum") == [("Larkfield", "Corvane")]
    where = Filter(user_id="default", people=("mum", "helen carter"))
    assert len(search("work", memory.store, memory.embedder, where, 10)) >= 2
    told = [each.text for each in timeline(memory.store, "default", "Mum", None) if each.kind == "change"]
    assert told == ["employer: Larkfield", "employer: Larkfield → Corvane"]
    assert "Mum WORKS_AT Larkfield 2025-01-06..2025-06-02" in said(read_network(memory.store, "default"))
    assert shell("people", "split", "Helen Carter").returncode == 0
    assert read_network(memory.store, "default") == before
    assert Consolidated(memory).facts() == facts
    assert Consolidated(memory).conflicts("Mum") == []


class Consolidated:
    """What is stored of all of it."""

    def __init__(self, memory: Memory) -> None:
        self.store = memory.store

    def facts(self) -> list[object]:
        with self.store.read() as reader:
            return list(reader.topics.facts())

    def conflicts(self, person: str) -> list[tuple[str, str]]:
        with self.store.read() as reader:
            return [(each.old_value, each.new_value) for each in reader.consolidation.conflicts("default", person)]


def test_a_merge_outlasts_reading_again_and_consolidating_anew(memory: Memory, minilm: Path) -> None:
    merge(memory)
    asked = "[2025-07-01 09:00] Ann: Where do you live these days?\n"
    later = SLACK + asked + "[2025-07-01 09:01] Helen Carter: I live in Leeds.\n"
    memory.ingest(memory.file(WHATSAPP, "whatsapp.txt"), memory.file(later, "slack.txt"))
    memory.enrich()
    Consolidation(memory.store, memory.settings).again()
    assert employers(memory.store, "Mum") == ["Larkfield", "Corvane"]
    found = describe_person(memory.store, "default", "Mum", day("2026-01-01"), None, history=False)
    assert [fact.value for fact in found.facts["location"]] == ["Leeds"]


def test_a_name_may_be_ones_own_and_is_asked_about_as_such(memory: Memory, minilm: Path) -> None:
    shell = Shell(memory.store.path)
    [person] = shell.json("people", "merge", "Mum", "Ann", "--yes")["people"]
    assert (person["is_user"], person["user_id"], person["said"]) == (True, "default", 3)
    assert employers(memory.store, "default") == ["Larkfield"]


def test_what_cannot_be_merged_or_split_is_said(memory: Memory, minilm: Path) -> None:
    shell = Shell(memory.store.path)
    for arguments in (
        ("merge", "Mum", "Zed"),
        ("merge", "Mum", "Larkfield"),
        ("merge", "Mum", "mum"),
        ("split", "Mum"),
    ):
        done = shell("people", *arguments)
        assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1), arguments


def test_forgetting_the_person_takes_all_names_and_the_merge_itself(memory: Memory, minilm: Path) -> None:
    merge(memory)
    memory.store.forget(Selection(user_id="default", person="Mum"))
    memory.store.forget(Selection(user_id="default", words=("Helen",)))
    with memory.store.read() as reader:
        assert reader.names.merged("default") == {}
        assert reader.entities.who_speaks("default")[0].name == "Ann"
    assert b"Helen Carter" not in memory.store.path.read_bytes()
