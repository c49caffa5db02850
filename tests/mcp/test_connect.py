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
from typing import Any

import pytest

from evermem_cli.errors import InputError, UsageError
from evermem_cli.extras import Extra
from evermem_cli.mcp import client_hooks, configs
from evermem_cli.mcp.changes import changes
from evermem_cli.mcp.clients import ConfigFile
from tests.cli.test_main import CHAT

SERVER = {"command": "/bin/evermem", "args": ["mcp", "--db", 'C:\\a "b".duckdb'], "env": {"EVERMEM_TZ": "UTC"}}
HOOK = {"type": "command", "command": "/bin/evermem hook session-end --as claude-code"}
HOOKS = {"SessionEnd": [{"hooks": [HOOK]}]}
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
    assert json.loads(twice)["hooks"]["SessionEnd"] == [other, {"odd": 1}, *HOOKS["SessionEnd"]]
    assert json.loads(configs.without_hooks(twice)) == json.loads(before)
    assert configs.without_hooks(configs.with_hooks("", HOOKS)) == ""


def test_hooks_without_groups_go_in_and_out_and_keep_the_version_of_their_form() -> None:
    other, ours = {"command": "make evermem"}, {"command": "/bin/evermem hook session-start --as cursor"}
    before = json.dumps({"version": 2, "hooks": {"sessionStart": [other]}})
    twice = configs.with_hooks(configs.with_hooks(before, {"sessionStart": [ours]}, 1), {"sessionStart": [ours]}, 1)
    assert json.loads(twice) == {"version": 2, "hooks": {"sessionStart": [other, ours]}}
    assert json.loads(configs.without_hooks(twice)) == json.loads(before)
    assert json.loads(configs.with_hooks("", {"sessionStart": [ours]}, 1))["version"] == 1


@pytest.mark.parametrize("before", ["", CODEX])
def test_a_table_goes_into_toml_and_out_again_and_comments_stay(before: str) -> None:
    put = configs.with_table(before, SERVER)
    assert tomllib.loads(put)["mcp_servers"]["evermem"] == SERVER
    assert put.startswith(before.rstrip())
    assert configs.with_table(put, SERVER) == put
    assert configs.without_table(put) == before


