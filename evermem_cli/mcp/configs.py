"""Edits of clients' configuration files: adds or removes evermem's entry and leaves all else unchanged.

Each function takes the text of a file, empty where there is none, and returns its new text, empty where nothing is
left. A byte order mark, the ends of lines and the indentation stay.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import dropwhile
from typing import Any

from evermem_cli.config.exact_json import read_exactly
from evermem_cli.config.values import toml_key, toml_value
from evermem_cli.errors import UsageError
from evermem_cli.mcp.client_hooks import NAME, Hooks, is_of_evermem

SERVERS = "mcpServers"  # the name that most clients give to all servers
TABLES = "mcp_servers"  # the name that Codex gives them
BY_HAND = "correct the file first, or change evermem's entry by hand"
BYTE_ORDER_MARK = "\ufeff"
_INDENT = re.compile(r"\n([ \t]+)\S")

Table = dict[str, Any]
Names = tuple[str, ...]  # of tables within each other, and of a value in the last
Statement = tuple[Names, str]  # of TOML: where it belongs, and its text; comments and empty lines belong nowhere


def with_server(text: str, server: Mapping[str, Any], under: str = SERVERS) -> str:
    """A JSON configuration with the server among those `under` a name. Other keys of its entry stay.

    Raises UsageError where the JSON is invalid.
    """
    known = _json(text)
    _update(_part(_part(known, under, dict), NAME, dict), server)
    return _dumped(known, text)


def without_server(text: str, under: str = SERVERS) -> str:
    """The configuration without the server."""
    known = _json(text)
    servers = _part(known, under, dict)
    if NAME not in servers:
        return text
    del servers[NAME]
    if not servers:
        del known[under]
    return _dumped(known, text)


def with_hooks(text: str, hooks: Hooks, version: int | None = None) -> str:
    """A JSON configuration with these hooks of each event, in place of evermem's earlier ones.

    Those that have none yet get the `version` of their form, if there is one.
    """
    known = _json(text)
    if version is not None:
        known.setdefault("version", version)
    if _own(_part(known, "hooks", dict)) != hooks:
        known["hooks"] = _others(known["hooks"])
        for event, added in hooks.items():
            _part(known["hooks"], event, list).extend(added)
    return _dumped(known, text)


def without_hooks(text: str, version: int | None = None) -> str:
    """The configuration without evermem's hooks, and without the `version` where nothing else is left."""
    known = _json(text)
    others = _others(_part(known, "hooks", dict))
    if others == known["hooks"]:
        return text
    known["hooks"] = others
    if not others:
        del known["hooks"]
    if known == {"version": version}:
        del known["version"]
    return _dumped(known, text)


def with_table(text: str, server: Mapping[str, Any]) -> str:
    """Codex's TOML configuration with the server, as the last table where it has none yet. All else stays.

    Raises UsageError where the TOML is invalid, or cannot be changed without changing something else.
    """
    expected = _toml(text)
    entry = _part(_part(expected, TABLES, dict), NAME, dict)
    _update(entry, server)
    if expected == _toml(text):
        return text
    block = _block((TABLES, NAME), entry)
    statements = [*_statements(_plain(text))]
    rest = _without_own(statements).rstrip()
    ways = [_with_values(statements, server), f"{rest}\n\n{block}" if rest else block, _inline(statements, expected)]
    return _formed(_safe(ways, expected, f"write by hand:\n{block}"), text)


def without_table(text: str) -> str:
    """The configuration without the server. Raises UsageError as `with_table` does."""
    expected = _toml(text)
    if NAME not in expected[TABLES]:
        return text
    del expected[TABLES][NAME]
    statements = [*_statements(_plain(text))]
    ways = [f"{_without_own(statements).rstrip()}\n", _inline(statements, expected)]
    return _formed(_safe(ways, expected, f"remove {TABLES}.{NAME} by hand"), text)


def _update(entry: Any, server: Mapping[str, Any]) -> None:
    """Sets what evermem writes in its own entry."""
    for key, value in server.items():
        if isinstance(value, Mapping):
            _update(_part(entry, key, dict), value)
        elif entry.get(key) != value:
            entry[key] = value


def _own(events: Table) -> Table:
    """The groups of each event that have a hook of evermem."""
    own = {
        event: [group for group in groups if any(map(is_of_evermem, _hooks_of(group)))]
        for event, groups in events.items()
        if isinstance(groups, list)
    }
    return {event: groups for event, groups in own.items() if groups}


def _others(events: Table) -> Table:
    """The events without evermem's hooks, and without the groups and events that have no others."""
    others = {}
    for event, groups in events.items():
        kept = groups
        if isinstance(groups, list):
            kept = [_without_hooks(group) for group in groups if not _is_own(group)]
        if kept or not groups:
            others[event] = kept
    return others


