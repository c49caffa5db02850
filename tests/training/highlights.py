"""Trains the highlighter, which marks the sentences worth remembering, and prints what it finds.

    pip install '.[train]'
    python -m tests.training.highlights             # writes the weights
    python -m tests.training.highlights --measure   # figures of the weights that are there

It learns from `facts/` (by blind hands; GUIDE.md) but for every sixth chat, by which its recipe was chosen, and one
hand, which is left out. Figures of both are printed; those of the hand are looked at as numbers and never as items.
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
from tests.benchmarks.facts import Chat, chats

LEARNED = ("1-two-people", "2-groups-teams", "3-assistant")
REPORTED = "4-mixed"
_SIXTH = 6  # one chat of so many is not learned from
_OF_FACT = 0.4  # share of a sentence's content words that are a fact's, from which the sentence tells the fact
_UNKNOWN = -1.0  # a target that nothing is learned from
_ALONE = -1
_ASSISTANT = "Assistant"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message and what its sentences tell: `facts` has the place of a fact of the chat, or `_ALONE`, for each."""

    draft: Draft
    facts: tuple[int, ...]


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
        if said.who != _ASSISTANT and sentences:
            yield Labelled(Draft(before.says if before else "", sentences), tuple(told))


def _told(sentence: str, own: Sequence[int], chat: Chat) -> int:
    """The fact that has most of the sentence's words, if it has enough."""
    shares = [CitedWords([chat.facts[n].fact], frozenset()).confidence(sentence) for n in own]
    if not shares or max(shares) < _OF_FACT or not content_words(sentence):
        return _ALONE
    return own[int(np.argmax(shares))]


def _share(text: str, fact: str) -> float:
    """The share of the fact's words that the text has."""
    return CitedWords([text], frozenset()).confidence(fact)


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
    }
    export(NAME, network, tokenizer, folder, settings)


def targets(one: Labelled) -> Any:
    """What is to be learned of each sentence, of the shape (sentences, OUTPUTS); below 0 where nothing is known."""
    wanted = np.full((len(one.facts), OUTPUTS), _UNKNOWN)
    for place, fact in enumerate(one.facts):
        wanted[place, 0] = fact != _ALONE
        if place and _ALONE not in (fact, one.facts[place - 1]):
            wanted[place, 1] = one.facts[place - 1] == fact
    return wanted


def _outcomes(highlighter: Highlighter, messages: Sequence[Labelled]) -> tuple[Any, Any]:
    """The log odds of every sentence, and what was wanted of it."""
    odds = highlighter.log_odds([one.draft for one in messages])
    return np.concatenate(odds), np.concatenate([targets(one) for one in messages])


def _figures(highlighter: Highlighter, messages: Sequence[Labelled]) -> dict[str, float]:
    """How well sentences are kept, and of those to keep how often it is right whether two belong together."""
    odds, wanted = _outcomes(highlighter, messages)
    kept, to_keep, known = odds[:, 0] > 0, wanted[:, 0] > 0, wanted[:, 1] >= 0
    row = {
        "sentences": len(odds),
        "kept": kept.sum(),
        "recall": (kept & to_keep).sum() / to_keep.sum(),
        "precision": (kept & to_keep).sum() / kept.sum(),
        "joins right": ((odds[:, 1] > 0) == (wanted[:, 1] > 0))[known].mean(),
        "joins": (wanted[known, 1] > 0).mean(),
    }
    return {name: round(float(value), 3) for name, value in row.items()}


if __name__ == "__main__":
    main()
