"""Trains the models that tell of which kind a text is, and prints their figures.

    pip install '.[train]'
    python -m tests.training.kinds             # some minutes; writes the weights
    python -m tests.training.kinds --measure   # figures alone

`requests/` has what users ask of assistants, with the type of assistant, and `themes/` what was said in chats, with
its theme; both by blind hands, half without the usual words of a kind. Each hand is left out in turn. English is read
by its words and by its meaning, if the embedder is the one that was learned with; else by its words, as Chinese is. The
model of English words also learns from other texts, of which the other model says what they are.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.consolidation import themes
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.experience import agents
from evermem_cli.formation.episodes import written_date
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.language import language
from evermem_cli.reading.word_runs import Odds, RunModel
from tests.training.linear import Vectors, arrays, learn_runs

HERE = Path(__file__).parent
LOOSENESS = 10.0
GENERAL = "general"
NAMES = ("User", "Assistant", "Ann", "Ben", "Carla", "Dev", "Ewa", "Farid", "Grace", "Hugo", "Ines", "小雨", "阿明")
EARLIEST, DAYS = datetime(2023, 1, 1), 3 * 365
SHORTEST = 20  # characters of a text that says enough
OTHERS = {
    "messages/en/*.jsonl": ("t",),
    "asks/[!z]*.jsonl": ("text",),
    "domains/en-*.jsonl": ("text",),
    "reactions/en-*.jsonl": ("before", "text"),
}


class Task(NamedTuple):
    """What is told: the hands' folder, the name of the label in it, all kinds in order, and the file of the weights.

    `is_of_chats` where the product reads what was said in the form of an episode: after a day, with names.
    """

    folder: str
    label: str
    kinds: tuple[str, ...]
    file: Path
    is_of_chats: bool
    likeliest: Callable[[Odds], str]


class Labelled(NamedTuple):
    """A text, its hand, its kind, and the day of the episode that it is, empty where it is none."""

    hand: str
    text: str
    kind: str
    day: str = ""

    @property
    def embedded(self) -> str:
        """The text of which the product has the vector."""
        return f"{self.day}\n{self.text}" if self.day else self.text


class Teaching(NamedTuple):
    """Texts of which the model of meanings says what they are, so that the one of words learns from them, too."""

    texts: Sequence[str]
    meaning: Vectors


TASKS = (
    Task("requests", "type", tuple(agents.TYPES), agents.FILE, is_of_chats=False, likeliest=agents.likeliest),
    Task("themes", "theme", themes.THEMES, themes.FILE, is_of_chats=True, likeliest=themes.likeliest),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    options.add_argument("--only", choices=[task.folder for task in TASKS], help="one of them")
    chosen = options.parse_args(arguments)
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    others = _other_texts()
    teaching = Teaching(others, embedder.embed(others))
    for task in (task for task in TASKS if chosen.only in (None, task.folder)):
        stored: dict[str, Any] = {"embedder": np.array(embedder.name)}
        for name, tongue in (("meaning", "en"), ("en", "en"), ("zh", "zh")):
            known = _labelled(task, tongue)
            meaning = embedder.embed([each.embedded for each in known])
            _report(task, name, known, meaning, teaching)
            stored |= arrays(name, _model(task, name, known, meaning, teaching))
        if not chosen.measure:
            np.savez_compressed(task.file, **stored)


def _other_texts() -> list[str]:
    """English texts of other hands, of which no kind is known."""
    texts = {
        str(row[field])
        for pattern, fields in OTHERS.items()
        for path in HERE.glob(pattern)
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        for field in fields
    }
    return sorted(text for text in texts if len(text) >= SHORTEST)


def _labelled(task: Task, tongue: str) -> list[Labelled]:
    return [
        _in_chat(labelled) if task.is_of_chats else labelled
        for path in sorted((HERE / task.folder).glob(f"{tongue}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        for labelled in [Labelled(path.stem, row["text"], row[task.label])]
    ]


def _in_chat(labelled: Labelled) -> Labelled:
    """The text as an episode tells it: sentence by sentence after a name, on some day; always the same ones."""
    random = Random(labelled.text)
    day = EARLIEST + timedelta(days=random.randrange(DAYS))
    names = random.sample(NAMES, 2)
    told = "\n".join(f"{random.choice(names)}: {sentence}" for sentence in split_sentences(labelled.text))
    return labelled._replace(text=told, day=written_date(day, language(labelled.text)))


def _model(task: Task, name: str, known: Sequence[Labelled], meaning: Vectors, teaching: Teaching) -> RunModel:
    if name == "meaning":
        return _learned(task, known, meaning)
    if name == "zh":
        return _learned(task, known)
    teacher = _learned(task, known, meaning)
    taught = [
        Labelled("", text, task.kinds[int(teacher.odds(text, vector).argmax())])
        for text, vector in zip(teaching.texts, teaching.meaning, strict=True)
    ]
    return _learned(task, [*known, *taught])


def _learned(task: Task, known: Sequence[Labelled], meaning: Vectors | None = None) -> RunModel:
    kinds = [task.kinds.index(each.kind) for each in known]
    return learn_runs([each.text for each in known], kinds, LOOSENESS, meaning)


def _report(task: Task, name: str, known: Sequence[Labelled], meaning: Vectors, teaching: Teaching) -> None:
    hands = np.array([each.hand for each in known])
    for hand in np.unique(hands):
        others = [each for each in known if each.hand != hand]
        model = _model(task, name, others, meaning[hands != hand], teaching)
        told = [
            (each.kind, task.likeliest(model.odds(each.text, vector if name == "meaning" else None)))
            for each, vector in zip(known, meaning, strict=True)
            if each.hand == hand
        ]
        special = [(own, one) for own, one in told if own != GENERAL]
        row = {
            "texts": len(told),
            "right": sum(own == one for own, one in told),
            "special": len(special),
            "special, right": sum(own == one for own, one in special),
            "special, taken for another": sum(one not in (own, GENERAL) for own, one in special),
        }
        print(json.dumps({"benchmark": task.folder, "model": name, "left out": hand} | row), flush=True)


if __name__ == "__main__":
    main()