def _hooks_of(group: Any) -> list[Any]:
    """The hooks of a group, or the one that stands without a group."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else [group]


def _is_own(group: Any) -> bool:
    hooks = _hooks_of(group)
    return bool(hooks) and all(map(is_of_evermem, hooks))


def _without_hooks(group: Any) -> Any:
    hooks = [hook for hook in _hooks_of(group) if not is_of_evermem(hook)]
    return group if hooks == _hooks_of(group) else group | {"hooks": hooks}


def _part(known: Table, name: str, kind: type) -> Any:
    part = known.setdefault(name, kind())
    if not isinstance(part, kind):
        raise UsageError(f"{name} is not what is expected there", "correct the file first")
    return part


def _json(text: str) -> Table:
    try:
        known = read_exactly(_plain(text)) if _plain(text).strip() else {}
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON without comments: {error}", BY_HAND) from error
    except ValueError as error:
        raise UsageError(f"the JSON would come out as something else: {error}", BY_HAND) from error
    if not isinstance(known, dict):
        raise UsageError("not a JSON object", "correct the file first")
    return known


def _dumped(known: Table, before: str) -> str:
    """The value as JSON in the form of the file; the file itself where the value is the same."""
    if known == _json(before):
        return before
    made = json.dumps(known, ensure_ascii=False, **_form(_plain(before).strip())) if known else ""
    return _formed(made if before and not before.endswith("\n") else f"{made}\n", before)


def _form(text: str) -> Table:
    """How a JSON text is laid out, as options of `json.dumps`: on one line, or with its indentation."""
    if text.strip("{} ") and "\n" not in text:
        return {"separators": (", " if ", " in text else ",", ": " if ": " in text else ":")}
    indent = _INDENT.search(text)
    return {"indent": indent[1] if indent else 2}


def _plain(text: str) -> str:
    """The text without a byte order mark and with plain ends of lines; mixed ones stay."""
    return text.removeprefix(BYTE_ORDER_MARK).replace(_line_end(text), "\n")


def _formed(made: str, before: str) -> str:
    """A plain text with the byte order mark and the ends of lines of the file before; "" where nothing is left."""
    mark = BYTE_ORDER_MARK if before.startswith(BYTE_ORDER_MARK) else ""
    return mark + made.replace("\n", _line_end(before)) if made.strip() else ""


def _line_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") == text.count("\n") > 0 else "\n"


def _toml(text: str) -> Table:
    try:
        known = tomllib.loads(_plain(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {error}", "correct the file first") from error
    _part(known, TABLES, dict)
    return known


def _safe(ways: Sequence[str], expected: Table, by_hand: str) -> str:
    """The first text that says what is expected. Raises UsageError where none does."""
    for made in ways:
        with suppress(UsageError):
            if _toml(made) == expected:
                return made
    raise UsageError("the configuration cannot be changed safely", by_hand)


def _statements(text: str) -> Iterator[Statement]:
    """The statements of valid TOML: the lines that are valid alone, or as few together as are."""
    table: Names = ()
    lines = ""
    for line in text.removesuffix("\n").split("\n"):
        lines += f"{line}\n"
        try:
            path = _path(tomllib.loads(lines))
        except tomllib.TOMLDecodeError:
            continue
        if lines.lstrip().startswith("["):
            table = path
            yield path, lines
        else:
            yield (*table, *path) if path else (), lines
        lines = ""


def _path(value: Any) -> Names:
    """The names that lead to the only value, or to the first table that has several or none."""
    if not isinstance(value, dict) or len(value) != 1:
        return ()
    ((name, inner),) = value.items()
    return (name, *_path(inner))


def _without_own(statements: Sequence[Statement]) -> str:
    """The statements without evermem's. Comments stay, except those between two of evermem's."""
    kept: list[str] = []
    comments: list[str] = []
    was_own = False
    for path, text in statements:
        if not path:
            comments.append(text)
            continue
        is_own = path[:2] == (TABLES, NAME)
        if not (was_own and is_own):
            kept += dropwhile(str.isspace, comments) if was_own else comments
        if not is_own:
            kept.append(text)
        comments, was_own = [], is_own
    return "".join([*kept, *dropwhile(str.isspace, comments)])


def _with_values(statements: Sequence[Statement], server: Mapping[str, Any]) -> str:
    """The statements with the server's values in the place of evermem's earlier ones, and new ones below its head."""
    own: dict[Names, Any] = {(TABLES, NAME, key): value for key, value in server.items() if key != "env"}
    own |= {(TABLES, NAME, "env", key): value for key, value in server.get("env", {}).items()}
    news = [
        f"{toml_key(path[-1])} = {toml_value(own[path])}\n"
        if path in own and tomllib.loads(text) != {path[-1]: own[path]}
        else text
        for path, text in statements
    ]
    paths = [path[:3] for path, _ in statements]
    missing = {key: value for key, value in server.items() if (TABLES, NAME, key) not in paths}
    if (TABLES, NAME) in paths:
        news[paths.index((TABLES, NAME))] += _lines(missing)
    return "".join(news)


def _inline(statements: Sequence[Statement], known: Table) -> str:
    """The statements with all servers in one inline table, in the place of the present one."""
    table = f"{TABLES} = {toml_value(known[TABLES])}\n"
    return "".join(table if path[:1] == (TABLES,) else text for path, text in statements)


def _block(names: Names, values: Mapping[str, Any]) -> str:
    """A table followed by its sub-tables."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    inner = [_block((*names, key), value) for key, value in values.items() if isinstance(value, Mapping)]
    return f"[{'.'.join(map(toml_key, names))}]\n{_lines(plain)}" + "".join(f"\n{table}" for table in inner)


def _lines(values: Mapping[str, Any]) -> str:
    return "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in values.items())
