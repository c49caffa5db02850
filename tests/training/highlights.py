"""Trains the highlighter, which marks the sentences worth remembering, and prints what it finds.

    pip install '.[train]'
    python -m tests.training.highlights             # writes the weights
    python -m tests.training.highlights --measure   # figures of the weights that are there

It learns from `facts/` and `kept/` (by blind hands; GUIDE.md) but for every sixth chat of the first and two authors of
the second, by which its recipe was chosen, and one hand and two authors, which are left out. Figures of all are
printed; those that are left out are looked at as numbers and never as items.
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
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.reading.highlighter import NAME, OUTPUTS, Draft, Highlighter
from evermem_cli.reading.shipped import WEIGHTS
from tests.benchmarks.facts import Chat, chats
from tests.training.kept import ASSISTANT, LabelledChat, SingleMessage, Told, labelled_chats, single_messages

LEARNED = ("1-two-people", "2-groups-teams", "3-assistant")
REPORTED = "4-mixed"
_SIXTH = 6  # one chat of so many is not learned from
_OF_FACT = 0.4  # share of a sentence's content words that are a fact's, from which the sentence tells the fact
_LAYERS = 4  # of six, which keep no more of what should be kept and take half as long again
_UNKNOWN = -1.0  # a target that nothing is learned from
_KEPT, _JOINS, _CLEAR, _NEEDS_OWN, _HEADS = range(OUTPUTS)
_MARKS = (("joins", _JOINS), ("clear", _CLEAR), ("needs its own", _NEEDS_OWN))
_ALONE = -1


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message, and what is to be learned of each of its sentences, of the shape (sentences, OUTPUTS).

    Targets are 0 or 1, and below 0 where nothing is known. `topic` is equal for the messages of one topic.
    """

    draft: Draft
    targets: Any
    topic: tuple[str, int] | None = None


def of_facts(chat: Chat) -> Iterator[Labelled]:
    """The messages of people in a chat whose facts are noted."""
    for place, said in enumerate(chat.messages):
        before = chat.messages[place - 1] if place else None
        sentences = tuple(split_sentences(said.says))
        own = [n for n, fact in enumerate(chat.facts) if said.n in fact.sources]
        told = [_told(sentence, own, chat) for sentence in sentences]
        for n in own:  # a fact that is complete with this message keeps its best sentence
            shares = [_share(sentence, chat.facts[n].fact) for sentence in sentences]
            best = int(np.argmax(shares)) if shares else 0
            if n not in told and max(chat.facts[n].sources) == said.n and shares and shares[best] > 0:
                told[best] = n if told[best] == _ALONE else told[best]
        if said.who.lower() != ASSISTANT and sentences:
            yield Labelled(Draft(before.says if before else "", sentences), _of_places(told))


def _of_places(told: Sequence[int]) -> Any:
    """The targets of sentences that tell the facts of these places, or none."""
    wanted = np.full((len(told), OUTPUTS), _UNKNOWN)
    for place, fact in enumerate(told):
        wanted[place, _KEPT] = fact != _ALONE
        if place and _ALONE not in (fact, told[place - 1]):
            wanted[place, _JOINS] = told[place - 1] == fact
    return wanted


def of_kept(chat: LabelledChat) -> Iterator[Labelled]:
    """The messages of people in a chat of which sentences are labelled."""
    told = {(one.n, one.words): one for one in chat.told}
    heads = {sentence for topic in chat.topics for sentence in topic.best}
    topics = {n: place for place, topic in enumerate(chat.topics) for n in range(topic.start, topic.stop + 1)}
    for n, draft in chat.drafts():
        wanted = _of_told([told.get((n, sentence)) for sentence in draft.sentences], n)
        wanted[:, _HEADS] = [(n, sentence) in heads for sentence in draft.sentences]
        yield Labelled(draft, wanted, (chat.chat.name, topics[n]))


