"""The assistants that evermem can be connected to, and which of their files are changed.

The file formats are documented by their makers: Claude Code keeps the servers of all projects in `~/.claude.json` and
hooks in `~/.claude/settings.json`; Codex keeps servers in `~/.codex/config.toml` and hooks in `~/.codex/hooks.json`,
Claude Desktop keeps servers in `claude_desktop_config.json` of its own directory, Cursor in `~/.cursor/mcp.json` and
hooks in `~/.cursor/hooks.json`, Gemini CLI both in `~/.gemini/settings.json`, and opencode servers in `opencode.json`
of its own directory, under another name.
"""

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.mcp import client_hooks, configs
from evermem_cli.mcp.client_hooks import CommandOf, Hooks

# settings passed in other ways, or set by the client
NEVER_PASSED_ON = frozenset({"db", "user", "agent", "reason", "key_file"})
Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a client starts evermem: from any directory, with the memory file and settings in use now."""

    program: tuple[str, ...]
    memory: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> "Launch":
        """The running program with the EVERMEM_ variables that are set now."""
        script = Path(sys.executable).with_name("evermem")
        program = (str(script),) if script.exists() else (sys.executable, "-m", "evermem_cli")
        memory = ("--db", settings.memory, "--user", settings.user)
        names = [
            f"EVERMEM_{option.name.upper()}" for option in settings.options() if option.name not in NEVER_PASSED_ON
        ]
        known = {name: os.environ[name] for name in (*names, "EVERMEM_CONFIG") if os.environ.get(name)}
        if settings.key_path:
            known["EVERMEM_KEY_FILE"] = str(settings.key_path.absolute())
        return cls(program, memory, known)

    @property
    def server(self) -> dict[str, Any]:
        """The server entry in the form that most clients share."""
        entry: dict[str, Any] = {"command": self.program[0], "args": [*self.program[1:], "mcp", *self.memory]}
        return entry | ({"env": dict(self.environment)} if self.environment else {})

    def hooks(self, agent: str) -> CommandOf:
        """The command lines of `evermem hook EVENT` for this agent."""
        set_first = "".join(f"{name}={shlex.quote(value)} " for name, value in self.environment.items())
        return lambda event: set_first + shlex.join([*self.program, "hook", event, "--as", agent, *self.memory])


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A client's configuration file, and the edits that connect and disconnect evermem."""

    path: Path
    put: Edit
    take: Edit


def claude_code(launch: Launch) -> list[ConfigFile]:
    """The server for all projects, a brief when a session starts, and ingestion of the session when it ends."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    home = Path(named).expanduser() if named else Path.home() / ".claude"
    servers = home / ".claude.json" if named else Path.home() / ".claude.json"
    return [
        _json_server(servers, {"type": "stdio"} | launch.server),
        _hooks(home / "settings.json", client_hooks.claude_code(launch.hooks("claude-code"))),
    ]


def codex(launch: Launch) -> list[ConfigFile]:
    """The server for all projects, a brief when a session starts, and ingestion of the session when it ends."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex").expanduser()
    put = partial(configs.with_table, server=launch.server)
    return [
        ConfigFile(path=home / "config.toml", put=put, take=configs.without_table),
        _hooks(home / "hooks.json", client_hooks.codex(launch.hooks("codex"))),
    ]


def claude_desktop(launch: Launch) -> list[ConfigFile]:
    """The server."""
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        home = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        home = _config_home()
    return [_json_server(home / "Claude" / "claude_desktop_config.json", launch.server)]


def cursor(launch: Launch) -> list[ConfigFile]:
    """The server for all projects, a brief when a session starts, and ingestion of the session when it ends."""
    home = Path.home() / ".cursor"
    return [
        _json_server(home / "mcp.json", launch.server),
        _hooks(home / "hooks.json", client_hooks.cursor(launch.hooks("cursor")), version=1),
    ]


def gemini_cli(launch: Launch) -> list[ConfigFile]:
    """The server for all projects, a brief when a session starts, and ingestion of the session when it ends."""
    path = Path.home() / ".gemini" / "settings.json"
    server, hooks = _json_server(path, launch.server), _hooks(path, client_hooks.gemini_cli(launch.hooks("gemini-cli")))
    return [
        ConfigFile(
            path=path,
            put=lambda text: hooks.put(server.put(text)),
            take=lambda text: hooks.take(server.take(text)),
        )
    ]


def opencode(launch: Launch) -> list[ConfigFile]:
    """The server, for all projects."""
    named = os.environ.get("OPENCODE_CONFIG_DIR")
    home = Path(named).expanduser() if named else _config_home() / "opencode"
    server: dict[str, Any] = {"type": "local", "command": [*launch.program, "mcp", *launch.memory]}
    if launch.environment:
        server["environment"] = dict(launch.environment)
    put, take = partial(configs.with_server, server=server, under="mcp"), partial(configs.without_server, under="mcp")
    return [ConfigFile(path=home / "opencode.json", put=put, take=take)]


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _hooks(path: Path, hooks: Hooks, version: int | None = None) -> ConfigFile:
    put = partial(configs.with_hooks, hooks=hooks, version=version)
    return ConfigFile(path=path, put=put, take=partial(configs.without_hooks, version=version))


def _json_server(path: Path, server: Mapping[str, Any]) -> ConfigFile:
    return ConfigFile(path=path, put=partial(configs.with_server, server=server), take=configs.without_server)


CLIENTS: Mapping[str, Callable[[Launch], list[ConfigFile]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "claude-desktop": claude_desktop,
    "cursor": cursor,
    "gemini-cli": gemini_cli,
    "opencode": opencode,
}
