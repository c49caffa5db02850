"""Trains what tells requests from remarks, and wishes for or against a quality, and prints their figures.

    pip install '.[train]'
    python -m tests.training.wishes             # half a minute; writes the weights
    python -m tests.training.wishes --measure   # figures alone

Where a row of `requests/` has `asks`, it says whether something is asked for. What judges a result (`reactions/`) asks
for nothing, and English questions of `asks/` do. `wishes/` has qualities in sentences, with the reaction that the
sentence is. A hand of requests is left out in turn, and of wishes a quarter.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from evermem_cli.experience import speech_acts, wishes
from evermem_cli.experience.wishes import ATTITUDES, Named, around, likeliest, qualities_in, signs
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.memory import Attitude
from evermem_cli.reading.reactions import Reaction
from evermem_cli.reading.word_runs import RunModel
from tests.training import advice, reactions
from tests.training.linear import arrays, learn_runs

HERE = Path(__file__).parent
TONGUES = ("en", "zh")
ASKS_LOOSENESS, WISHES_LOOSENESS = 3.0, 100.0
REPEATED = 6  # times that a labelled request counts
MOST_JUDGEMENTS = {"en": 3000, "zh": 1000}
PARTS = 4
JUDGEMENTS = (Reaction.GOOD, Reaction.BAD, Reaction.NOTED)


class Message(NamedTuple):
    """What a user says to an assistant, and whether it asks for something."""

    hand: str
    text: str
    asks: bool


class Wish(NamedTuple):
    """A quality in a sentence, the reaction that the sentence is, and the attitude to the quality."""

    named: Named
    reaction: Reaction | None
    attitude: Attitude | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    asking = {tongue: messages(tongue) for tongue in TONGUES}
    wishing = {tongue: labelled_wishes(tongue) for tongue in TONGUES}
    if chosen.measure:
        for tongue in TONGUES:
            print(json.dumps({"benchmark": "requests", "tongue": tongue} | _asking_figures(tongue, asking[tongue])))
            print(json.dumps({"benchmark": "wishes", "tongue": tongue} | _wishing_figures(wishing[tongue])))
        return
    models = [arrays(tongue, _learn_asking(tongue, asking[tongue])) for tongue in TONGUES]
    np.savez_compressed(speech_acts.FILE, **models[0], **models[1])
    models = [arrays(tongue, _learn_wishing(wishing[tongue])) for tongue in TONGUES]
    np.savez_compressed(wishes.FILE, **models[0], **models[1])


def messages(tongue: str) -> list[Message]:
    """The rows of `requests/` that say whether they ask for something."""
    return [
        Message(path.stem, row["text"], row["asks"])
        for path in sorted((HERE / "requests").glob(f"{tongue}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
        if "asks" in row
    ]


def labelled_wishes(tongue: str) -> list[Wish]:
    """All of `wishes/`, in an order of chance."""
    found = [
        Wish(
            next(named for named in qualities_in(row["text"]) if named.start == row["at"]),
            Reaction(row["reaction"]) if row["reaction"] else None,
            Attitude(row["wish"]) if row["wish"] else None,
        )
        for path in sorted((HERE / "wishes").glob(f"{tongue}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]
    Random(1).shuffle(found)
    return found


def _learn_asking(tongue: str, known: Sequence[Message]) -> RunModel:
    random = Random(1)
    judging = [
        each.comment.sentence
        for each in reactions.examples()
        if each.hand.startswith(tongue) and each.label in JUDGEMENTS
    ]
    says = random.sample(judging, min(MOST_JUDGEMENTS[tongue], len(judging)))
    asks = [split_sentences(each.text)[-1] for each in advice.questions("en")] if tongue == "en" else []
    rows = [*_sentences(known)] * REPEATED + [(text, False) for text in says] + [(text, True) for text in asks]
    return learn_runs(
        [speech_acts.unpunctuated(text) for text, _ in rows], [int(asking) for _, asking in rows], ASKS_LOOSENESS
    )


def _sentences(known: Sequence[Message]) -> Iterator[tuple[str, bool]]:
    """The sentences of which it is known: of a message of several that asks, those in the form of questions."""
    for message in known:
        sentences = split_sentences(message.text)
        for sentence in sentences:
            if not message.asks or len(sentences) == 1 or is_question(sentence):
                yield sentence, message.asks


def _learn_wishing(known: Sequence[Wish]) -> RunModel:
    return learn_runs(
        [around(wish.named) for wish in known],
        [ATTITUDES.index(wish.attitude) for wish in known],
        WISHES_LOOSENESS,
        signs=[signs(wish.named, wish.reaction) for wish in known],
    )


def _asking_figures(tongue: str, known: Sequence[Message]) -> dict[str, int]:
    found = []
    for hand in sorted({message.hand for message in known}):
        model = _learn_asking(tongue, [message for message in known if message.hand != hand])
        for message in (message for message in known if message.hand == hand):
            heard = any(
                speech_acts.is_long_enough(sentence)
                and (is_question(sentence) or model.odds(speech_acts.unpunctuated(sentence)).argmax())
                for sentence in split_sentences(message.text)
            )
            found.append((message.asks, heard))
    return {
        "asking": sum(asks for asks, _ in found),
        "found": sum(asks and heard for asks, heard in found),
        "others": sum(not asks for asks, _ in found),
        "false": sum(heard and not asks for asks, heard in found),
    }


def _wishing_figures(known: Sequence[Wish]) -> dict[str, int]:
    found = []
    for part in range(PARTS):
        model = _learn_wishing([wish for place, wish in enumerate(known) if place % PARTS != part])
        for wish in known[part::PARTS]:
            odds = model.odds(around(wish.named), signs=signs(wish.named, wish.reaction))
            found.append((wish.attitude, likeliest(odds)))
    return {
        "qualities": len(found),
        "wishes": sum(own is not None for own, _ in found),
        "told": sum(heard is not None for _, heard in found),
        "right": sum(own is heard is not None for own, heard in found),
        "opposite": sum({own, heard} == {Attitude.AVOID, Attitude.PREFER} for own, heard in found),
    }


if __name__ == "__main__":
    main()