def of_single(message: SingleMessage) -> Labelled:
    """A message that stands by itself."""
    sentences = tuple(split_sentences(message.t))
    told = {one.words: one for one in message.told}
    return Labelled(Draft(message.b, sentences), _of_told([told.get(sentence) for sentence in sentences], 0))


def _of_told(told: Sequence[Told | None], n: int) -> Any:
    """The targets of the sentences of message `n`, of those worth keeping with their labels."""
    wanted = np.full((len(told), OUTPUTS), _UNKNOWN)
    for place, one in enumerate(told):
        wanted[place, _KEPT] = one is not None
        if one:
            wanted[place, [_CLEAR, _NEEDS_OWN]] = one.alone, n in one.needs
        if one and place and told[place - 1]:
            wanted[place, _JOINS] = one.joins
    return wanted


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
    if not options.measure:
        facts = [one for n, chat in known if n % _SIXTH for one in of_facts(chat)]
        _train([*facts, *_of_part("learn"), *map(of_single, single_messages())], options.weights)
    highlighter = Highlighter(options.weights)
    rows = {
        "facts, choose": _figures(highlighter, [one for n, chat in known if n % _SIXTH == 0 for one in of_facts(chat)]),
        "facts, report": _figures(highlighter, [one for chat in chats(REPORTED) for one in of_facts(chat)]),
        "kept, choose": _figures(highlighter, _of_part("choose")),
        "kept, report": _figures(highlighter, _of_part("report")),
    }
    for name, row in rows.items():
        print(f"{name:14} " + ", ".join(f"{figure} {value}" for figure, value in row.items()))
    print(json.dumps({"benchmark": "highlights", "figures": rows}))


def _of_part(part: str) -> list[Labelled]:
    return [one for chat in labelled_chats() if chat.part == part for one in of_kept(chat)]


def _train(learned: Sequence[Labelled], folder: Path) -> None:
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.highlighting import loss, make_item
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    encoder = pretrained(embedder / "model.onnx")
    encoder.layers = encoder.layers[:_LAYERS]
    network = Network(encoder, OUTPUTS)
    recipe = Recipe(epochs=4, rate=1.5e-4, head_rate=1e-3)
    learn(network, [make_item(one.draft, one.targets, tokenizer) for one in learned], loss, recipe)
    settings = {
        "command": "python -m tests.training.highlights",
        "learned_from": {"facts": LEARNED, "kept": "learn and plain", "messages": len(learned)},
    }
    export(NAME, network, tokenizer, folder, settings)


def _figures(highlighter: Highlighter, messages: Sequence[Labelled]) -> dict[str, float]:
    """How well sentences are kept, and how often the other marks are right where they are known."""
    by_message = highlighter.log_odds([one.draft for one in messages])
    odds, wanted = np.concatenate(by_message), np.concatenate([one.targets for one in messages])
    kept, to_keep = odds[:, _KEPT] > 0, wanted[:, _KEPT] > 0
    row = {
        "sentences": len(odds),
        "kept": kept.sum(),
        "recall": (kept & to_keep).sum() / to_keep.sum(),
        "precision": (kept & to_keep).sum() / kept.sum(),
    }
    for name, output in _MARKS:
        known = wanted[:, output] >= 0
        if known.any():
            row[f"{name} right"] = ((odds[:, output] > 0) == (wanted[:, output] > 0))[known].mean()
            row[name] = (wanted[known, output] > 0).mean()
    topics: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for one, own in zip(messages, by_message, strict=True):
        if one.topic:
            topics.setdefault(one.topic, []).extend(zip(own[:, _HEADS], one.targets[:, _HEADS], strict=True))
    headed = [pairs for pairs in topics.values() if any(wanted > 0 for _, wanted in pairs)]
    if headed:
        row["topics"] = len(headed)
        row["headings right"] = np.mean([max(pairs)[1] > 0 for pairs in headed])
        row["by chance"] = np.mean([np.mean([wanted > 0 for _, wanted in pairs]) for pairs in headed])
    return {name: round(float(value), 3) for name, value in row.items()}


if __name__ == "__main__":
    main()
