"""Trains the tagger that reads statements, and prints what it reads right.

    pip install '.[train,multilingual]'
    python -m tests.training.reader --data DIR                        # shared/bench; writes the English weights
    python -m tests.training.reader --data DIR --without personaext   # figures with a whole set left out
    python -m tests.training.reader --data DIR --calibrate            # fits thresholds and edges of what is there
    python -m tests.training.reader --data DIR --measure              # figures of the weights that are there
    python -m tests.training.reader --language zh                     # the same of Chinese; needs no other data

English is learned from `messages/en` (label guide: GUIDE.md), PersonaExt and MSC, each by the part to learn from,
Chinese from `messages/zh` and a part of `messages/en`. What is to be chosen is chosen on the parts to choose by; the
parts to report are looked at as numbers and never as items.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, tokenizer_in
from evermem_cli.reading.statements.asked import MarkedFrom
from evermem_cli.reading.statements.calibration import SIGNS, Calibration
from evermem_cli.reading.statements.decode import DecodingSettings, Passage
from evermem_cli.reading.statements.edges import Edges
from evermem_cli.reading.statements.labels import NOTHING, WORD_MARKS
from evermem_cli.reading.statements.tagger import MODELS, LanguageTagger
from tests.training import advice, asked, figures, kinds_asked
from tests.training.advice import AdviceQuestion
from tests.training.asked import SoughtQuestion
from tests.training.edges import write_edges
from tests.training.examples import (
    HELD_HANDS,
    Example,
    exchanged,
    msc,
    own,
    personaext,
    remarks,
    whose,
    wrapped,
)
from tests.training.kinds_asked import KindQuestion

SETS = ("own", "personaext", "msc")
# A token that is so likely part of a statement is as well none (chosen on PersonaExt's and own messages to choose by);
# how sure a statement is, calibration says.
THRESHOLD = 0.3
LEAST_SILENCE = 0.8  # of the turns of which nobody noted anything, when the threshold of telling sentences is chosen
_WRAPPED = 4000  # own messages inside others' words, or after their writer's
_EXCHANGED = 4000  # own messages with other values
_TURNS = 2500  # of MSC: more of them gained nothing
_CHATS, _CHAT_TIMES = ("-whole-chats-", "-short-chats-"), 2  # the messages of such hands so often in an epoch
# Of Chinese, each own message so often in an epoch, beside so many English ones, which mean the same by the encoder.
_TIMES, _ENGLISH, _LAYERS = 3, 4000, 6
# While Chinese is learned: of what a layer adds, and of the words. English, which is read less often, gains nothing.
_DROPPED, _UNREAD = 0.1, 0.1
_ASKED_TIMES = 2  # each question to learn from so often in an epoch
_SEED = 3
AnyQuestion = KindQuestion | SoughtQuestion | AdviceQuestion
_UNFITTED = {"threshold": THRESHOLD, "telling": 1.0, "calibration": [0.0] * (SIGNS + 1), "marked": [0.5] * WORD_MARKS}
_LEASTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # from which the probability of a mark is chosen


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="shared/bench; needed for English")
    parser.add_argument("--language", choices=tuple(MODELS), default="en", help="what messages are in")
    parser.add_argument("--without", choices=SETS, help="leave a whole set out of learning")
    parser.add_argument("--calibrate", action="store_true", help="train nothing, but fit thresholds and edges")
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    if options.language == "en" and options.data is None:
        parser.error("English needs --data")
    folder = options.weights / f"without-{options.without}" if options.without else options.weights
    sets = _sets(options.language, options.data)
    taught = [each for each in sets if each.part == "learn" and each.source.split("/")[0] != options.without]
    if not (options.measure or options.calibrate):
        (_train_chinese if options.language == "zh" else _train_english)(taught, folder)
    model = MODELS[options.language]
    if not options.measure:
        settings = ShippedModel(model, folder).settings
        tokenizer = tokenizer_in(folder, settings["tokenizer"])
        write_edges(taught, tokenizer, folder / settings["edges"])
        _calibrate(model, folder, sets)
    _report(LanguageTagger(model, folder), options.language, sets, options.without)


def _sets(language: str, data: Path | None) -> list[Example]:
    if data is None or language != "en":
        return own(language)
    persona = data / "persona"
    return [*own("en"), *personaext(persona), *msc(persona), *remarks()]


def _train_english(examples: Sequence[Example], folder: Path) -> None:
    """Learns with the default embedder's encoder and writes the weights, not calibrated yet."""
    from tests.training.encoder import BEGIN, END, pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    parts = {name: [each for each in examples if each.source.split("/")[0] == name] for name in SETS}
    parts["msc"] = Random(_SEED).sample(parts["msc"], min(_TURNS, len(parts["msc"])))
    inside = wrapped(parts["own"], _WRAPPED, Random(_SEED)) if parts["own"] else []
    others = exchanged(parts["own"], _EXCHANGED, Random(_SEED)) if parts["own"] else []
    chats = [each for each in parts["own"] if any(name in each.source for name in _CHATS)] * (_CHAT_TIMES - 1)
    chosen = [*parts["own"], *chats, *inside, *others, *parts["personaext"], *parts["msc"]]
    settings = {
        "command": "python -m tests.training.reader --data DIR",
        "learned_from": {name: len(part) for name, part in parts.items()},
        "tokenizer": "tokenizer.json",
        "edges": "edges.npz",
    }
    # About as many steps as four epochs were when there were half as many messages; more of them, or a larger batch,
    # had gained nothing on the parts to choose by. Two cores needed 55 minutes beside other work.
    recipe = Recipe(epochs=3, rate=1.5e-4, head_rate=1e-3)
    tokenizer = tokenizer_of(embedder)
    encoder = pretrained(embedder / "model.onnx")
    network = _learned(encoder, tokenizer, chosen, _taught("en") * _ASKED_TIMES, recipe, (BEGIN, END))
    export(MODELS["en"], network, tokenizer, folder, settings | _UNFITTED)