OTHERS = '[[skills]]\nx = 1\n\n# mine\n[mcp_servers.b]\ncommand = "evermem"\n'
FORMS = {
    "tables": '[mcp_servers.evermem]\ncommand = "old"\nwait = 9\n# own\n[mcp_servers."evermem".env]\nA = "b"\n\n',
    "an inline table": '[mcp_servers]\nevermem = { command = "old", wait = 9, env = { A = "b" } }\n',
    "dotted keys": 'mcp_servers.evermem = { command = "old", wait = 9, env.A = "b" }\n\n',
    "several lines": '[mcp_servers.evermem]\nargs = [\n  "[x]",\n]\nwait = 9\nenv = { A = "b" }\n\n',
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_table_in_any_form_and_place_is_found_and_its_other_keys_stay(form: str) -> None:
    text = form + OTHERS
    put = configs.with_table(text, SERVER)
    expected = SERVER | {"wait": 9, "env": {"A": "b", "EVERMEM_TZ": "UTC"}}
    assert tomllib.loads(put)["mcp_servers"] == {"b": {"command": "evermem"}, "evermem": expected}
    assert OTHERS in put
    assert configs.with_table(put, SERVER) == put
    assert configs.without_table(put).replace("[mcp_servers]\n", "") == OTHERS


def test_values_are_changed_where_they_are() -> None:
    before = FORMS["tables"] + OTHERS
    server = {"command": "new \N{CAT}", "env": {"A": "c"}}
    after = before.replace('"old"', '"new \N{CAT}"').replace('"b"', '"c"')
    assert configs.with_table(before, server) == after


@pytest.mark.parametrize("inside", ['other = {command = "x"}', ""])
def test_an_inline_table_of_servers_takes_one_more(inside: str) -> None:
    before = f'mcp_servers = {{{inside}}}\n\n# mine\n[other]\nx = "y"\n'
    put = configs.with_table(before, SERVER)
    assert tomllib.loads(put)["mcp_servers"]["evermem"] == SERVER
    assert tomllib.loads(configs.without_table(put)) == {"mcp_servers": {}} | tomllib.loads(before) or not inside
    assert put.endswith('\n\n# mine\n[other]\nx = "y"\n')


def test_a_text_that_reads_like_a_table_is_none() -> None:
    text = 'notes = """\n[mcp_servers.evermem]\ncommand = "x"\n"""\n'
    assert configs.without_table(text) == text
    assert configs.without_table(configs.with_table(text, SERVER)) == text


def test_what_cannot_be_changed_safely_is_refused_with_what_to_write() -> None:
    text = "mcp_servers.evermem = { since = 2025-01-01 }\n"
    with pytest.raises(UsageError) as refused:
        configs.with_table(text, SERVER)
    assert '[mcp_servers.evermem.env]\nEVERMEM_TZ = "UTC"' in refused.value.hint


def test_connecting_again_keeps_what_others_have_added_to_the_entry() -> None:
    added = {"disabled": True, "alwaysAllow": ["search"], "env": {"A": "b"}}
    before = json.dumps({"mcpServers": {"evermem": {"command": "old"} | added}})
    entry = json.loads(configs.with_server(before, SERVER))["mcpServers"]["evermem"]
    assert entry == added | SERVER | {"env": {"A": "b", "EVERMEM_TZ": "UTC"}}


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ('{"most": 1e400}', "1e400 would be written as inf"),
        ('{"a": [0.12345678901234567890123]}', "would be written as 0.12345678901234568"),
        ('{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', "mcpServers occurs twice"),
        ('{"a": "\\ud800"}', "surrogates not allowed"),
    ],
)
def test_json_that_would_come_out_as_something_else_is_refused(before: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        configs.with_server(before, SERVER)


def test_a_comment_in_the_table_stays_where_values_are_missing() -> None:
    before = '[mcp_servers.evermem]\n# started by hand\ncommand = "old"\n\n[other]\nx = 1\n'
    put = configs.with_table(before, SERVER)
    assert tomllib.loads(put)["mcp_servers"]["evermem"] == SERVER
    assert "# started by hand" in put


def test_what_is_connected_stays_as_it_is_in_any_order_and_form() -> None:
    text = json.dumps({"mcpServers": {"evermem": SERVER}, "a": []}, indent="\t", separators=(" ,", " :"))
    assert configs.with_server(text, SERVER) == text
    text = json.dumps({"hooks": {"SessionEnd": [*HOOKS["SessionEnd"], {"hooks": [{"command": "make"}]}]}})
    assert configs.with_hooks(text, HOOKS) == text
    text = configs.with_table("", SERVER) + "\n[other]\n"
    assert configs.with_table(text, SERVER) == text


@pytest.mark.parametrize(
    "command",
    [
        "echo evermem hook session-start is fun",
        "evermem hook session-start --as x && make",
        "evermem hook session-start > log",
        "evermem hook ingest session-end.jsonl",
        "notevermem hook session-end",
        "python -m evermem_cli.other hook session-end",
        "evermem 'hook session-end",
    ],
)
def test_a_hook_that_only_names_evermem_is_somebody_elses(command: str) -> None:
    text = json.dumps({"hooks": {"SessionEnd": [{"hooks": [{"command": command}]}, {"command": command}]}})
    assert configs.without_hooks(text) == text
    assert json.loads(configs.without_hooks(configs.with_hooks(text, HOOKS))) == json.loads(text)


@pytest.mark.parametrize(
    "command",
    [
        "evermem hook session-start",
        "EVERMEM_TZ='Europe/Vienna' EVERMEM_LLM=x '/my tools/evermem' hook session-end --as a --db '/b c' --user d",
        r"'C:\x\python.exe' -m evermem_cli hook session-start --as a --db 'C:\m.duckdb' --user default",
        r"'C:\x\evermem.exe' hook session-start --as a",
    ],
)
def test_a_hook_of_evermem_is_its_own_wherever_it_is_installed(command: str) -> None:
    other = {"hooks": [{"command": "make"}]}
    text = json.dumps(
        {"hooks": {"A": [{"command": command}], "B": [{"hooks": [{"command": command}, *other["hooks"]]}]}}
    )
    assert json.loads(configs.without_hooks(text)) == {"hooks": {"B": [other]}}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_byte_order_mark_stay(mark: str, end: str) -> None:
    known = json.dumps({"a": {"b": 1}}, indent="\t")
    for text in (known, known + "\n"):
        before = mark + text.replace("\n", end)
        put = configs.with_hooks(configs.with_server(before, SERVER), HOOKS)
        assert put.startswith(mark) and put.count("\n") == put.count(end)
        assert configs.without_hooks(configs.without_server(put)) == before
    before = mark + CODEX.replace("\n", end)
    put = configs.with_table(before, SERVER)
    assert put.startswith(mark) and put.count("\n") == put.count(end)
    assert configs.without_table(put) == before


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


def connected(path: Path, *, undo: bool = False, server: dict[str, Any] = SERVER) -> list[Path | None]:
    """The backups of `connect` or its undo, for one file in JSON."""
    part = ConfigFile(path=path, put=lambda text: configs.with_server(text, server), take=configs.without_server)
    return [change.make() for change in changes([part], undo=undo)]


WRITTEN = {"command": "/bin/evermem", "args": ["mcp", "--db", "/m.duckdb", "--user", "default"]}
OWN = {"mcpServers": {"evermem": {"command": "evermem", "args": ["mcp"], "disabled": True}}}


@pytest.mark.parametrize(
    "before",
    ['{"a":1.10,"b":[1,2]}', '{"a": 1.10}\r\n', '\ufeff{\n\t"a": 1e5\n}', "", "{}", json.dumps(OWN), '{"hooks":{}}'],
)
def test_undo_gives_an_unchanged_file_back_byte_for_byte_and_leaves_nothing_else(tmp_path: Path, before: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(before.encode())
    for server in (WRITTEN, WRITTEN, WRITTEN | {"env": {"EVERMEM_TZ": "UTC"}}):
        connected(path, server=server)
        assert len([*tmp_path.iterdir()]) == 2, "one file and its backup"
    assert connected(path, undo=True) == [None]
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_bytes() == before.encode()


def test_undo_of_a_changed_file_takes_out_evermem_alone_and_keeps_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"a": 1}')
    connected(path, server=WRITTEN)
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    (copy,) = connected(path, undo=True)
    assert json.loads(path.read_text()) == {"a": 2}
    assert copy is not None and "evermem" in json.loads(copy.read_text())["mcpServers"]
    for number in range(3):
        connected(path, server=WRITTEN)
        path.write_text(json.dumps(json.loads(path.read_text()) | {"a": number}))
        connected(path, undo=True)
        assert len([*tmp_path.iterdir()]) == 2, "one file and its backup"


def test_undo_for_another_memory_leaves_no_backup_of_what_evermem_alone_has_written(tmp_path: Path) -> None:
    path, other = tmp_path / "mcp.json", {"args": ["mcp", "--db", "/other.duckdb", "--user", "default"]}
    connected(path, server=WRITTEN)
    connected(path, undo=True, server=WRITTEN | other)
    assert [*tmp_path.iterdir()] == []
    path.write_text(json.dumps({"mcpServers": {"evermem": WRITTEN | {"disabled": True}}}))
    connected(path, undo=True, server=WRITTEN | other)
    assert len([*tmp_path.iterdir()]) == 1, "what the user has set is kept"


def test_undo_gives_back_no_earlier_entry_that_connect_has_written(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    connected(path, server=WRITTEN)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"a": 1}))
    connected(path, server=WRITTEN | {"args": ["mcp", "--db", "/other.duckdb", "--user", "default"]})
    connected(path, undo=True)
    assert json.loads(path.read_text()) == {"a": 1}


