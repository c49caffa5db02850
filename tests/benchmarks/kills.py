"""Commands that write, each killed at a moment that chance chooses: `python -m tests.benchmarks.kills [--count N]`.

A trial is well when the memory can be read, nothing of before is lost, nothing is half there, and the same command then
does all that it should and leaves nothing lying about.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tests.benchmarks.trust import TRIAL, copied, in_turn, killed, prepared, tell, verdict


def main() -> None:
    """Prints a table, what went wrong, and one line of JSON; after Ctrl-C of what was tried until then."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    tried, hit, wrong = Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as made, suppress(KeyboardInterrupt):
        room = Path(made) / TRIAL
        trials = in_turn(chosen.count, prepared(Path(made)), chosen.seed)
        for number, (each, chance) in enumerate(trials):
            copied(each.room, room)
            found = killed(each.command.arguments, room, chance.uniform(0.0, 1.1 * each.seconds))
            hit[each.command.name] += found.code < 0
            for problem in verdict(each, room):
                wrong[problem.split()[0]] += 1
                print(f"{number} {each.command.name}: {problem}", file=sys.stderr, flush=True)
            tried[each.command.name] += 1
            tell(chosen.count, tried.total(), wrong)
    print(f"{'command':24}{'tried':>8}{'killed':>8}")
    for name, count in tried.items():
        print(f"{name:24}{count:8}{hit[name]:8}")
    print(json.dumps({"tried": tried.total(), "killed": hit.total(), "wrong": dict(wrong)}))


if __name__ == "__main__":
    main()
