"""The names in one message."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from evermem_cli.memory import EntityType, Mention
from evermem_cli.naming.names import NAME, TITLES
from evermem_cli.naming.recognizer import FIRST_TYPE, NO_NAME, TYPES, Floats, Word, probabilities, words_of

# Of names in messages of left-out hands whose type a label tells, it finds 47 % with a share of this much, and takes
# 3 % for another type. A wrong entity is worse than a missing one.
TYPED_ABOVE = 0.6
_OWNED = re.compile(r"'s?$|'(?:ll|d|re|ve|m)$", re.IGNORECASE)
_APOSTROPHES = str.maketrans("’‘", "''")


def find_mentions(text: str) -> list[Mention]:
    """The names in a text, each with the type that its words and those around it show; None where they show none.

    Chinese has no capitals: names in it are those that a statement has.
    """
    mentions = dict.fromkeys(_mentions(text.translate(_APOSTROPHES)))
    typed = {mention.name for mention in mentions if mention.type}
    return [mention for mention in mentions if mention.type or mention.name not in typed]


def _mentions(text: str) -> Iterator[Mention]:
    words = words_of(text)
    capitals = [place for place, word in enumerate(words) if word.is_capital]
    shares = dict(zip(capitals, probabilities(words, capitals), strict=True)) if capitals else {}
    for run in NAME.finditer(text):
        named = [
            place
            for place, share in shares.items()
            if run.start() <= words[place].start < run.end() and share[NO_NAME] < 0.5
        ]
        if named:
            first, last = words[named[0]], words[named[-1]]
            start = next((word.start for word in _before(words, named[0], run.start()) if _is_title(word)), first.start)
            name = _OWNED.sub("", text[start : last.start + len(last.text)])
            yield Mention(name, _type([shares[place] for place in named]))


def _before(words: Sequence[Word], place: int, start: int) -> list[Word]:
    """The word before a place that is no full stop, if it does not stand before `start`."""
    earlier = [word for word in words[max(place - 2, 0) : place] if word.text != "." and word.start >= start]
    return earlier[-1:]


def _is_title(word: Word) -> bool:
    return word.text.lower() in TITLES


def _type(shares: list[Floats]) -> EntityType | None:
    """The type that all words of a name show together, if they show it surely."""
    joint = np.exp(np.mean([np.log(share[1:]) for share in shares], axis=0))
    joint /= joint.sum()
    best = int(joint.argmax())
    return TYPES[best + 1 - FIRST_TYPE] if best + 1 >= FIRST_TYPE and joint[best] > TYPED_ABOVE else None
