"""Checks labelled messages against the guide: `python tests/training/check.py FILE…` names each line that breaks it.

Every line is a JSON object of the form that GUIDE.md gives. The exit code is 1 where a line breaks it.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

GUIDE = Path(__file__).with_name("GUIDE.md").read_text("utf-8")
STANCES = frozenset("holds began ended planned offered wished denied joked".split())
WHOSE = frozenset("me we you other nobody".split())


def kinds() -> frozenset[str]:
    """The kinds that the guide's first table names."""
    table = GUIDE.partition("## Kinds")[2].partition("## Whose")[0]
    rows = re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE)
    return frozenset(name for row in rows for name in row.split(", ") if name != "kind")


def faults(line: str, known: frozenset[str]) -> Iterator[str]:
    """What is wrong with a line."""
    try:
        record = json.loads(line)
    except ValueError as error:
        yield f"no JSON: {error}"
        return
    if not isinstance(record, dict) or not {"t", "s"} <= set(record) <= {"t", "b", "s"} or not record["t"].strip():
        yield "an object needs t and s, and may have b"
        return
    taken: list[tuple[int, int]] = []
    for statement in record["s"]:
        if len(statement) == 4:
            yield from _statement_faults(statement, record["t"], known, taken)
        else:
            yield f"a statement has four fields: {statement}"


def _statement_faults(
    statement: list[str], text: str, known: frozenset[str], taken: list[tuple[int, int]]
) -> Iterator[str]:
    """What is wrong with one statement; `taken` are the places of those before it, to which its own is added."""
    kind, words, whose, stance = statement
    if kind not in known:
        yield f"no such kind: {kind}"
    if stance not in STANCES:
        yield f"no such stance: {stance}"
    if whose not in WHOSE and not (whose.startswith("@") and whose[1:] in text):
        yield f"whose is none of {', '.join(sorted(WHOSE))}, nor @ and words of the message: {whose}"
    span = _place(words, text, taken)
    if span is None:
        yield f"not words of the message that no other statement has: {words}"
    else:
        taken.append(span)


def _place(words: str, text: str, taken: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Where the words stand, free of those of other statements."""
    for match in re.finditer(re.escape(words), text) if words.strip() else ():
        if all(match.end() <= start or match.start() >= end for start, end in taken):
            return match.span()
    return None


def main(paths: list[str]) -> int:
    """Prints the faults, and how many lines are whole."""
    known, whole, broken, silent = kinds(), 0, 0, 0
    used: Counter[str] = Counter()
    for path in paths:
        for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            found = list(faults(line, known))
            broken += bool(found)
            whole += not found
            for fault in found:
                sys.stdout.write(f"{path}:{number}: {fault}\n")
            if not found:
                says = json.loads(line)["s"]
                silent += not says
                used.update(kind for kind, *_ in says)
    sys.stdout.write(f"{whole} whole, {broken} broken, {silent} say nothing; {dict(used.most_common())}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
