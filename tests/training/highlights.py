"""Trains the highlighter, which marks the sentences worth remembering, and prints what it finds.

    pip install '.[train]'
    python -m tests.training.highlights             # writes the weights
    python -m tests.training.highlights --measure   # figures of the weights that are there

It learns from `facts/` (by blind hands; GUIDE.md), chooses the threshold on every sixth of their chats, and prints the
figures of one hand that is left out, which are looked at as numbers and never as items.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.formation.grounding import CitedWords, content_words
from evermem_cli.formation.sentences.statements import clauses
from evermem_cli.reading.highlighter import NAME, OUTPUTS, Draft, Highlighter
from evermem_cli.reading.shipped import WEIGHTS
from tests.benchmarks.facts import COVERS, Chat, Noted, Said, chats

LEARNED = ("1-two-people", "2-groups-teams", "3-assistant")
REPORTED = "4-mixed"
_SIXTH = 6  # one chat of so many serves to choose the threshold
_OF_FACT = 0.4  # share of a sentence's content words that are a fact's, from which the sentence tells the fact
_UNKNOWN = -1.0  # a target that nothing is learned from
_ALONE = -1
_ASSISTANT = "Assistant"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message and what its sentences tell: `facts` has the place of a fact of the chat, or `_ALONE`, for each.

    `leans` says of each whether the message before must be read to know the fact.
    """

    draft: Draft
    facts: tuple[int, ...]
    leans: tuple[bool, ...]


def labelled(chat: Chat) -> Iterator[Labelled]:
    """The messages of people."""
    for place, said in enumerate(chat.messages):
        before = chat.messages[place - 1] if place else None
        sentences = tuple(clauses(said.says))
        own = [n for n, fact in enumerate(chat.facts) if said.n in fact.sources]
        told = [_told(sentence, own, chat) for sentence in sentences]
        for n in own:  # a fact that is complete with this message keeps its best sentence
            shares = [_share(sentence, chat.facts[n].fact) for sentence in sentences]
            best = int(np.argmax(shares)) if shares else 0
            if n not in told and max(chat.facts[n].sources) == said.n and shares and shares[best] > 0:
                told[best] = n if told[best] == _ALONE else told[best]
        leans = [n != _ALONE and _needs(said, before, chat.facts[n]) for n in told]
        if said.who != _ASSISTANT and sentences:
            yield Labelled(Draft(before.says if before else "", sentences), tuple(told), tuple(leans))


def _told(sentence: str, own: Sequence[int], chat: Chat) -> int:
    """The fact that has most of the sentence's words, if it has enough."""
    shares = [CitedWords([chat.facts[n].fact], frozenset()).confidence(sentence) for n in own]
    if not shares or max(shares) < _OF_FACT or not content_words(sentence):
        return _ALONE
    return own[int(np.argmax(shares))]


def _share(text: str, fact: str) -> float:
    """The share of the fact's words that the text has."""
    return CitedWords([text], frozenset()).confidence(fact)


def _needs(said: Said, before: Said | None, noted: Noted) -> bool:
    """Whether the fact is told by both messages and not by the later one alone."""
    if before is None or before.n not in noted.sources:
        return False
    alone = _share(said.says, noted.fact)
    return alone < COVERS and _share(f"{said.says} {before.says}", noted.fact) > alone


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    known = [(n, chat) for hand in LEARNED for n, chat in enumerate(chats(hand))]
    chosen = [one for n, chat in known if n % _SIXTH == 0 for one in labelled(chat)]
    if not options.measure:
        _train([one for n, chat in known if n % _SIXTH for one in labelled(chat)], options.weights)
        _choose_threshold(chosen, options.weights)
    reported = [one for chat in chats(REPORTED) for one in labelled(chat)]
    highlighter = Highlighter(options.weights)
    rows = {"choose": _figures(highlighter, chosen), "report": _figures(highlighter, reported)}
    for name, row in rows.items():
        print(f"{name:8} " + ", ".join(f"{figure} {value}" for figure, value in row.items()))
    print(json.dumps({"benchmark": "highlights", "figures": rows}))


def _train(learned: Sequence[Labelled], folder: Path) -> None:
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.highlighting import loss, make_item
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    network = Network(pretrained(embedder / "model.onnx"), OUTPUTS)
    recipe = Recipe(epochs=4, rate=1.5e-4, head_rate=1e-3)
    learn(network, [make_item(one.draft, targets(one), tokenizer) for one in learned], loss, recipe)
    settings = {
        "command": "python -m tests.training.highlights",
        "learned_from": {"hands": LEARNED, "messages": len(learned)},
        "thresholds": [0.0] * OUTPUTS,
    }
    export(NAME, network, tokenizer, folder, settings)


def targets(one: Labelled) -> Any:
    """What is to be learned of each sentence, of the shape (sentences, OUTPUTS); below 0 where nothing is known."""
    wanted = np.full((len(one.facts), OUTPUTS), _UNKNOWN)
    for place, (fact, leans) in enumerate(zip(one.facts, one.leans, strict=True)):
        wanted[place, 0] = fact != _ALONE
        if fact != _ALONE:
            wanted[place, 2] = leans
            if place and one.facts[place - 1] != _ALONE:
                wanted[place, 1] = one.facts[place - 1] == fact
    return wanted


def _choose_threshold(chosen: Sequence[Labelled], folder: Path) -> None:
    """The one of what is kept by which precision and recall are best together; the others stay at even odds."""
    odds, wanted = _outcomes(Highlighter(folder), chosen)
    kept = np.sort(odds[:, 0])
    best = max(kept[:: max(1, len(kept) // 200)], key=lambda least: _f1(odds[:, 0] > least, wanted[:, 0] > 0))
    path = folder / f"{NAME}.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["thresholds"][0] = round(float(best), 3)
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _outcomes(highlighter: Highlighter, messages: Sequence[Labelled]) -> tuple[Any, Any]:
    """The log odds of every sentence, and what was wanted of it."""
    odds = highlighter.log_odds([one.draft for one in messages])
    return np.concatenate(odds), np.concatenate([targets(one) for one in messages])


def _f1(kept: Any, wanted: Any) -> float:
    both = (kept & wanted).sum()
    return float(2 * both / (kept.sum() + wanted.sum()))


def _figures(highlighter: Highlighter, messages: Sequence[Labelled]) -> dict[str, float]:
    """How well sentences are kept, and how often it is right of those to keep whether they join and lean."""
    odds, wanted = _outcomes(highlighter, messages)
    marks = odds > highlighter.thresholds
    both = (marks[:, 0] & (wanted[:, 0] > 0)).sum()
    row = {
        "sentences": len(odds),
        "kept": int(marks[:, 0].sum()),
        "recall": both / (wanted[:, 0] > 0).sum(),
        "precision": both / marks[:, 0].sum(),
    }
    for name, output in (("joins", 1), ("leans", 2)):
        known = wanted[:, output] >= 0
        row[f"{name} right"] = (marks[known, output] == (wanted[known, output] > 0)).mean()
        row[f"{name} if never"] = (wanted[known, output] == 0).mean()
    return {name: round(float(value), 3) for name, value in row.items()}


if __name__ == "__main__":
    main()
