"""Learns which entries of profiles a reader lets stand: `python -m tests.training.entries [--measure]`.

`entries/` has entries that were read in whole chats by a tagger that had not learned from them, with what a blind
reader of the chat and of the entry said: right, or why not. Each file has one author's messages, and is left out once.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.memory import Stance
from evermem_cli.reading.entries import FILE, LEAST, SURELY_READ, ProfileEntry, entry_signs, let_stand, masked, sureness
from evermem_cli.reading.word_runs import RunModel
from tests.training.linear import arrays, learn_runs

ENTRIES = Path(__file__).with_name("entries")
LOOSENESS = 0.3  # of .3, 1, 3 and 10 the best with each author left out, by a hair
LEAST_SEEN = 6  # entries: a word of fewer says more of them than of itself ("I start as a baker on 1 June" of bakers)
SHARES = (0.9, 0.85, 0.8, 0.75)
PLAIN = "plain"  # files of single plain messages
HELD = frozenset({"v"})  # authors that nothing is learned from


class Judged(NamedTuple):
    """An entry of an author's chat, and whether its reader let it stand."""

    author: str
    entry: ProfileEntry
    right: bool


def judged() -> list[Judged]:
    """The entries of all authors."""
    return [
        Judged(path.stem, _entry(row), row["verdict"] == "right")
        for path in sorted(ENTRIES.glob("*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def _entry(row: dict[str, str]) -> ProfileEntry:
    words, message = row["value"].strip('"'), row["t"]
    start = max(message.find(words), 0)
    probability = float(row["probability"])
    return ProfileEntry(
        row["kind"], Stance(row["stance"]), row["value"], message, start, start + len(words), probability
    )


def learned(entries: Sequence[Judged]) -> RunModel:
    """The logistic regression of these entries."""
    values, rights = [masked(each.entry.value) for each in entries], [int(each.right) for each in entries]
    known = [[*entry_signs(each.entry)] for each in entries]
    sure = np.array([sureness(each.entry) for each in entries])
    return learn_runs(values, rights, LOOSENESS, sure, known, LEAST_SEEN)


def main(arguments: Sequence[str] | None = None) -> None:
    """Learns, writes the weights, and prints the figures of the authors left out in turn, and of those held out."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    entries = judged()
    learn_from = [each for each in entries if each.author not in HELD]
    if not options.parse_args(arguments).measure:
        np.savez_compressed(FILE, **arrays("en", learned(learn_from)))
    left_out = [
        (each, let_stand(each.entry, model))
        for author in sorted({each.author for each in learn_from})
        for model in [learned([each for each in learn_from if each.author != author])]
        for each in learn_from
        if each.author == author
    ]
    chats = [(each, likely) for each, likely in left_out if not each.author.startswith(PLAIN)]
    plain = [(each, likely) for each, likely in left_out if each.author.startswith(PLAIN)]
    held = [(each, let_stand(each.entry)) for each in entries if each.author in HELD]
    for name, part in (("whole chats, left out", chats), ("plain messages, left out", plain), ("held out", held)):
        print(json.dumps({"benchmark": "entries", "of": name, **_figures(part)}))


def _figures(part: Sequence[tuple[Judged, float]]) -> dict[str, Any]:
    """The right ones among the entries that profiles would show, by the tagger alone and by what is learned here."""
    by_tagger = [each.right for each, _ in part if each.entry.probability >= SURELY_READ]
    shown = [
        each.right
        for each, likely in part
        if (each.entry.probability >= SURELY_READ if each.entry.stance is Stance.ENDED else likely >= LEAST)
    ]
    return {
        "entries": len(part),
        "right": sum(each.right for each, _ in part),
        "shown by the tagger alone": f"{sum(by_tagger)} of {len(by_tagger)} right",
        "shown": f"{sum(shown)} of {len(shown)} right",
        "until a share is right": _until([(likely, each.right) for each, likely in part]),
    }


def _until(ranked: Sequence[tuple[float, bool]]) -> dict[str, str]:
    """The right ones among as many as can be shown, likeliest first, until a share of them is right, from where on."""
    ordered = sorted(ranked, reverse=True)
    rights = np.cumsum([right for _, right in ordered])
    shares = rights / np.arange(1, len(ordered) + 1)
    rows = {}
    for share in SHARES:
        [*_, most] = [-1, *np.flatnonzero(shares >= share)]
        if most < 0:
            continue
        rows[f"{share:.0%}"] = f"{rights[most]} of {most + 1}, from {ordered[most][0]:.2f}"
    return rows


if __name__ == "__main__":
    main()
