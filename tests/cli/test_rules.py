"""Examples and rules on the command line, as a script meets them."""

import json
from pathlib import Path

import pytest

from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from tests.cli.test_main import Shell
from tests.support.manual import manual
from tests.test_ingest import Memory
from tests.test_reflect import FLIGHT, learn, returns

KEYS = {"id", "agent_type", "rule", "derived_from", "confidence", "offered"} | {
    "created_at", "last_validated", "override_count", "retired_at",
}  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path, minilm: Path) -> Shell:
    memory = Memory(tmp_path)
    # the one by whose vectors the type of an assistant was learned
    memory.embedder = CatalogEmbed(minilm, DEFAULT_EMBEDDER, 1)  # type: ignore[assignment]
    returns(memory)
    learn(memory, FLIGHT)
    return Shell(memory.store.path)


def test_rules_are_listed_with_stable_keys_and_for_one_type_of_assistant_only(shell: Shell) -> None:
    (rule,) = shell.json("rules")["rules"]
    assert set(rule) == KEYS
    assert (rule["agent_type"], rule["confidence"], rule["override_count"]) == ("shopping", 0.8, 0)
    assert rule["last_validated"] == "2025-03-01T09:00:00Z"
    assert shell.json("rules", "--agent", "travel") == {"rules": [], "archived": 0}
    assert shell.json("list", "rules", "--agent", "shopping") == {"rules": [rule]}
    assert shell("rules", "--agent", "astrology").returncode == 2


def test_three_overrides_retire_a_rule_and_a_validation_brings_it_back(shell: Shell) -> None:
    (rule,) = shell.json("rules")["rules"]
    for count in (1, 2, 3):
        (changed,) = shell.json("rules", "override", rule["id"][:9])["rules"]
        assert (changed["override_count"], changed["retired_at"] is not None) == (count, count == 3)
    assert shell.json("rules")["rules"] == []
    assert len(shell.json("rules", "--retired")["rules"]) == 1
    assert shell("rules", "validate", rule["id"]).returncode == 0
    assert len(shell.json("rules")["rules"]) == 1
    (retired,) = shell.json("rules", "retire", rule["id"])["rules"]
    assert retired["offered"] is False


def test_a_prompt_holds_the_rules_that_are_offered(shell: Shell) -> None:
    done = shell("rules", "--as-prompt")
    assert done.stdout == "What the user has taught shopping assistants:\n- Avoid cheap, budget or bargain items.\n"
    assert json.loads(shell("rules", "--as-prompt", "--json").stdout) == {"prompt": done.stdout.rstrip("\n")}
    (rule,) = shell.json("rules")["rules"]
    for _ in range(2):
        shell("rules", "override", rule["id"])
    assert shell("rules", "--as-prompt").stdout.strip() == ""


def test_an_unknown_rule_and_an_option_that_fits_nothing_are_usage_errors(shell: Shell) -> None:
    done = shell("rules", "override", "rule-0")
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert shell("list", "facts", "--agent", "travel").returncode == 2


def test_interactions_are_listed_and_an_id_shows_their_messages(shell: Shell) -> None:
    every = shell.json("list", "interactions")["interactions"]
    (kind,) = {each["agent_type"] for each in every if each["messages"] == ["1", "2", "3"]}
    assert kind != "shopping"  # as the returned things are
    found = shell.json("list", "interactions", "--agent", kind)["interactions"]
    assert [each["messages"] for each in found] == [["1", "2", "3"]]
    assert (found[0]["outcome"], found[0]["user_feedback"], found[0]["reasoning"]) == (
        "success",
        "Great, booked.",
        None,
    )
    (cell,) = shell.json("show", found[0]["id"])["memcells"]
    assert "flight to Oslo" in cell["original_data"][0]["text"]
    assert shell.json("status")["counts"]["interactions"] == 4
    assert "booked" in shell("list", "interactions").stdout


@pytest.mark.parametrize("command", ["examples", "rules", "rules override", "rules validate", "rules retire"])
def test_each_command_has_help_and_stands_in_the_manual(command: str, tmp_path: Path) -> None:
    assert Shell(tmp_path / "none.duckdb")(*command.split(), "--help").returncode == 0
    assert f"evermem {command.split()[0]}" in manual()
