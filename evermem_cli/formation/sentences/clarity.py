"""Clarity: whether a sentence that a model wrote, or one retold in Chinese, can be understood without its chat."""

import re

from evermem_cli.languages.language import language
from evermem_cli.reading.highlighter import CLEAR, LANGUAGES, Draft, Highlighter

# The log odds from which a sentence is clear that a model wrote: it was asked to write of people by their names, as
# nobody writes who is learned from, so that only what is surely unclear is dropped.
_LEAST_ODDS = -2.0

# "这几天" and "那么" refer to nothing.
_ZH_OPEN_REFERENCE = re.compile(r"(?<!其)他|她|它|你|您|我(?!们)|这(?![几次两段周样么]|个?月)|那(?![么样天时段])")


def is_clear(sentence: str, highlighter: Highlighter) -> bool:
    """Whether a sentence in the third person tells by itself who did what."""
    if language(sentence) not in LANGUAGES:
        return not points_outside(sentence)
    [odds] = highlighter.log_odds([Draft("", (sentence,))])
    return bool(odds[0, CLEAR] > _LEAST_ODDS)


def points_outside(sentence: str) -> bool:
    """Whether a Chinese sentence has a word that may refer to something outside it."""
    return bool(_ZH_OPEN_REFERENCE.search(sentence))
