"""Memory files in each of which one bit has turned, and commands that read them: `python -m tests.benchmarks.flips`.

A trial is well when each command gives what it gives of the whole file, or says in one line that it cannot, with exit
code 4; and when what `export --salvage` saves is all there was, or less by what it says.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.benchmarks.trust import DB, EXPORT, FULL, Ended, Rooms, copied, done, models_faked, tell
from tests.support.lives import without_explanations

COMMANDS = {
    "export": ("export", "--include-private"),
    "search": ("search", "--json", "Biscuit in the park"),
    "list": ("list", "facts", "--json"),
    "merge": ("people", "merge", "Priya", "Ruben", "--yes", "--json"),
}
SALVAGE = ("export", "--salvage")
WRONG = ("traceback", "wrong")


def told(found: Ended, expected: str) -> str:
    """How a command took it: as if nothing was, refused, or in a way that it should not."""
    if found.traceback:
        return "traceback"
    if found.code == 4 and not found.out.strip().strip("{}") and found.err.count("\n") == 1:
        return "refused"
    if found.code == 4 and json.loads(found.out).get("error") and found.err.count("\n") == 1:
        return "refused"
    return "same" if found.code == 0 and timeless(found.out) == timeless(expected) else "wrong"


def timeless(out: str) -> list[str]:
    """What was found, without how strong it is by now."""
    return re.findall(r'"(?:id|text|atomic_fact)": "[^"]*"', out) if '"results"' in out or '"facts"' in out else [out]


def saved(found: Ended, expected: list[str]) -> str:
    """How much was saved: all, a part as told, nothing; or wrongly."""
    if found.traceback:
        return "traceback"
    lines = found.out.splitlines(keepends=True)
    if found.code:
        return "nothing" if found.code == 4 and not lines else "wrong"
    if sorted(lines) == expected:
        return "all"
    return "part" if "lost: " in found.err else "wrong"


def main() -> None:
    """Prints a table, what went wrong, and one line of JSON; after Ctrl-C of what was tried until then."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    counts: dict[str, Counter[str]] = {name: Counter() for name in (*COMMANDS, "salvage")}
    models_faked()
    tried = 0
    with tempfile.TemporaryDirectory() as made, suppress(KeyboardInterrupt):
        whole, room = Rooms(Path(made)).after((*FULL, EXPORT)), Path(made) / "trial"
        expected = {}
        for name, arguments in COMMANDS.items():
            copied(whole, room)
            expected[name] = done(arguments, room).out
        lines = sorted(map(without_explanations, expected["export"].splitlines(keepends=True)))
        for number, (byte, bit) in enumerate(places(whole / DB, chosen.count, chosen.seed)):
            for name, arguments in (*COMMANDS.items(), ("salvage", SALVAGE)):
                if name in ("export", "merge", "salvage"):
                    turned(whole, room, byte, bit)
                found = done(arguments, room)
                result = saved(found, lines) if name == "salvage" else told(found, expected[name])
                counts[name][result] += 1
                if result in WRONG:
                    print(
                        f"{number} {name}: byte {byte}, bit {bit}: {result}\n{found.err[-2000:]}",
                        file=sys.stderr,
                        flush=True,
                    )
            tried += 1
            tell(chosen.count, tried, judged(counts))
    for name, results in counts.items():
        print(f"{name:12}", dict(results))
    wrong = {kind: judged(counts)[kind] for kind in WRONG}
    print(json.dumps({"flips": tried, **wrong, "by": {name: dict(each) for name, each in counts.items()}}))


def judged(counts: dict[str, Counter[str]]) -> Counter[str]:
    """How often what went wrong went wrong, over all commands."""
    return Counter({kind: sum(results[kind] for results in counts.values()) for kind in WRONG})


def places(path: Path, count: int, seed: int) -> list[tuple[int, int]]:
    """Bytes and bits that chance chooses."""
    chance, size = random.Random(seed), path.stat().st_size
    return [(chance.randrange(size), chance.randrange(8)) for _ in range(count)]


def turned(whole: Path, room: Path, byte: int, bit: int) -> None:
    """A copy of a room in whose memory one bit has turned."""
    copied(whole, room)
    with (room / DB).open("rb+") as opened:
        opened.seek(byte)
        [value] = opened.read(1)
        opened.seek(byte)
        opened.write(bytes([value ^ 1 << bit]))


if __name__ == "__main__":
    main()
