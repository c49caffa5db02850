"""Trains the adapter by which the default model answers questions from excerpts of chats.

    pip install '.[train]'
    python -m tests.training.answers             # writes the adapter
    python -m tests.training.answers --further   # the one that is there learns from hands that it has not seen yet
    python -m tests.training.answers --measure   # figures of the adapter that is there, and of the model without it

It learns from `questions/` and `found/` (by blind hands) in the product's own prompt. The hands that `pairs.py` names
to choose and to report by are left out, and looked at as numbers alone.
"""

import argparse
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import Request, catalog, weights
from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.engines.chat_template import ChatTemplate
from evermem_cli.engines.gguf import CALL_TOKENS, Gguf, PlacedToken
from evermem_cli.engines.llm import LlamaCpp, usable_cores
from evermem_cli.reading.asked import read_asked
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN, refuses
from evermem_cli.recollection.questions.form import Form, form_of
from tests.benchmarks.token_f1 import score
from tests.training.excerpts import LANGUAGE, answer_of, request_of
from tests.training.found import found, untold
from tests.training.pairs import Item, items

MODEL = "qwen2.5-coder-1.5b"
MEASURED = 200  # questions of the left-out hands, of each kind of excerpt
WRONGLY = 0.03  # share of answered questions that are refused, by the hand to choose by
SINGLE_HOP = 4  # LoCoMo's category whose F1 is that of the whole answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model replied to a question."""

    item: Item
    text: str

    @property
    def is_refusal(self) -> bool:
        """Whether it says that memory does not tell."""
        return refuses(self.text)

    @property
    def agrees(self) -> bool:
        """Whether it begins with the answer's yes or no."""
        return self.text.casefold()[:2] == self.item.answer.casefold()[:2]


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the adapter, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--further", action="store_true", help="go on with the adapter that is there")
    parser.add_argument("--minutes", type=float, default=math.inf, help="train for no longer")
    parser.add_argument("--folder", type=Path, default=Adapter(ANSWERS).folder, help="folder of the adapter")
    options = parser.parse_args(arguments)
    known = [*items(), *found()]
    if not options.measure:
        _train([each for each in known if each.part == "learn"], options.minutes, options.folder, options.further)
        told = [each for each in known if each.part == "choose" and each.is_found and each.answers]
        _choose_reluctance(told, options.folder)
    left_out = [each for each in known if each.part != "learn" and (each.is_found or not _asks_day(each))]
    asked = {
        "questions": _some([each for each in left_out if not each.is_found]),
        "found": _some([each for each in left_out if each.is_found]),
    }
    adapter = Adapter(ANSWERS, options.folder)
    rows: dict[str, dict[str, Any]] = {}
    for name, used in (("without the adapter", None), ("with it", adapter)):
        for part, questions in asked.items():
            row = _figures(list(_replies(questions, used, adapter)))
            rows[f"{part}, {name}"] = row
            print(f"{part + ', ' + name:30} " + ", ".join(f"{what} {value}" for what, value in row.items()), flush=True)
    print(json.dumps({"benchmark": "answers-adapter", "adapter": adapter.name, "figures": rows}))


def _asks_day(item: Item) -> bool:
    """Whether a day is the answer, which nobody can tell where the hand does not say when the messages were sent."""
    return form_of(read_asked(item.question).sought) is Form.DATE


def _some(left_out: Sequence[Item]) -> list[Item]:
    """MEASURED of them, evenly spread."""
    return [left_out[place] for place in np.linspace(0, len(left_out) - 1, min(MEASURED, len(left_out)), dtype=int)]


def _train(learned: Sequence[Item], minutes: float, folder: Path, further: bool) -> None:
    from tests.training.adapting import Before, learn
    from tests.training.lora import write_adapter

    path, told = folder / f"{ANSWERS}.gguf", folder / f"{ANSWERS}.json"
    earlier = json.loads(told.read_text(encoding="utf-8")) if further else None
    hands: dict[str, int] = earlier["learned_from"] if earlier else {}
    unfinished = earlier["last_pass"] if earlier and earlier["seen"] < 1 else []
    chosen = [each for each in learned if (each.hand in unfinished if unfinished else each.hand not in hands)]
    if not chosen:
        raise SystemExit(f"{path} has seen all hands: a second pass learns them by heart (GUIDE.md)")
    chosen += untold(chosen)
    before = Before(path, earlier["seen"] if unfinished else 0) if earlier else None
    model, seen = learn(_base(), chosen, minutes, before)
    write_adapter(model, "qwen2", path)
    made = {
        "model": MODEL,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "command": f"python -m tests.training.answers{' --further' * further}",
        "seen": round(seen, 2),
        "refusal": NOT_KNOWN[LANGUAGE],
        "reluctance": 0.0,
        "last_pass": sorted({each.hand for each in chosen}),
        "learned_from": hands | {hand: sum(each.hand == hand for each in chosen) for hand in {i.hand for i in chosen}},
    }
    told.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _choose_reluctance(told: Sequence[Item], folder: Path) -> None:
    """So that the share `WRONGLY` of these questions is refused."""
    adapter, path = Adapter(ANSWERS, folder), folder / f"{ANSWERS}.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["reluctance"] = round(float(np.quantile(list(_margins(told, adapter)), 1 - WRONGLY)), 2)
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _margins(asked: Sequence[Item], adapter: Adapter) -> Iterator[float]:
    """By how much the logit of a refusal's first token exceeds that of any other, question by question."""
    model = Gguf(_base(), cells=2048, sequences=1, threads=usable_cores(), adapter=adapter.path)
    model.adapt(adapted=True)
    template, refusal = ChatTemplate(model), model.tokenize(adapter.refusal[0])[0]
    for item in asked:
        request = request_of(item, adapter)
        tokens = template.prompt(request.system, request.user).tokens
        model.clear()
        for start in range(0, len(tokens), CALL_TOKENS):
            call = enumerate(tokens[start : start + CALL_TOKENS], start)
            read = model.decode([PlacedToken(token, place, 0, place == len(tokens) - 1) for place, token in call])
        logits = read[0].copy()
        margin, logits[refusal] = logits[refusal], -np.inf
        yield float(margin - logits.max())
    model.close()


def _base() -> Path:
    return weights.locate(catalog.find(MODEL), Settings.load().models_dir)


def _replies(asked: Sequence[Item], used: Adapter | None, adapter: Adapter) -> Iterator[Reply]:
    """What the model replies to each question from its whole excerpt."""
    with LlamaCpp(_base(), name=MODEL, context_tokens=4096, batch=8, threads=0, adapter=adapter) as llm:
        requests: list[Request] = [request_of(each, used) for each in asked]
        for start in range(0, len(asked), 40):
            done = llm.complete(requests[start : start + 40])
            yield from (
                Reply(item, reply.text.strip()) for item, reply in zip(asked[start : start + 40], done, strict=True)
            )


def _figures(replies: Sequence[Reply]) -> dict[str, Any]:
    told = [each for each in replies if each.item.answers]
    polar = [each for each in told if form_of(read_asked(each.item.question).sought) is Form.POLAR]
    others = [each for each in told if each not in polar]
    return {
        "n": len(replies),
        "yes or no right": f"{sum(each.agrees for each in polar)} of {len(polar)}",
        "F1 of others": round(fmean(score(each.text, answer_of(each.item), SINGLE_HOP) for each in others), 3),
        "n of others": len(others),
        "refused of not told": round(fmean(each.is_refusal for each in replies if not each.item.answers), 3),
        "refused of told": round(fmean(each.is_refusal for each in told), 3),
    }


if __name__ == "__main__":
    main()
