"""Clients' own configurations: what is put in comes out again, and nothing else changes."""

import json
import os
import shlex
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from evermem_cli.errors import UsageError
from evermem_cli.mcp import configs
from evermem_cli.mcp.changes import changes
from evermem_cli.mcp.clients import ConfigFile
from tests.cli.test_main import CHAT

SERVER = {"command": "/bin/evermem", "args": ["mcp", "--db", 'C:\\a "b".duckdb'], "env": {"EVERMEM_TZ": "UTC"}}
HOOKS = {"SessionEnd": {"hooks": [{"type": "command", "command": "/bin/evermem hook session-end --as claude-code"}]}}
CODEX = """# my settings
model = "o4"  # stays

[mcp_servers.other]
command = "npx"

[mcp_servers.other.env]
KEY = "[mcp_servers.evermem]"
"""


def test_a_server_goes_into_json_and_out_again_with_its_indent_and_order() -> None:
    before = '{\n    "z": 1,\n    "mcpServers": {\n        "other": {"command": "npx"}\n    },\n    "a": "é"\n}\n'
    put = configs.with_server(before, SERVER)
    assert json.loads(put)["mcpServers"]["evermem"] == SERVER
    assert '\n    "z"' in put
    assert "é" in put
    assert configs.with_server(put, SERVER) == put
    assert json.loads(configs.without_server(put)) == json.loads(before)
    assert list(json.loads(configs.without_server(put))) == ["z", "mcpServers", "a"]
    assert configs.without_server(before) == before


def test_hooks_of_others_stay_and_ours_are_there_once() -> None:
    other = {"matcher": "x", "hooks": [{"type": "command", "command": "make evermem"}]}
    before = json.dumps({"hooks": {"SessionEnd": [other, {"odd": 1}], "Stop": "odd"}, "model": "opus"})
    twice = configs.with_hooks(configs.with_hooks(before, HOOKS), HOOKS)
    assert json.loads(twice)["hooks"]["SessionEnd"] == [other, {"odd": 1}, HOOKS["SessionEnd"]]
    assert json.loads(configs.without_hooks(twice)) == json.loads(before)
    assert json.loads(configs.without_hooks(configs.with_hooks("", HOOKS))) == {}


@pytest.mark.parametrize("before", ["", CODEX])
def test_a_table_goes_into_toml_and_out_again_and_comments_stay(before: str) -> None:
    put = configs.with_table(before, SERVER)
    assert tomllib.loads(put)["mcp_servers"]["evermem"] == SERVER
    assert put.startswith(before.rstrip())
    assert configs.with_table(put, SERVER) == put
    assert configs.without_table(put) == before


def test_a_table_in_the_middle_is_found_and_one_in_another_form_is_left_alone() -> None:
    middle = '[mcp_servers.evermem]\ncommand = "old"\n\n[mcp_servers.evermem.env]\nA = "b"\n\n[other]\nx = 1\n'
    assert configs.without_table(middle) == "[other]\nx = 1\n"
    for text in ('[mcp_servers]\nevermem = { command = "old" }\n', 'mcp_servers.evermem.command = "old"\n'):
        with pytest.raises(UsageError):
            configs.with_table(text, SERVER)


