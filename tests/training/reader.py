"""Trains the tagger that reads statements, and prints what it reads right.

    pip install '.[train]'
    python -m tests.training.reader --data DIR                        # shared/bench; writes the weights
    python -m tests.training.reader --data DIR --without personaext   # figures with a whole set left out
    python -m tests.training.reader --data DIR --calibrate            # fits thresholds and edges of what is there
    python -m tests.training.reader --data DIR --measure              # figures of the weights that are there

It learns from `messages/en` (label guide: GUIDE.md), PersonaExt and MSC, each by the part to learn from; it chooses on
the parts to choose by, and prints the parts to report, which are looked at as numbers and never as items.
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.statements.calibration import SIGNS, Calibration
from evermem_cli.reading.statements.decode import DecodingSettings, Passage
from evermem_cli.reading.statements.edges import FILE, Edges
from evermem_cli.reading.statements.tagger import Tagger
from tests.training import figures
from tests.training.edges import write_edges
from tests.training.examples import HELD_HANDS, Example, msc, own, personaext, remarks, whose, wrapped

SETS = ("own", "personaext", "msc")
# A token that is so likely part of a statement is as well none (chosen on PersonaExt's and own messages to choose by);
# how sure a statement is, calibration says.
THRESHOLD = 0.3
LEAST_SILENCE = 0.8  # of the turns of which nobody noted anything, when the threshold of telling sentences is chosen
_WRAPPED = 4000  # own messages inside others' words, or after their writer's
_TURNS = 2500  # of MSC: more of them gained nothing
_SEED = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="shared/bench")
    parser.add_argument("--without", choices=SETS, help="leave a whole set out of learning")
    parser.add_argument("--calibrate", action="store_true", help="train nothing, but fit thresholds and edges")
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    folder = options.weights / f"without-{options.without}" if options.without else options.weights
    sets = _sets(options.data / "persona")
    if not (options.measure or options.calibrate):
        _train([each for each in sets if each.source.split("/")[0] != options.without], folder)
    if not options.measure:
        taught = [each for each in sets if each.part == "learn" and each.source.split("/")[0] != options.without]
        write_edges(taught, folder)
        _calibrate(folder, sets)
    _report(Tagger(folder), sets, options.without)


def _sets(persona: Path) -> list[Example]:
    return [*own("en"), *personaext(persona), *msc(persona), *remarks()]


def _train(examples: Sequence[Example], folder: Path) -> None:
    """Learns from the parts to learn from and writes the weights, not calibrated yet."""
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network, loss, make_item

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    parts: dict[str, list[Example]] = {name: [] for name in SETS}
    for each in examples:
        if each.part == "learn":
            parts[each.source.split("/")[0]].append(each)
    turns = Random(_SEED).sample(parts["msc"], min(_TURNS, len(parts["msc"])))
    inside = wrapped(parts["own"], _WRAPPED, Random(_SEED)) if parts["own"] else []
    chosen = [*parts["own"], *inside, *parts["personaext"], *turns]
    # About as many steps as four epochs were when there were half as many messages; more of them, or a larger batch,
    # had gained nothing on the parts to choose by. Two cores need 35 minutes.
    recipe = Recipe(epochs=3, rate=1.5e-4, head_rate=1e-3)
    network = Network(pretrained(embedder / "model.onnx"))
    learn(network, [make_item(each, tokenizer) for each in chosen], loss, recipe)
    settings = {
        "command": "python -m tests.training.reader --data DIR",
        "learned_from": {name: len(part) for name, part in (*parts.items(), ("msc", turns))},
        "threshold": THRESHOLD,
        "telling": 1.0,
        "calibration": [0.0] * (SIGNS + 1),
    }
    export("tagger", network, tokenizer, folder, settings)


def _calibrate(folder: Path, examples: Sequence[Example]) -> None:
    """Chooses the threshold of telling sentences, and fits how likely a statement is right.

    The first by the turns of MSC to choose by, the second by the remarks and the own messages to choose by.
    """
    from sklearn.linear_model import LogisticRegression

    features, rights = _choosing(folder, examples)
    fitted = LogisticRegression(C=1).fit(features, rights)
    path = folder / "tagger.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    digest = hashlib.sha256(b"".join((folder / each).read_bytes() for each in ("tagger.onnx", FILE)))
    settings["name"] = f"evermem-tagger-{digest.hexdigest()[:12]}"
    settings["threshold"] = THRESHOLD
    settings["telling"] = _telling_threshold(folder, examples)
    settings["calibration"] = [round(float(each), 4) for each in (*fitted.coef_[0], fitted.intercept_[0])]
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _choosing(folder: Path, examples: Sequence[Example]) -> tuple[list[tuple[float, ...]], list[bool]]:
    """The signs of each statement read of what there is to choose by, and whether the statement is right."""
    signs: list[tuple[float, ...]] = []

    class Noted(Calibration):
        """Gives each statement its place among `signs` in the place of a probability."""

        def probability(self, seen: Sequence[float]) -> float:
            signs.append(tuple(seen))
            return len(signs) - 1

    chosen = [each for each in examples if each.part == "choose" and each.source.split("/")[0] in ("own", "remarks")]
    tagger = Tagger(folder, decoding=DecodingSettings(THRESHOLD, 1.0, Noted((), 0.0), Edges.load(folder)))
    pairs = figures.outcomes(chosen, _read(tagger, chosen))
    return [signs[int(each.probability)] for each, _ in pairs], [right for _, right in pairs]


def _telling_threshold(folder: Path, examples: Sequence[Example]) -> float:
    """The least threshold that leaves enough of the turns silent that ought to be."""
    turns = [each for each in examples if each.source == "msc" and each.part == "choose"]
    calibration = Calibration((0.0,) * SIGNS, 0.0)
    tagger = Tagger(folder, decoding=DecodingSettings(THRESHOLD, 0.0, calibration, Edges.load(folder)))
    read = _read(tagger, turns)
    for step in range(40, 100):
        kept = [[each for each in found if each.kind != "other" or each.probability >= step / 100] for found in read]
        if figures.turns(turns, kept)["silent else"] >= LEAST_SILENCE:
            return step / 100
    print(f"no threshold leaves {LEAST_SILENCE:.0%} of these turns silent: no whole sentence is kept", flush=True)
    return 1.0


def _report(tagger: Tagger, sets: Sequence[Example], without: str | None) -> None:
    """Prints a row for each figure, and all of them as JSON."""
    rows: dict[str, figures.Row] = {}
    reported = [each for each in sets if each.part == "report"]

    def add(name: str, examples: Sequence[Example], figure: Any, *, sure: bool = False) -> None:
        read = _read(tagger, examples)
        rows[name] = figure(examples, figures.surely(read) if sure else read)
        seen = "set left out" if without and name.lower().startswith(without) else "unseen"
        print(f"{name:24} {seen:13} " + ", ".join(f"{key} {value}" for key, value in rows[name].items()), flush=True)

    def of(source: str) -> list[Example]:
        return [each for each in reported if each.source == source]

    add("personaext", of("personaext"), figures.persona_triples)
    add("personaext, shown", of("personaext"), figures.persona_triples, sure=True)
    add("msc", of("msc"), figures.turns)
    add("own remarks, unseen half", of("remarks"), figures.own_remarks, sure=True)
    for hand in HELD_HANDS:
        add(f"own hand {hand}", of(f"own/{hand}"), figures.labels)
    add("whose", whose(), figures.labels)
    held = [each for hand in HELD_HANDS for each in of(f"own/{hand}")]
    for name, text in (("calibration, remarks", of("remarks")), ("calibration, hands", held)):
        add(name, text, lambda e, r: figures.calibration_error(figures.outcomes(e, r)))
    print(json.dumps({"benchmark": "reader", "weights": tagger.name, "without": without, "figures": rows}))


def _read(tagger: Tagger, examples: Sequence[Example]) -> list[list[Any]]:
    return tagger.read([Passage(str(n), each.text, each.before) for n, each in enumerate(examples)])


if __name__ == "__main__":
    main()