def _train_chinese(examples: Sequence[Example], folder: Path) -> None:
    """Learns with the first layers of a multilingual encoder and writes the weights, not calibrated yet."""
    from tests.training.export import export
    from tests.training.learn import Recipe
    from tests.training.multilingual import MARKS, Multilingual

    english = [each for each in own("en") if each.part == "learn"]
    model = Multilingual.load()
    in_chinese, in_english = _taught("zh"), _taught("en")
    own_texts = [*(each.text for each in examples), *(each.text for each in in_chinese)]
    kept = model.kept([*own_texts, *(each.text for each in english), *(each.text for each in in_english)])
    beside = Random(_SEED).sample(english, _ENGLISH)
    settings = {
        "command": "python -m tests.training.reader --language zh",
        "learned_from": {"own, Chinese": len(examples), "own, English": len(beside)},
        "tokenizer": "tokenizer-zh.json",
        "edges": "edges-zh.npz",
        "begin_token": MARKS[0],
        "end_token": MARKS[1],
    }
    chosen = [*examples] * _TIMES + exchanged(examples, _EXCHANGED, Random(_SEED)) + beside
    # After three epochs, and with batches of 2,000 tokens, the loss was still falling. Two cores need 15 minutes.
    recipe = Recipe(epochs=4, rate=2e-4, head_rate=2e-3, tokens=700)
    encoder = model.encoder(kept, _LAYERS, dropped=_DROPPED, unread=_UNREAD)
    network = _learned(encoder, model.tokenizer(kept), chosen, in_chinese * _TIMES + in_english, recipe, MARKS)
    # Twice the bits are 4 MB more, and read little more: in an earlier try 224 instead of 217 of 584 statements.
    shipped = model.shipped(kept, own_texts)
    network.encoder.word = model.words(shipped)
    export(MODELS["zh"], network, model.tokenizer(shipped), folder, settings | _UNFITTED, bits=4)


def _taught(language: str) -> list[AnyQuestion]:
    sets = (kinds_asked.questions(language), asked.questions(language), advice.questions(language))
    return [each for questions in sets for each in questions if each.part == "learn"]


def _learned(
    encoder: Any,
    tokenizer: Any,
    examples: Iterable[Example],
    questions: Iterable[AnyQuestion],
    recipe: Any,
    marks: tuple[int, int],
) -> Any:
    """The tagger's network, learned from these messages and questions."""
    from tests.training.learn import learn
    from tests.training.network import Network, loss, make_item, make_question

    items = [make_item(each, tokenizer, marks) for each in examples]
    return learn(Network(encoder), items + [make_question(each, tokenizer, marks) for each in questions], loss, recipe)


