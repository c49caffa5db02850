"""Nothing private in what any tool, resource or the prompt tells an assistant, nor in what is logged of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.config import Settings
from evermem_cli.errors import EvermemError
from evermem_cli.mcp import protocol
from evermem_cli.mcp.brief import brief
from evermem_cli.mcp.budget import rendered
from evermem_cli.mcp.host import MemoryHost
from evermem_cli.mcp.resources import RESOURCES
from evermem_cli.mcp.tools import TOOLS
from evermem_cli.store import Store
from evermem_cli.store.lifecycle import forget
from tests.cli.test_main import Shell
from tests.cli.test_privacy import REASON, private_memory
from tests.support.tables import rows

HEALTH, MONEY = "What do I take for my sinus?", "What is my salary?"
SECRET = {"": ("antibiotics", "sinus", "salary", "40k"), REASON: ("antibiotics", "sinus")}
LATER = "2040-01-01"
ASKED: dict[str, list[dict[str, Any]]] = {
    "search": [
        *({"query": query} | more for query in (HEALTH, MONEY) for more in ({}, {"k": 50}, {"as_of": LATER})),
        *({"query": HEALTH, "kind": [kind]} for kind in ("message", "episode", "fact", "foresight", "digest")),
        {"query": HEALTH, "max_tokens": 600},
        {"query": "antibiotics", "since": "2025-03-01", "until": "2025-03-02"},
    ],
    "ask": [{"question": question, "mode": "light"} for question in (HEALTH, MONEY, "Why does it rain?")],
    "profile": [{}, {"history": True}, {"as_of": "2025-03-01T09:03:00Z"}, {"known_at": LATER}],
    "timeline": [{}, {"since": "2025-03-01"}, {"until": LATER}, {"theme": "antibiotics"}, {"person": "Ann"}],
    "examples": [{"situation": HEALTH}, {"situation": MONEY, "k": 50}, {"situation": HEALTH, "agent_type": "cooking"}],
    "remember": [{"text": "It rains."}],
    "status": [{}],
}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    return private_memory(tmp_path_factory.mktemp("served"))


def every_id(db: Path) -> list[str]:
    with Store(db, timeout=2).read() as reader:
        named = [(table, key) for table, key in forget.KEYS.items() if key and table != "conflicts"]
        return [row["id"] for table, key in named for row in rows(reader, f"select {key} as id from {table}")]


def told(host: MemoryHost, name: str, given: dict[str, Any], reason: str) -> str:
    """All that a client is told, without what it has said itself."""
    tool = next(tool for tool in TOOLS if tool.name == name)
    try:
        shown = rendered(tool(host.call("spy", reason, name), given))
    except EvermemError as error:
        shown = protocol.line(error)
    for own in (value for value in given.values() if isinstance(value, str)):
        shown = shown.replace(json.dumps(own)[1:-1], "")
    return shown


@pytest.mark.parametrize("reason", SECRET)
def test_no_tool_tells_anything_private(shell: Shell, reason: str) -> None:
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    asked = [(name, given) for name, several in ASKED.items() for given in several]
    asked += [("fetch", {"id": memory_id}) for memory_id in every_id(shell.db)]
    assert {name for name, _ in asked} == {tool.name for tool in TOOLS}
    leaks = []
    for name, given in asked:
        shown = told(host, name, given | ({"reason": reason} if reason and name != "remember" else {}), reason)
        leaks += [(name, given, word) for word in SECRET[reason] if word in shown]
    assert leaks == []


@pytest.mark.parametrize("reason", SECRET)
def test_no_resource_and_no_prompt_tells_anything_private(shell: Shell, reason: str) -> None:
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    for resource in RESOURCES:
        shown = json.dumps(resource(host.call("spy", reason, resource.name)))
        assert not [word for word in SECRET[reason] if word in shown], resource.name
    lines = brief(host.call("spy", reason, "brief").session)
    assert lines
    assert not [word for word in SECRET[reason] if word in lines]


def test_a_resource_that_withholds_something_names_a_tool_that_takes_a_reason(shell: Shell) -> None:
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    for resource in RESOURCES:
        call = host.call("spy", "", resource.name)
        document = resource(call)
        if document["withheld"]:
            assert f"ask again with the tool `{resource.tool}` and its argument `reason`," in document["withheld_hint"]
        assert "reason" in {tool.name: tool for tool in TOOLS}[resource.tool].input_schema["properties"]
    assert RESOURCES[0](host.call("spy", "", "profile"))["withheld"]


def test_the_access_log_keeps_no_question(shell: Shell) -> None:
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    told(host, "search", {"query": HEALTH}, "")
    log = json.dumps(shell.json("access-log", "--as", "spy")["accesses"])
    assert "mcp search" in log
    assert not [word for word in SECRET[""] if word in log]
