"""Ways to damage an export: its bytes, its lines, or the JSON that it is."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

WORDS = (
    "null true false NaN Infinity -1 0 1e999 99999999999999999999 {} [] {} [[]] \"\" \\ \\x0b \\ud800 \\u0000 user: "
    "assistant: Ann: 12:61 24:00 31.02.2024 2024-02-30 1700000000 1771063462 2026-02-14T10:04:22 --> ``` --- ## ** "
    "WEBVTT <v Ann> ===== [ ] { } , : \" ' \t \r \x00 \x1a \ufeff \u200e \u202e \u2028 \u0085 \U0001f600 你好 "
    "AM PM 2/30/24, [14/02/2026, <Media-omitted> (Edited) message_1.json ../x type text content role"
).split(" ")  # fmt: skip
LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e300, 2**70, float("nan"), "", " ", "x", "\x00", "\ud800", "user", "assistant", "all",
    [], {}, [[]], [None], {"": None}, "2026-02-14T10:04:22Z", "1771063462", 1771063462, 1771063462000, "99999-01-01",
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "utf-32", "gb18030")
LONG = 20_000  # repetitions that show what takes more time than there is text


def damaged(text: str, rng: random.Random) -> bytes:
    """`text` with one to four things wrong with it, perhaps none, as bytes."""
    if rng.random() < 0.6 and text.lstrip()[:1] in ("{", "["):
        text = _damaged_json(text, rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        text = rng.choice(_TEXT)(text, rng)
    data = text.encode(rng.choice(ENCODINGS), "replace")
    return _damaged_bytes(data, rng) if rng.random() < 0.15 else data


def _damaged_json(text: str, rng: random.Random) -> str:
    """The same JSON, or each of its lines, with values replaced, removed, doubled or nested; still JSON."""
    try:
        value = json.loads(text)
        return json.dumps(_changed(value, rng), ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1)))
    except ValueError:
        lines = text.splitlines()
    for place in rng.sample(range(len(lines)), min(len(lines), rng.randint(1, 3))):
        try:
            lines[place] = json.dumps(_changed(json.loads(lines[place]), rng))
        except ValueError:
            continue
    return "\n".join(lines) + "\n"


def _changed(value: Any, rng: random.Random) -> Any:
    for _ in range(rng.randint(1, 3)):
        holders = _holders(value)
        if not holders:
            return copy.deepcopy(rng.choice(LEAVES))
        _change(rng.choice(holders), rng)
    return value


def _holders(value: Any) -> list[Any]:
    """All objects and arrays of `value` that hold something."""
    found, waiting = [], [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict | list) and each:
            found.append(each)
            waiting += each.values() if isinstance(each, dict) else each
    return found


def _change(holder: Any, rng: random.Random) -> None:
    key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    match rng.randrange(7):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, list):
            rng.shuffle(holder)
        case 3:
            holder[key] = [holder[key]]
        case 4:
            holder[key] = {"text": holder[key], "type": "text"}
        case 5:
            for _ in range(rng.choice((3, 200))):
                holder[key] = [holder[key]]
        case _:
            holder[key] = copy.deepcopy(rng.choice(LEAVES))


def _insert(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(WORDS) * rng.choice((1, 1, 1, 3, LONG)) + text[place:]


def _remove(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + text[start + rng.choice((1, 2, 10, 100, 1000)) :]


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _replace(text: str, rng: random.Random) -> str:
    if not text:
        return text
    place = rng.randrange(len(text))
    return text[:place] + rng.choice("\"'{}[]:,\\\n\r\t 0z<>*#-_\x00\u200e\u202f") + text[place + 1 :]


def _on_lines(change: Callable[[list[str], random.Random], list[str]]) -> Callable[[str, random.Random], str]:
    return lambda text, rng: "".join(change(text.splitlines(keepends=True) or [""], rng))


def _double(lines: list[str], rng: random.Random) -> list[str]:
    place = rng.randrange(len(lines))
    return (
        lines[:place] + [lines[place]] * rng.choice((2, 2, 5, LONG // max(1, len(lines[place]) // 50))) + lines[place:]
    )


def _swap(lines: list[str], rng: random.Random) -> list[str]:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def _drop(lines: list[str], rng: random.Random) -> list[str]:
    del lines[rng.randrange(len(lines))]
    return lines


def _join(lines: list[str], rng: random.Random) -> list[str]:
    place = rng.randrange(len(lines))
    lines[place] = lines[place].rstrip("\n")
    return lines


def _ends(text: str, rng: random.Random) -> str:
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\u2028", "\x0b")))


_TEXT: tuple[Callable[[str, random.Random], str], ...] = (
    _insert, _insert, _remove, _replace, _replace, _cut, _ends, *map(_on_lines, (_double, _swap, _drop, _join)),
)  # fmt: skip


def _damaged_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 30))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)