@pytest.mark.parametrize("text", ["[]", "{", '{"mcpServers": []}', "// a comment\n{}"])
def test_what_is_no_configuration_is_not_touched(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    part = ConfigFile(path=path, put=lambda before: configs.with_server(before, SERVER), take=configs.without_server)
    with pytest.raises(UsageError, match=r"mcp\.json"):
        changes([part], undo=False)
    assert path.read_text() == text


def test_a_file_that_changes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    part = ConfigFile(path=path, put=lambda before: configs.with_server(before, SERVER), take=configs.without_server)
    (change,) = changes([part], undo=False)
    path.write_text('{"new": 1}')
    with pytest.raises(UsageError, match="just been changed"):
        change.make()
    assert path.read_text() == '{"new": 1}'


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    part = ConfigFile(path=link, put=lambda before: configs.with_server(before, SERVER), take=configs.without_server)
    (change,) = changes([part], undo=False)
    copy = change.make()
    assert copy is not None
    assert copy.read_text() == "{}"
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "evermem" in json.loads(real.read_text())["mcpServers"]


@dataclass
class Home:
    """Runs evermem for somebody with an own home directory."""

    path: Path

    def __call__(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        own = {"HOME": str(self.path), "EVERMEM_DB": str(self.path / "memory.duckdb"), "XDG_CONFIG_HOME": ""}
        return subprocess.run(
            [sys.executable, "-m", "evermem_cli", *arguments],
            input=stdin, capture_output=True, text=True, env=os.environ | own,
        )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


PLACES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "gemini-cli": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}


@pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")
@pytest.mark.parametrize("client", PLACES)
def test_connecting_shows_the_change_and_asks_and_undo_takes_it_out(home: Home, client: str) -> None:
    path = home.path / PLACES[client]
    asked = home("connect", client)
    assert (asked.returncode, path.exists()) == (2, False)
    assert "+" in asked.stderr
    assert "there is no terminal to ask on (add --yes)" in asked.stderr
    assert home("connect", client, "--yes").returncode == 0
    text = path.read_text()
    known = tomllib.loads(text)["mcp_servers"] if path.suffix == ".toml" else json.loads(text)
    entry = known.get("mcpServers", known.get("mcp", known))["evermem"]
    program, *arguments = [entry["command"], *entry["args"]] if "args" in entry else entry["command"]
    assert arguments[-5:] == ["mcp", "--db", str(home.path / "memory.duckdb"), "--user", "default"]
    assert Path(program).is_absolute()
    assert "is connected already" in home("connect", client, "--yes").stdout
    assert home("connect", client, "--undo", "--yes").returncode == 0
    assert "evermem" not in path.read_text()
    assert "does not know evermem" in home("connect", client, "--undo").stdout


@pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")
def test_the_hooks_of_claude_code_brief_it_and_take_its_session_in(home: Home, minilm: Path) -> None:
    assert home("connect", "claude-code", "--yes").returncode == 0
    hooks = json.loads((home.path / ".claude/settings.json").read_text())["hooks"]
    start, end = (hooks[event][0]["hooks"][0]["command"] for event in ("SessionStart", "SessionEnd"))
    arguments = {name: shlex.split(command) for name, command in (("start", start), ("end", end))}
    own = {name: words[words.index("hook") :] for name, words in arguments.items()}
    before = home(*own["start"], stdin="{}")
    assert (before.returncode, before.stdout) == (0, "")
    transcript = home.path / "session.jsonl"
    event = {"type": "user", "sessionId": "s1", "uuid": "u1", "parentUuid": None, "timestamp": "2025-05-01T10:00:00Z"}
    said = {"role": "user", "content": "My cat is called Biscuit and I work at Fennimore."}
    transcript.write_text(json.dumps(event | {"message": said}) + "\n")
    begun = time.monotonic()
    ended = home(*own["end"], stdin=json.dumps({"transcript_path": str(transcript), "reason": "exit"}))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    deadline = begun + 120
    while "Biscuit" not in home("search", "Biscuit", "--json").stdout and time.monotonic() < deadline:
        time.sleep(1)
    assert "Biscuit" in home("search", "Biscuit", "--json").stdout
    brief = home(*own["start"], stdin="{}")
    assert brief.returncode == 0
    assert "never instructions" in brief.stdout
    log = json.loads(home("access-log", "--json").stdout)["accesses"]
    assert {(entry["agent"], entry["command"]) for entry in log} == {("claude-code", "hook session-start")}


@pytest.mark.parametrize("event", ["", "[]", "{}", '{"transcript_path": 3}', '{"transcript_path": "/etc/passwd"}'])
def test_an_event_without_a_transcript_fails_nobody(home: Home, event: str) -> None:
    done = home("hook", "session-end", stdin=event)
    assert (done.returncode, done.stdout) == (0, "")
    assert not (home.path / "memory.duckdb").exists()


def test_a_memory_that_moved_on_breaks_no_session(home: Home) -> None:
    (home.path / "memory.duckdb").write_text(CHAT)
    done = home("hook", "session-start", "--as", "claude-code", stdin="{}")
    assert (done.returncode, done.stdout) == (0, "")
    assert "not a usable DuckDB file" in done.stderr
