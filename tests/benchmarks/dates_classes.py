"""Which classes of English time phrases are understood: `python -m tests.benchmarks.dates_classes [--misses]`.

`dates_classes.toml` has the classes, each with some phrases and the intervals they may mean. They were written before
the grammar had seen them, to find classes that fail; rules are then written for a class, so its figures are of seen
text. `dates_classes_later.toml` was written after that, and the third list by a blind hand: one half of it to mend by,
the other left out, of which no miss is printed.
"""

import argparse
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evermem_cli.timespan import Interval, find, resolve

AT = datetime(2025, 3, 12, 14, 20, tzinfo=UTC)
LEFT_OUT = "dates_classes_left_out.toml"
LISTS = ("dates_classes.toml", "dates_classes_later.toml", "dates_classes_third.toml", LEFT_OUT)
MINUTE = timedelta(minutes=1)
Bounds = tuple[datetime | None, datetime | None]


@dataclass(slots=True)
class Tally:
    """The phrases of a class: how many there are, were answered and are right."""

    name: str
    n: int = 0
    answered: int = 0
    hits: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, text: str, found: Sequence[Interval], hit: bool) -> None:
        self.n += 1
        self.answered += bool(found)
        self.hits += hit
        if not hit:
            self.misses.append(f"{text!r} got {[shown(each) for each in found]}")


def bounds(text: str) -> Bounds:
    """An interval of the list: "2025-03-13/2025-03-14", "../2025-03-14"."""
    start, end = (
        None if side == ".." else datetime.fromisoformat(side).replace(tzinfo=UTC) for side in text.split("/")
    )
    return start, end


def means(found: Interval, text: str) -> bool:
    """Whether an interval is the one of the list; of a clock time, the minute in which it begins is enough."""
    start, end = bounds(text)
    is_clock = start is not None and end == start + MINUTE
    return found.start == start and (is_clock or found.end == end)


def shown(interval: Interval) -> str:
    return "/".join(side.replace(tzinfo=None).isoformat() if side else ".." for side in (interval.start, interval.end))


def tallies(name: str) -> Iterator[Tally]:
    """Each class of a list, its phrases read alone and its messages searched for times."""
    data = tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for each in data["class"]:
        tally = Tally(each["name"])
        for phrase, *meanings in each.get("phrases", []):
            found = resolve(phrase, AT)
            right = found is not None and any(means(found, meaning) for meaning in meanings)
            tally.add(phrase, [found] if found else [], right)
        for message, *meanings in each.get("messages", []):
            times = [span.interval for span in find(message, AT)]
            is_right = len(times) == len(meanings) and all(map(means, times, meanings))
            tally.add(message, times, is_right)
        yield tally


def report(name: str, found: list[Tally], misses: bool) -> None:
    for tally in found:
        print(f"{tally.name:44}{tally.hits:4} of {tally.n}")
        if misses:
            print(*(f"    {miss}" for miss in tally.misses), sep="\n", end="\n" if tally.misses else "")
    n, hits, answered = (sum(getattr(tally, key) for tally in found) for key in ("n", "hits", "answered"))
    print(f"{name:44}{hits:4} of {n} ({100 * hits / n:.1f} %), {answered} answered")
    print(json.dumps({name: {tally.name: [tally.hits, tally.n] for tally in found}}))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--misses", action="store_true", help="print what is no hit")
    chosen = options.parse_args()
    for name in LISTS:
        report(name, list(tallies(name)), chosen.misses and name != LEFT_OUT)


if __name__ == "__main__":
    main()
