"""The protocol over the stdin and stdout of a real server, call by call: bad input, caps, privacy, what goes wrong."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError
from mcp_types import TextContent, TextResourceContents

from evermem_cli.mcp.arguments import LEAST_TOKENS
from evermem_cli.mcp.budget import tokens
from evermem_cli.mcp.resources import MOST_TOKENS
from tests.cli.test_main import Shell
from tests.mcp.test_mcp import CHAT, NAMES, REASON, connected, refused, told

READING: dict[str, dict[str, Any]] = {
    "search": {"query": "What did the doctor say of my cat, salary and antibiotics?", "k": 50},
    "fetch": {},
    "ask": {"question": "What do I take for my sinus infection?", "mode": "light"},
    "profile": {"history": True},
    "timeline": {},
    "examples": {"situation": "see the doctor for antibiotics", "k": 50},
    "status": {},
}
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "by-hand", "version": "1"},
}


class Line:
    """A client that stays connected to one server while the tests call it."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def ask(self, call: Callable[..., Coroutine[Any, Any, Any]], *given: Any) -> Any:
        """What the server says to this call."""

        async def within() -> Any:
            with anyio.fail_after(300):
                return await call(*given)

        return self._portal.call(within)

    def call(self, name: str, given: dict[str, Any]) -> Any:
        """The result of a tool."""
        return self.ask(self.client.call_tool, name, given)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    folder = tmp_path_factory.mktemp("served")
    (folder / "moving.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    done = shell("ingest", "--no-llm", str(folder / "moving.txt"))
    assert done.returncode == 0, done.stderr
    return shell


@pytest.fixture(scope="module")
def line(filled: Shell) -> Iterator[Line]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(connected(filled.db, "caller")) as client,
    ):
        yield Line(portal, client)


@pytest.fixture(scope="module")
def sinus(filled: Shell) -> str:
    """The id of a message that is private."""
    return str(filled.json("search", "antibiotics sinus", "-k", "1")["results"][0]["id"])


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("search", {}, "query: Field required"),
        ("search", {"query": ""}, "at least 1"),
        ("search", {"query": "x", "limit": 3}, "its arguments are"),
        ("search", {"query": "?!"}, "has no words"),
        ("search", {"query": "x" * 5000}, "at most 2000"),
        ("search", {"query": "cat", "k": 0}, "greater than or equal to 1"),
        ("search", {"query": "cat", "k": 10_000}, "less than or equal to 50"),
        ("search", {"query": "cat", "max_tokens": 10**9}, "less than or equal to 20000"),
        ("search", {"query": "cat", "kind": ["secret"]}, "kind"),
        ("search", {"query": "cat", "as_of": "yonder"}, "not a time"),
        ("search", {"query": "cat", "since": "2025-13-45"}, "not a time"),
        ("search", {"query": "cat", "person": "Nobody"}, "Nobody"),
        ("search", {"query": "cat", "reason": 7}, "reason"),
        ("search", {"query": ["cat"]}, "query"),
        ("fetch", {"id": "nonsense"}, "is not in this memory (every tool returns ids"),
        ("fetch", {"id": "msg-"}, "matches several memories (every tool returns ids"),
        ("fetch", {"id": "m"}, "at least 4"),
        ("ask", {"question": "cat?", "mode": "magic"}, "mode"),
        ("profile", {"person": "Nobody"}, "Nobody"),
        ("timeline", {"since": "yonder"}, "not a time"),
        ("examples", {"situation": "cook", "agent_type": "spy"}, "agent_type"),
        ("remember", {"text": "I like tea"}, "agents_may_remember = true"),
        ("remember", {"text": "x" * 5000}, "at most 4000"),
        ("status", {"sql": "select 1"}, "its arguments are"),
    ],
)
def test_bad_input_is_told_with_what_to_do(line: Line, name: str, given: dict[str, Any], said: str) -> None:
    result = line.call(name, given)
    shown = refused(result)
    assert said in shown
    assert re.search(r" \(.+\)$", shown), "a hint"
    assert "`evermem" not in shown and " --" not in shown, "an agent has tools and no command line"
    assert result.structured_content is None, "clients hold a document to the schema of the tool's results"


def test_what_is_not_offered_is_told_with_what_is(line: Line) -> None:
    for call, asked in (
        (line.client.call_tool, ("delete_everything", {})),
        (line.client.read_resource, ("evermem://secrets",)),
        (line.client.get_prompt, ("other",)),
    ):
        with pytest.raises(MCPError, match="there is"):
            line.ask(call, *asked)


@pytest.mark.parametrize("most", [LEAST_TOKENS, 1_000])
@pytest.mark.parametrize("name", READING)
def test_no_result_is_above_its_cap(line: Line, sinus: str, name: str, most: int) -> None:
    given = READING[name] | ({"id": sinus} if name == "fetch" else {})
    result = line.call(name, given | {"max_tokens": most, "reason": REASON})
    assert tokens(told(result)) <= most
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert tokens(json.loads(content.text)) <= most


