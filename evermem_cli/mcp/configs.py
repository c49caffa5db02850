"""Edits of clients' configuration files: adds or removes evermem's entry and leaves all else unchanged.

Each function takes the text of a file, empty where there is none, and returns its new text.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from evermem_cli.errors import UsageError

NAME = "evermem"  # the name of the server in every client
SERVERS = "mcpServers"  # the name that most clients give to all servers
OURS = re.compile(r"\bevermem(?:_cli)?\b.*\bhook session-(?:start|end)\b")
_INDENT = re.compile(r"\n([ \t]+)\S")
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Table = dict[str, Any]


def with_server(text: str, server: Mapping[str, Any], under: str = SERVERS) -> str:
    """A JSON configuration with the server among those `under` a name. Raises UsageError where the JSON is invalid."""
    known = _json(text)
    _part(known, under, dict)[NAME] = dict(server)
    return _dumped(known, text)


def without_server(text: str, under: str = SERVERS) -> str:
    """The configuration without the server."""
    known = _json(text)
    if NAME not in _part(known, under, dict):
        return text
    del known[under][NAME]
    return _dumped(known, text)


def with_hooks(text: str, hooks: Mapping[str, Sequence[Mapping[str, Any]]], version: int | None = None) -> str:
    """A JSON configuration with these hooks of each event, in place of evermem's earlier ones.

    Those that have none yet get the `version` of their form, if there is one.
    """
    known = _json(text)
    if version is not None:
        known.setdefault("version", version)
    _take_hooks(known)
    for event, added in hooks.items():
        _part(_part(known, "hooks", dict), event, list).extend(map(dict, added))
    return _dumped(known, text)


def without_hooks(text: str) -> str:
    """The configuration without evermem's hooks. Other hooks stay."""
    known = _json(text)
    return _dumped(known, text) if _take_hooks(known) else text


def with_table(text: str, server: Mapping[str, Any]) -> str:
    """Codex's TOML configuration with the server as the last table. Comments stay.

    Raises UsageError where the TOML is invalid, or where the server is not in a table of its own.
    """
    rest = without_table(text)
    block = _toml_table(f"mcp_servers.{NAME}", server)
    made = f"{rest.rstrip()}\n\n{block}" if rest.strip() else block
    if _toml(made).get("mcp_servers", {}).get(NAME) != server:
        raise UsageError("the configuration cannot be changed safely", f"add by hand:\n{block}")
    return made


def without_table(text: str) -> str:
    """The configuration without the server."""
    known = _toml(text)
    if NAME not in known.get("mcp_servers", {}):
        return text
    kept, ours = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            ours = re.match(rf'\s*\[mcp_servers\.(?:{NAME}|"{NAME}")[\].]', line) is not None
        if not ours:
            kept.append(line)
    made = "".join(kept)
    expected = {name: server for name, server in known["mcp_servers"].items() if name != NAME}
    if _toml(made).get("mcp_servers", {}) != expected:
        raise UsageError("the configuration cannot be changed safely", f"remove mcp_servers.{NAME} by hand")
    return f"{made.rstrip()}\n" if made.strip() else ""


def _take_hooks(known: Table) -> bool:
    """Removes evermem's hooks and the groups and events that are empty afterwards; returns whether there were any."""
    events = _part(known, "hooks", dict)
    before = json.dumps(events)
    for event, groups in list(events.items()):
        if isinstance(groups, list):
            kept = [group for group in groups if not _is_ours(group)]
            events[event] = [_without_ours(group) for group in kept]
            if groups and not kept:
                del events[event]
    is_changed = json.dumps(events) != before
    if not events:
        del known["hooks"]
    return is_changed


def _hooks_of(group: Any) -> list[Any]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def _runs_evermem(hook: Any) -> bool:
    return isinstance(hook, dict) and OURS.search(str(hook.get("command"))) is not None


def _is_ours(group: Any) -> bool:
    """Whether this is a hook of evermem, or a group that has no others."""
    hooks = _hooks_of(group)
    return all(map(_runs_evermem, hooks)) if hooks else _runs_evermem(group)


def _without_ours(group: Any) -> Any:
    hooks = [hook for hook in _hooks_of(group) if not _runs_evermem(hook)]
    return group | {"hooks": hooks} if hooks else group


def _part(known: Table, name: str, kind: type) -> Any:
    part = known.setdefault(name, kind())
    if not isinstance(part, kind):
        raise UsageError(f"{name} is not what is expected there", "correct the file first")
    return part


def _json(text: str) -> Table:
    try:
        known = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise UsageError(
            f"not JSON without comments: {error}", "correct the file first, or add evermem by hand"
        ) from error
    if not isinstance(known, dict):
        raise UsageError("not a JSON object", "correct the file first")
    return known


def _dumped(known: Table, before: str) -> str:
    """The value as JSON, with the file's own indentation."""
    indent = _INDENT.search(before)
    return json.dumps(known, ensure_ascii=False, indent=indent[1] if indent else 2) + "\n"


def _toml(text: str) -> Table:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {error}", "correct the file first") from error


def _toml_table(name: str, values: Mapping[str, Any]) -> str:
    """A table of texts and lists of texts, followed by its sub-tables."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"[{name}]", *(f"{_key(key)} = {json.dumps(value)}" for key, value in plain.items())]
    inner = [_toml_table(f"{name}.{key}", value) for key, value in values.items() if isinstance(value, Mapping)]
    return "\n".join(lines) + "\n" + "".join(f"\n{table}" for table in inner)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)