def _calibrate(model: str, folder: Path, examples: Sequence[Example]) -> None:
    """Chooses the threshold of telling sentences, and fits how likely a statement is right.

    The first by the turns of MSC to choose by, the second by the remarks and the own messages to choose by.
    """
    from sklearn.linear_model import LogisticRegression

    features, rights = _choosing(model, folder, examples)
    fitted = LogisticRegression(C=1).fit(features, rights)
    path = folder / f"{model}.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    digest = hashlib.sha256(b"".join((folder / each).read_bytes() for each in (f"{model}.onnx", settings["edges"])))
    settings["name"] = f"evermem-{model}-{digest.hexdigest()[:12]}"
    settings["threshold"] = THRESHOLD
    settings["marked"] = _marked_from(model, folder)
    settings["telling"] = _telling_threshold(model, folder, examples)
    settings["calibration"] = [round(float(each), 4) for each in (*fitted.coef_[0], fitted.intercept_[0])]
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _marked_from(model: str, folder: Path) -> list[float]:
    """The probabilities from which on the words of most questions to choose by are marked as labelled, for each mark.

    Only whether anything narrows counts, since annotators differ on its words.
    """
    language = next(name for name, weights in MODELS.items() if weights == model)
    chosen = [each for each in kinds_asked.questions(language) if each.part == "choose" and each.kind != NOTHING]
    marks = [(_words(each, each.value), _words(each, each.narrow), _words(each, each.owner_words)) for each in chosen]
    rights = []
    for least in _LEASTS:
        tagger = LanguageTagger(model, folder, marked_from=MarkedFrom(least, least, least))
        read = [(each.value, each.narrow, each.named) for each in (tagger.read_question(each.text) for each in chosen)]
        pairs = list(zip(marks, read, strict=True))
        rights.append(
            (
                sum(own[0] == other[0] for own, other in pairs),
                sum(bool(own[1]) == bool(other[1]) for own, other in pairs),
                sum(own[2] == other[2] for own, other in pairs),
            )
        )
    return [_LEASTS[max(range(len(_LEASTS)), key=lambda step: rights[step][at])] for at in range(WORD_MARKS)]


def _words(question: KindQuestion, place: kinds_asked.Place | None) -> str:
    return question.text[slice(*place)] if place else ""


def _choosing(model: str, folder: Path, examples: Sequence[Example]) -> tuple[list[tuple[float, ...]], list[bool]]:
    """The signs of each statement read of what there is to choose by, and whether the statement is right."""
    signs: list[tuple[float, ...]] = []

    class Noted(Calibration):
        """Gives each statement its place among `signs` in the place of a probability."""

        def probability(self, seen: Sequence[float]) -> float:
            signs.append(tuple(seen))
            return len(signs) - 1

    chosen = [each for each in examples if each.part == "choose" and each.source.split("/")[0] in ("own", "remarks")]
    tagger = _uncalibrated(model, folder, 1.0, Noted((), 0.0))
    pairs = figures.outcomes(chosen, _read(tagger, chosen))
    return [signs[int(each.probability)] for each, _ in pairs], [right for _, right in pairs]


def _telling_threshold(model: str, folder: Path, examples: Sequence[Example]) -> float:
    """The least threshold that leaves enough of the turns silent that ought to be; 1 where there are none."""
    turns = [each for each in examples if each.source == "msc" and each.part == "choose"]
    read = _read(_uncalibrated(model, folder, 0.0, Calibration((0.0,) * SIGNS, 0.0)), turns)
    for step in range(40, 100):
        kept = [[each for each in found if each.kind != "other" or each.probability >= step / 100] for found in read]
        if figures.turns(turns, kept)["silent else"] >= LEAST_SILENCE:
            return step / 100
    print(f"no threshold leaves {LEAST_SILENCE:.0%} of these turns silent: no whole sentence is kept", flush=True)
    return 1.0


def _uncalibrated(model: str, folder: Path, telling: float, calibration: Calibration) -> LanguageTagger:
    edges = Edges.load(folder / ShippedModel(model, folder).settings["edges"])
    return LanguageTagger(model, folder, decoding=DecodingSettings(THRESHOLD, telling, calibration, edges))


def _report(tagger: LanguageTagger, language: str, sets: Sequence[Example], without: str | None) -> None:
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

    def add_error(name: str, examples: Sequence[Example]) -> None:
        add(name, examples, lambda e, r: figures.calibration_error(figures.outcomes(e, r)))

    for hand in HELD_HANDS[language]:
        add(f"own hand {hand}", of(f"own/{hand}"), figures.labels)
    for name, questions in (("kinds", kinds_asked), ("sought", asked), ("asks", advice)):
        for hand in questions.HELD_HANDS[language]:
            put = [each for each in questions.questions(language) if each.hand == hand]
            row = questions.figures(put, [tagger.read_question(each.text) for each in put])
            print(f"{name} {hand}: {row}", flush=True)
            rows[f"{name} {hand}"] = row
    add_error("calibration, hands", [each for hand in HELD_HANDS[language] for each in of(f"own/{hand}")])
    if language == "en":
        add("personaext", of("personaext"), figures.persona_triples)
        add("personaext, shown", of("personaext"), figures.persona_triples, sure=True)
        add("msc", of("msc"), figures.turns)
        add("own remarks, unseen half", of("remarks"), figures.own_remarks, sure=True)
        add("whose", whose(), figures.labels)
        add_error("calibration, remarks", of("remarks"))
    print(json.dumps({"benchmark": "reader", "weights": tagger.name, "without": without, "figures": rows}))


def _read(tagger: LanguageTagger, examples: Sequence[Example]) -> list[list[Any]]:
    return tagger.read([Passage(str(n), each.text, each.before) for n, each in enumerate(examples)])


if __name__ == "__main__":
    main()