@pytest.mark.parametrize("reason", ["", REASON])
@pytest.mark.parametrize("name", READING)
def test_no_result_tells_what_is_private(line: Line, sinus: str, name: str, reason: str) -> None:
    given = READING[name] | ({"id": sinus} if name == "fetch" else {})
    shown = json.dumps(told(line.call(name, given | {"max_tokens": 20_000, "reason": reason})))
    for own in (value for value in given.values() if isinstance(value, str)):
        shown = shown.replace(own, "")  # what the client said itself is no secret
    assert "antibiotics" not in shown and "sinus" not in shown
    assert reason or "40k" not in shown


@pytest.mark.parametrize("uri", ["evermem://profile", "evermem://foresights/today"])
def test_no_resource_is_above_its_cap_or_private(line: Line, uri: str) -> None:
    (resource,) = line.ask(line.client.read_resource, uri).contents
    assert isinstance(resource, TextResourceContents)
    assert tokens(json.loads(resource.text)) <= MOST_TOKENS
    assert "antibiotics" not in resource.text


def test_every_result_has_what_its_schema_promises(line: Line, sinus: str) -> None:
    assert line.ask(line.client.list_resource_templates).resource_templates == []
    tools = line.ask(line.client.list_tools).tools
    assert {tool.name for tool in tools} == {*READING, "remember"}
    for tool in tools:
        if tool.name == "remember":
            continue
        given = READING[tool.name] | ({"id": sinus} if tool.name == "fetch" else {})
        assert set(tool.output_schema["required"]) <= set(told(line.call(tool.name, given)))


def test_fifty_calls_one_after_another_say_the_same(line: Line) -> None:
    first = told(line.call("search", {"query": "my cat", "k": 2}))
    for _ in range(50):
        assert told(line.call("search", {"query": "my cat", "k": 2}))["results"][0]["id"] == first["results"][0]["id"]


def test_a_client_that_does_what_it_likes_harms_no_other_call(filled: Shell) -> None:
    """Lines that are no JSON, no request, for no method, and calls before the handshake, each told or passed over."""
    hello = _request(1, "initialize", HELLO)
    asked = [
        "this is no JSON",
        "[]",
        '{"jsonrpc": "2.0"}',
        _request(7, "tools/call", {"name": "search", "arguments": {"query": "cat"}}),
        hello,
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        _request(2, "no/such/method", {}),
        _request(3, "tools/call", {"name": "search", "arguments": "cat"}),
        _request(4, "ping", {}),
        _request(5, "tools/list", {}),
    ]
    replies = _spoken(filled.db, asked)
    assert replies[1]["result"]["serverInfo"]["name"] == "evermem"
    assert replies[2]["error"]["code"] == -32601
    assert "error" in replies[3]
    assert replies[4]["result"] == {}
    assert [tool["name"] for tool in replies[5]["result"]["tools"]] == NAMES
    assert "error" in replies.get(7, {"error": "passed over"})


def test_nothing_but_the_protocol_is_written_and_the_server_ends_with_its_client(filled: Shell) -> None:
    replies = _spoken(filled.db, [_request(1, "initialize", HELLO)])
    assert set(replies) == {1}


def test_a_client_that_is_gone_within_a_call_leaves_no_traceback(filled: Shell) -> None:
    own = {**os.environ, "EVERMEM_DB": str(filled.db)}
    command = [sys.executable, "-m", "evermem_cli", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=own, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(_request(1, "initialize", HELLO) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdin.write(_request(2, "tools/call", {"name": "search", "arguments": {"query": "Leeds"}}) + "\n")
        server.stdout.close()
        server.stdin.close()
        assert server.stderr.read() == ""
        assert server.wait(300) == 0


def _request(number: int, method: str, params: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _spoken(db: Path, lines: list[str]) -> dict[int, dict[str, Any]]:
    """The replies to lines written by hand, by their numbers; the server has ended by itself, and said nothing else."""
    own = {**os.environ, "EVERMEM_DB": str(db)}
    command = [sys.executable, "-m", "evermem_cli", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own, text=True) as server:
        assert server.stdin and server.stdout
        server.stdin.write("".join(f"{line}\n" for line in lines))
        server.stdin.flush()
        wanted = {json.loads(line)["id"] for line in lines if '"id": ' in line} - {7}
        replies: dict[int, dict[str, Any]] = {}
        while wanted - set(replies):
            reply = json.loads(server.stdout.readline())
            replies |= {reply["id"]: reply} if reply.get("id") is not None else {}
        server.stdin.close()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.stdout)
        assert server.wait(300) == 0
    return replies
