"""Trains the model that tells whether a sentence is about what is to come or goes on, and prints its figures.

    pip install '.[train]'
    python -m tests.training.outlook             # two minutes; writes the weights
    python -m tests.training.outlook --measure   # figures alone

`outlooks/` has messages by blind hands with what lies ahead in them, and with its first and last day; half of them only
look as if something did. Each English hand is left out in turn, and each Chinese hand: how many
sentences that tell of something ahead are found, of how many others something is expected, and of how many found ones
the days are right. The model of English also learns from `times/`: the sentences that tell of a past day, and every
third of those that tell of one to come.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli import timespan
from evermem_cli.formation.foresights import edges, expected_period
from evermem_cli.formation.outlook import FILE, OUTLOOKS, Outlook, likeliest, signs_of
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.memory import Statement, Time, wall
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.reading.word_runs import RunModel
from tests.training import tense
from tests.training.linear import arrays, learn_runs

OUTLOOK_FILES = Path(__file__).with_name("outlooks")
LOOSENESS = 10.0
PARTS = 5
EACH_AHEAD = 3
_NOON = timedelta(hours=12)
_NAMES = {"plan": Outlook.AHEAD, "wish": Outlook.AHEAD, "lasts": Outlook.LASTING}


class Labelled(NamedTuple):
    """A sentence of a hand, said at some time, its signs, and what it tells; days are "" where it tells none."""

    part: str
    text: str
    at: datetime
    signs: tuple[str, ...]
    outlook: Outlook
    first: str = ""
    last: str = ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    stored: dict[str, Any] = {}
    for tongue in ("en", "zh"):
        known = list(labelled(tongue))
        others = list(_with_days()) if tongue == "en" else []
        for part in sorted({each.part for each in known}):
            rest = learned([*(each for each in known if each.part != part), *others])
            _report(part, [each for each in known if each.part == part], rest)
        stored |= arrays(tongue, learned([*known, *others]))
    if not chosen.measure:
        np.savez_compressed(FILE, **stored)


def labelled(tongue: str) -> Iterator[Labelled]:
    """The labelled sentences of all hands; the part to leave out is the hand, or a fifth where there is one alone."""
    paths = sorted(OUTLOOK_FILES.glob(f"{tongue}-*.jsonl"))
    for path in paths:
        for place, row in enumerate(map(json.loads, path.read_text("utf-8").splitlines())):
            part = path.stem if len(paths) > 1 else f"{path.stem}, part {place % PARTS + 1}"
            yield from _sentences(part, row, Tagger())


def _sentences(part: str, row: dict[str, Any], tagger: Tagger) -> Iterator[Labelled]:
    text, at = row["text"], datetime.fromisoformat(row["said"]).replace(tzinfo=UTC) + _NOON
    [read] = tagger.read([Passage(message_id="", text=text, before="")])
    for sentence in split_sentences(text):
        outlook, days = Outlook.NOTHING, ["", ""]
        for words, name, *labelled_days in row["ahead"]:
            if words in sentence or sentence in words:
                outlook, days = _NAMES[name], labelled_days
                break
        yield Labelled(part, sentence, at, _signs(sentence, read, at), outlook, *days)


def _with_days() -> Iterator[Labelled]:
    """The sentences of `times/` around a past day, and every `EACH_AHEAD`th around one to come."""
    tagger, ahead = Tagger(), 0
    for example in tense.labelled():
        said, text = example.said, example.text
        way = example.means if example.means in tense.WAYS else tense.WAYS[example.means > f"{said.date()}"]
        ahead += way == tense.WAYS[1]
        if way == tense.WAYS[1] and ahead % EACH_AHEAD:
            continue
        [read] = tagger.read([Passage(message_id="", text=text, before="")])
        outlook = Outlook.AHEAD if way == tense.WAYS[1] else Outlook.NOTHING
        for sentence in split_sentences(text):
            start = text.find(sentence)
            if start <= example.start and example.end <= start + len(sentence):
                yield Labelled(example.hand, sentence, said, _signs(sentence, read, said), outlook)


def _signs(sentence: str, read: Sequence[Statement], at: datetime) -> tuple[str, ...]:
    own = [statement for statement in read if statement.value in sentence]
    return tuple(signs_of(own, timespan.validity(sentence, at), at))


def learned(known: Sequence[Labelled]) -> RunModel:
    """The logistic regression."""
    kinds = [OUTLOOKS.index(each.outlook) for each in known]
    return learn_runs([each.text for each in known], kinds, LOOSENESS, signs=[each.signs for each in known])


def _report(part: str, own: Sequence[Labelled], model: RunModel) -> None:
    read = [(each, likeliest(model.odds(each.text, signs=each.signs))) for each in own]
    tells = [(each, outlook) for each, outlook in read if each.outlook is not Outlook.NOTHING]
    found = [(each, outlook) for each, outlook in tells if outlook is not Outlook.NOTHING]
    days = [(each, _edges(each)) for each, _ in found]
    row = {
        "sentences": len(own),
        "tell of something": len(tells),
        "found": len(found),
        "found, of the right kind": sum(each.outlook is outlook for each, outlook in found),
        "others taken for such": sum(
            outlook is not Outlook.NOTHING for each, outlook in read if each.outlook is Outlook.NOTHING
        ),
        "first day right": sum(_day(start) == (each.first or _day(each.at)) for each, (start, _) in days),
        "last day right": sum(_day(end) == each.last for each, (_, end) in days),
    }
    print(json.dumps({"benchmark": "outlook", "left out": part} | row), flush=True)


def _edges(each: Labelled) -> tuple[Time, Time | None]:
    """When what the sentence tells begins and ends, by its words."""
    period = expected_period(each.text, each.at)
    return edges(period, each.at) if period else (each.at, None)


def _day(time: Time | None) -> str:
    return "" if time is None else wall(time).date().isoformat()


if __name__ == "__main__":
    main()