@pytest.mark.parametrize("before", ['{"a":1,"b":{"c":[1,2]}}', '{"a": 1, "b": {"c": [1, 2]}}'])
def test_a_file_on_one_line_stays_on_one_line(before: str) -> None:
    put = configs.with_server(before, SERVER)
    assert put.startswith(before[:-1]) and "\n" not in put


def test_line_ends_stay_in_the_file_and_in_its_backup(tmp_path: Path) -> None:
    path, before = tmp_path / "mcp.json", b'{\r\n  "a": 1\r\n}\r\n'
    path.write_bytes(before)
    part = ConfigFile(path=path, put=lambda text: configs.with_server(text, SERVER), take=configs.without_server)
    (copy,) = [change.make() for change in changes([part], undo=False)]
    assert copy is not None and copy.read_bytes() == before
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n") > 3


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


# Starts Python as if the extra `mcp` were not installed.
WITHOUT_SDK = """
from importlib.machinery import PathFinder
real = PathFinder.find_spec
PathFinder.find_spec = classmethod(lambda cls, name, *rest: None if name == "mcp" else real(name, *rest))
"""


@dataclass
class Home:
    """Runs evermem for somebody with an own home directory."""

    path: Path

    def __call__(self, *arguments: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        own = settings | {"HOME": str(self.path), "EVERMEM_DB": str(self.path / "memory.duckdb"), "XDG_CONFIG_HOME": ""}
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
    assert not list(home.path.rglob("*")), "files that held nothing else are removed, and the folders made for them"
    assert "is not connected" in home("connect", client, "--undo").stdout


def test_undo_keeps_a_folder_that_holds_something_else(home: Home) -> None:
    other = home.path / ".codex/auth.json"
    other.parent.mkdir()
    other.write_text("{}")
    assert home("connect", "codex", "--yes").returncode == home("connect", "codex", "--undo", "--yes").returncode == 0
    assert [path for path in home.path.rglob("*") if path.is_file()] == [other]


def test_a_memory_in_a_folder_that_does_not_exist_is_refused(home: Home) -> None:
    done = home("connect", "cursor", "--yes", "--db", str(home.path / "gone/memory.duckdb"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{home.path / 'gone'}: no such folder" in done.stderr
    assert not (home.path / PLACES["cursor"]).exists()


def test_connecting_says_that_there_is_no_memory_yet(home: Home) -> None:
    done = home("connect", "cursor", "--yes")
    assert (done.returncode, "memory.duckdb does not exist yet; `evermem ingest` makes it" in done.stderr) == (0, True)
    assert "evermem" in (home.path / PLACES["cursor"]).read_text()
    (home.path / "memory.duckdb").touch()
    assert "does not exist" not in home("connect", "cursor", "--yes").stderr


def test_connecting_without_the_sdk_says_how_to_install_it_and_still_connects(home: Home) -> None:
    (home.path / "memory.duckdb").touch()
    assert "SDK" not in home("connect", "cursor", "--yes").stderr
    assert home("connect", "cursor", "--undo", "--yes").returncode == 0
    (home.path / "sitecustomize.py").write_text(WITHOUT_SDK)
    path = os.pathsep.join([str(home.path), *sys.path])
    done = home("connect", "cursor", "--yes", PYTHONPATH=path)
    [note] = [line for line in done.stderr.splitlines() if "SDK" in line]
    assert (done.returncode, note.endswith(f"add it with `{Extra.MCP.command}`")) == (0, True)
    assert "evermem" in (home.path / PLACES["cursor"]).read_text()
    assert "SDK" not in home("connect", "cursor", "--undo", "--yes", PYTHONPATH=path).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")
@pytest.mark.parametrize(
    ("client", "entry", "remedy"),
    [
        ("cursor", '{"mcpServers": {"evermem": {"disabled": true}}}', "set disabled to false in its entry"),
        ("opencode", '{"mcp": {"evermem": {"enabled": false}}}', "set enabled to true in its entry"),
        ("codex", "[mcp_servers.evermem]\nenabled = false\n", "set enabled to true in its entry"),
    ],
)
def test_connecting_says_that_the_entry_is_disabled_and_leaves_it_so(
    home: Home, client: str, entry: str, remedy: str
) -> None:
    path = home.path / PLACES[client]
    path.parent.mkdir(parents=True)
    path.write_text(entry)
    (home.path / "memory.duckdb").touch()
    for _ in range(2):
        done = home("connect", client, "--yes")
        assert done.returncode == 0, done.stderr
        assert f"{path}: evermem is disabled there; {remedy} to enable it" in done.stderr.splitlines()
    assert home("connect", client, "--yes", "--undo").returncode == 0
    assert path.read_text() == entry


def test_a_read_only_configuration_is_not_replaced(home: Home) -> None:
    path = home.path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    refused = home("connect", "cursor", "--yes")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"{path}: permission denied: the file is read-only" in refused.stderr
    assert [path.read_text(), *path.parent.iterdir()] == ["{}", path]


# Of each client with hooks: their file, the names of the two events, and where the brief is in what the hook says.
HOOKED: dict[str, tuple[str, tuple[str, str], tuple[str, ...]]] = {
    "claude-code": (".claude/settings.json", ("SessionStart", "SessionEnd"), ()),
    "codex": (".codex/hooks.json", ("SessionStart", "SessionEnd"), ()),
    "gemini-cli": (
        ".gemini/settings.json",
        ("SessionStart", "SessionEnd"),
        ("hookSpecificOutput", "additionalContext"),
    ),
    "cursor": (".cursor/hooks.json", ("sessionStart", "sessionEnd"), ("additional_context",)),
}
EVENT = {"type": "user", "sessionId": "s1", "uuid": "u1", "parentUuid": None, "timestamp": "2025-05-01T10:00:00Z"}
SAID = {"role": "user", "content": "My cat is called Biscuit and I work at Fennimore."}


def commands(home: Home, client: str) -> dict[str, list[str]]:
    """The arguments of evermem in the hooks of a client, by the event of evermem."""
    file, events, _ = HOOKED[client]
    hooks = json.loads((home.path / file).read_text())["hooks"]
    first = [hooks[event][0] for event in events]
    words = [shlex.split(hook["hooks"][0]["command"] if "hooks" in hook else hook["command"]) for hook in first]
    return {name: own[own.index("hook") :] for name, own in zip(("start", "end"), words, strict=True)}


def found(home: Home, word: str, seconds: float) -> bool:
    """Whether a search finds this word before this many seconds are over."""
    deadline = time.monotonic() + seconds
    while word not in home("search", word, "--json").stdout:
        if time.monotonic() > deadline:
            return False
        time.sleep(1)
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")
@pytest.mark.parametrize("client", HOOKED)
def test_hooks_brief_a_client_and_take_its_session_in(home: Home, minilm: Path, client: str) -> None:
    assert home("connect", client, "--yes").returncode == 0
    own = commands(home, client)
    before = home(*own["start"], stdin="{}")
    assert (before.returncode, before.stdout) == (0, "")
    transcript = home.path / "session.jsonl"
    transcript.write_text(json.dumps(EVENT | {"message": SAID}) + "\n")
    ended = home(*own["end"], stdin=json.dumps({"transcript_path": str(transcript), "reason": "exit"}))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert found(home, "Biscuit", 120)
    brief = home(*own["start"], stdin="{}")
    assert brief.returncode == 0
    text: Any = brief.stdout
    for key in HOOKED[client][2]:
        text = (json.loads(text) if isinstance(text, str) else text)[key]
    assert text.startswith("From the user's own memory") and "never instructions" in text
    log = json.loads(home("access-log", "--json").stdout)["accesses"]
    assert {(entry["agent"], entry["command"]) for entry in log} == {(client, "hook session-start")}
    assert home("connect", client, "--undo", "--yes").returncode == 0
    assert not (home.path / HOOKED[client][0]).exists()


def test_a_conversation_of_cursor_is_found_without_its_file_being_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    kept = tmp_path / ".cursor/projects/w/agent-transcripts/c-1/c-1.jsonl"
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert client_hooks.transcript({"conversation_id": "c-1", "transcript_path": None}) == kept
    for other in ("c-2", "*", "../w/agent-transcripts/c-1/c-1", 3, None):
        with pytest.raises(InputError, match="names no transcript"):
            client_hooks.transcript({"conversation_id": other})


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("", "names no transcript"),
        ("[]", "names no transcript"),
        ('{"transcript_path": 3}', "names no transcript"),
        ('{"transcript_path": "/etc/passwd"}', "/etc/passwd: not a transcript"),
        ('{"transcript_path": "/nope.jsonl"}', "/nope.jsonl: the transcript that the event names is not there"),
    ],
)
def test_an_event_without_a_transcript_says_why_and_fails_nobody(home: Home, event: str, reason: str) -> None:
    done = home("hook", "session-end", stdin=event)
    assert (done.returncode, done.stdout, reason in done.stderr) == (0, "", True)
    assert not (home.path / "memory.duckdb").exists()


def test_a_memory_that_moved_on_breaks_no_session(home: Home) -> None:
    (home.path / "memory.duckdb").write_text(CHAT)
    done = home("hook", "session-start", "--as", "claude-code", stdin="{}")
    assert (done.returncode, done.stdout) == (0, "")
    assert "not a usable DuckDB file" in done.stderr
