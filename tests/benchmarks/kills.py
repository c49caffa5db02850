"""Commands that write, each killed at a moment that chance chooses: `python -m tests.benchmarks.kills [--count N]`.

A trial is well when the memory can be read, nothing of before is lost, nothing is half there, and the same command then
does all that it should and leaves nothing lying about. With `--signal INT`, which is Ctrl-C, a command that is not done
must besides end with 130 and one line, and leave nothing lying about itself. `--from N` continues a run of which N
trials are done.
"""

import argparse
import json
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.benchmarks.trust import (
    INTERRUPTED,
    ROOMS,
    TRIAL,
    Ended,
    copied,
    hidden,
    in_turn,
    killed,
    prepared,
    tell,
    verdict,
    workplace,
)


def badly_left(found: Ended, room: Path) -> list[str]:
    """What is wrong with how a command ended after Ctrl-C: it may have been done before."""
    told = [line for line in found.err.splitlines() if line.startswith("interrupted;")]
    if found.traceback or found.code not in (0, INTERRUPTED) or len(told) > 1:
        return [f"ended {found.code}: {found.err[-1000:]}"]
    return [f"lying: {name}" for name in hidden(room)]


def main() -> None:
    """Prints a table, what went wrong, and one line of JSON; after Ctrl-C of what was tried until then."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", type=Path, help=ROOMS)
    parser.add_argument("--signal", choices=("KILL", "INT"), default="KILL")
    chosen = parser.parse_args()
    tried, hit, wrong = Counter[str](), Counter[str](), Counter[str]()
    with workplace(chosen.rooms) as folder, suppress(KeyboardInterrupt):
        room = folder / TRIAL
        trials = in_turn(chosen.count, prepared(folder), chosen.seed)
        by = signal.Signals[f"SIG{chosen.signal}"]
        for number, (each, chance) in list(enumerate(trials))[chosen.first :]:
            copied(each.room, room)
            found = killed(each.command.arguments, room, chance.uniform(0.0, 1.1 * each.seconds), by)
            hit[each.command.name] += found.code in (-by, INTERRUPTED)
            problems = badly_left(found, room) if by is signal.SIGINT else []
            for problem in problems + verdict(each, room):
                wrong[problem.split()[0]] += 1
                print(f"{number} {each.command.name}: {problem}", file=sys.stderr, flush=True)
            tried[each.command.name] += 1
            tell(chosen.count - chosen.first, tried.total(), wrong)
    print(f"{'command':24}{'tried':>8}{'killed':>8}")
    for name, count in tried.items():
        print(f"{name:24}{count:8}{hit[name]:8}")
    result = {"tried": tried.total(), "from": chosen.first, "signal": chosen.signal, "hit": hit.total()}
    print(json.dumps(result | {"wrong": dict(wrong)}))


if __name__ == "__main__":
    main()
