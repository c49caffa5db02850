"""Trains the adapter by which the default model answers questions from excerpts of chats.

    pip install '.[train]'
    python -m tests.training.answers --work DIR             # writes the adapter
    python -m tests.training.answers --work DIR --further   # the one that is there learns from hands it has not seen
    python -m tests.training.answers --work DIR --measure   # figures of the adapter, and of the model without it

It learns from `questions/`, `found/` and `chats/` (by blind hands) in the product's own prompt; of `chats/` it reads
what the product's search finds, whose memories are kept in DIR. What `pairs.py` and `chats.py` name to report by, and
what is named to choose by, is left out, and looked at as numbers alone.
"""

import argparse
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.engines.chat_template import ChatTemplate
from evermem_cli.engines.gguf import CALL_TOKENS, Gguf, PlacedToken
from evermem_cli.engines.llm import LlamaCpp, usable_cores
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN, refuses
from evermem_cli.recollection.questions.form import Form, form_of
from tests.benchmarks.token_f1 import score
from tests.training.chats import chats
from tests.training.excerpts import LANGUAGE, Prompted, prompted_by
from tests.training.found import found, untold
from tests.training.linear import chosen_embedder
from tests.training.pairs import Item, items
from tests.training.recalled import prompted

MODEL = "qwen2.5-coder-1.5b"
MEASURED = 200  # questions of the left-out hands, of each kind of excerpt
WRONGLY = 0.03  # share of answered questions to the chats to choose by that are refused
LONG = ("found-m", "found-n", "found-p", "found-q")  # hands that nothing ships of: no gain (EXPERIMENTS.md)
CHOSEN_CHATS = ("b1", "d1")  # of `chats/`: they choose how reluctant the adapter is to refuse
SINGLE_HOP = 4  # LoCoMo's category whose F1 is that of the whole answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model replied to a question."""

    asked: Prompted
    text: str

    @property
    def is_refusal(self) -> bool:
        """Whether it says that memory does not tell."""
        return refuses(self.text)

    @property
    def agrees(self) -> bool:
        """Whether it begins with the answer's yes or no."""
        return self.text.casefold()[:2] == self.asked.reply.casefold()[:2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the adapter, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--further", action="store_true", help="go on with the adapter that is there")
    parser.add_argument("--minutes", type=float, default=math.inf, help="train for no longer")
    parser.add_argument("--folder", type=Path, default=Adapter(ANSWERS).folder, help="folder of the adapter")
    parser.add_argument("--work", type=Path, required=True, help="folder for memories of the chats")
    options = parser.parse_args(arguments)
    known = [*items(), *found()]
    recalled = _recalled(options.work)
    if not options.measure:
        told = [each for each in known if each.part == "learn" and each.hand not in LONG]
        _train(told, recalled["learn"], options.minutes, options.folder, options.further)
        _choose_reluctance([each for each in recalled["choose"] if each.is_told], options.folder)
    left_out = [each for each in known if each.part != "learn" and (each.is_found or not _asks_day(each))]
    adapter = Adapter(ANSWERS, options.folder)
    asked = {
        "questions": [prompted_by(each) for each in _some([each for each in left_out if not each.is_found])],
        "found": [prompted_by(each) for each in _some([each for each in left_out if each.is_found])],
        "chats": recalled["report"],
    }
    rows: dict[str, dict[str, Any]] = {}
    for name, used in (("without the adapter", False), ("with it", True)):
        for part, questions in asked.items():
            row = _figures(list(_replies(questions, adapter, used=used)))
            rows[f"{part}, {name}"] = row
            print(f"{part + ', ' + name:30} " + ", ".join(f"{what} {value}" for what, value in row.items()), flush=True)
    print(json.dumps({"benchmark": "answers-adapter", "adapter": adapter.name, "figures": rows}))


def _recalled(work: Path) -> dict[str, list[Prompted]]:
    """What the product asks the model about whole chats, of those to learn from, to choose by and to report by."""
    embedder = chosen_embedder()
    asked: dict[str, list[Prompted]] = defaultdict(list)
    for chat in (chat for chat in chats() if chat.part != "develop"):
        part = "choose" if chat.name in CHOSEN_CHATS else chat.part
        asked[part] += prompted(chat, work, embedder)
    return asked


def _asks_day(item: Item) -> bool:
    """Whether a day is the answer, which nobody can tell where the hand does not say when the messages were sent."""
    return form_of(SHIPPED.read_question(item.question).sought) is Form.DATE


def _some(left_out: Sequence[Item]) -> list[Item]:
    """MEASURED of them, evenly spread."""
    return [left_out[place] for place in np.linspace(0, len(left_out) - 1, min(MEASURED, len(left_out)), dtype=int)]


def _train(learned: Sequence[Item], recalled: Sequence[Prompted], minutes: float, folder: Path, further: bool) -> None:
    from tests.training.adapting import Before, learn
    from tests.training.lora import write_adapter

    path, told = folder / f"{ANSWERS}.gguf", folder / f"{ANSWERS}.json"
    earlier = json.loads(told.read_text(encoding="utf-8")) if further else None
    hands: dict[str, int] = earlier["learned_from"] if earlier else {}
    unfinished = earlier["last_pass"] if earlier and earlier["seen"] < 1 else []

    def is_chosen(hand: str) -> bool:
        return hand in unfinished if unfinished else hand not in hands

    chosen = [each for each in learned if is_chosen(each.hand)]
    asked = [each for each in recalled if is_chosen(each.hand)]
    if not chosen and not asked:
        raise SystemExit(f"{path} has seen all hands: a second pass learns them by heart (EXPERIMENTS.md)")
    chosen += untold(chosen)
    before = Before(path, earlier["seen"] if unfinished else 0) if earlier else None
    seen_hands = Counter([each.hand for each in chosen] + [each.hand for each in asked])
    model, seen = learn(base(), chosen, asked, minutes, before)
    write_adapter(model, "qwen2", path)
    made = {
        "model": MODEL,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "command": f"python -m tests.training.answers --work DIR{' --further' * further}",
        "seen": round(seen, 2),
        "refusal": NOT_KNOWN[LANGUAGE],
        "reluctance": 0.0,
        "last_pass": sorted(seen_hands),
        "learned_from": hands | seen_hands,
    }
    told.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _choose_reluctance(told: Sequence[Prompted], folder: Path) -> None:
    """So that the share `WRONGLY` of these questions is refused."""
    adapter, path = Adapter(ANSWERS, folder), folder / f"{ANSWERS}.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["reluctance"] = round(float(np.quantile(list(_margins(told, adapter)), 1 - WRONGLY)), 2)
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _margins(asked: Sequence[Prompted], adapter: Adapter) -> Iterator[float]:
    """By how much the logit of a refusal's first token exceeds that of any other, question by question."""
    model = Gguf(base(), cells=2048, sequences=1, threads=usable_cores(), adapter=adapter.path)
    model.adapt(adapted=True)
    template, refusal = ChatTemplate(model), model.tokenize(adapter.refusal[0])[0]
    for each in asked:
        tokens = template.prompt(each.adapted.system, each.adapted.user).tokens
        model.clear()
        for start in range(0, len(tokens), CALL_TOKENS):
            call = enumerate(tokens[start : start + CALL_TOKENS], start)
            read = model.decode([PlacedToken(token, place, 0, place == len(tokens) - 1) for place, token in call])
        logits = read[0].copy()
        margin, logits[refusal] = logits[refusal], -np.inf
        yield float(margin - logits.max())
    model.close()


def base() -> Path:
    """The weights of the default model. Raises ModelError where they are not there."""
    return weights.locate(catalog.find(MODEL), Settings.load().models_dir)


def _replies(asked: Sequence[Prompted], adapter: Adapter, *, used: bool) -> Iterator[Reply]:
    """What the model replies, with the adapter or without it."""
    with LlamaCpp(base(), name=MODEL, context_tokens=4096, batch=8, threads=0, adapter=adapter) as llm:
        for start in range(0, len(asked), 40):
            some = asked[start : start + 40]
            done = llm.complete([replace(each.adapted, adapter=adapter.name) if used else each.plain for each in some])
            yield from (Reply(each, reply.text.strip()) for each, reply in zip(some, done, strict=True))


def _figures(replies: Sequence[Reply]) -> dict[str, Any]:
    told = [each for each in replies if each.asked.is_told]
    polar = [each for each in told if form_of(SHIPPED.read_question(each.asked.question).sought) is Form.POLAR]
    others = [each for each in told if each not in polar]
    return {
        "n": len(replies),
        "yes or no right": f"{sum(each.agrees for each in polar)} of {len(polar)}",
        "F1 of others": round(fmean(score(each.text, each.asked.reply, SINGLE_HOP) for each in others), 3),
        "n of others": len(others),
        "refused of not told": round(fmean(each.is_refusal for each in replies if not each.asked.is_told), 3),
        "refused of told": round(fmean(each.is_refusal for each in told), 3),
    }


if __name__ == "__main__":
    main()
