"""Commands that write, each on a disk that is full before they are done: `python -m tests.benchmarks.full_disks`.

The disk is one in memory, of a size that chance chooses, where one can be mounted (as root); else no file can grow
beyond that size. A trial is well when the command says so in one line and ends with 1, or is done; when nothing of
before is lost, nothing is half there and nothing lies about; and when the same command, with room, then does all that
it should.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.benchmarks.trust import (
    ROOMS,
    TRIAL,
    Ended,
    Prepared,
    copied,
    done,
    hidden,
    in_turn,
    prepared,
    tell,
    verdict,
    workplace,
)

MARK = "accepts no more data"
AMPLE = 1 << 28
SMALL = 1 << 16  # bytes, of which commands that write few rows need a part


def can_mount(folder: Path) -> bool:
    """Whether a disk can be mounted."""
    place = folder / "try"
    place.mkdir(exist_ok=True)
    with mounted(place, 1 << 20) as ready:
        return ready


@contextmanager
def mounted(place: Path, size: int) -> Iterator[bool]:
    """A disk of so many bytes; False where none can be had."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
    try:
        ready = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        ready = False
    try:
        yield ready
    finally:
        if ready:
            subprocess.run(["umount", str(place)], check=True)


def on_small_disk(each: Prepared, chance: random.Random, folder: Path) -> tuple[Ended, list[str]]:
    """A trial on a disk with room for what is there and a part of what the command needs."""
    room, after = folder / TRIAL, folder / "after"
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir()
    with mounted(room, AMPLE) as ready:
        if not ready:
            raise SystemExit("no disk could be mounted")
        shutil.copytree(each.room, room, dirs_exist_ok=True)
        disk = os.statvfs(room)
        held = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        left = int(chance.choice((SMALL, each.largest * 1.2)) * chance.random() ** 3)
        subprocess.run(["mount", "-o", f"remount,size={held + left}", str(room)], check=True)
        found = done(each.command.arguments, room)
        copied(room, after)
    copied(after, room)
    return found, judged(each, found, room)


def with_small_files(each: Prepared, chance: random.Random, folder: Path) -> tuple[Ended, list[str]]:
    """A trial where no file grows beyond a part of what the largest needs."""
    room = folder / TRIAL
    copied(each.room, room)
    found = done(each.command.arguments, room, int(each.largest * 1.1 * chance.random()))
    return found, judged(each, found, room)


def judged(each: Prepared, found: Ended, room: Path) -> list[str]:
    """What is wrong after a trial."""
    wrong, told = [], [line for line in found.err.splitlines() if line.startswith("evermem:")]
    if found.traceback:
        wrong.append("traceback")
    elif found.code and (found.code != 1 or len(told) != 1 or MARK not in told[0]):
        wrong.append("not told in one line")
    if left := hidden(room):
        wrong.append(f"left {left}")
    return wrong + verdict(each, room)


def main() -> None:
    """Prints a table, what went wrong, and one line of JSON; after Ctrl-C of what was tried until then."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", type=Path, help=ROOMS)
    parser.add_argument("--files", action="store_true", help="limit files, also where a disk could be mounted")
    chosen = parser.parse_args()
    tried, full, wrong = Counter[str](), Counter[str](), Counter[str]()
    trial = with_small_files
    with workplace(chosen.rooms) as folder, suppress(KeyboardInterrupt):
        if not chosen.files and can_mount(folder):
            trial = on_small_disk
        trials = in_turn(chosen.count, prepared(folder), chosen.seed)
        for number, (each, chance) in list(enumerate(trials))[chosen.first :]:
            found, problems = trial(each, chance, folder)
            full[each.command.name] += found.code != 0
            for problem in problems:
                wrong[problem.split()[0]] += 1
                print(f"{number} {each.command.name}: {problem}\n{found.err}", file=sys.stderr, flush=True)
            tried[each.command.name] += 1
            tell(chosen.count - chosen.first, tried.total(), wrong)
    print(f"{'command':24}{'disks':>8}{'full':>8}")
    for name, count in tried.items():
        print(f"{name:24}{count:8}{full[name]:8}")
    result = {"disks": tried.total(), "full": full.total(), "how": trial.__name__, "wrong": dict(wrong)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
