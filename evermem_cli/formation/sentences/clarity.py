"""Clarity: whether a sentence that a model wrote, or one retold in Chinese, can be understood without its chat."""

import re

from evermem_cli.reading.highlighter import Draft, Highlighter

# "这几天" and "那么" refer to nothing.
_ZH_OPEN_REFERENCE = re.compile(r"(?<!其)他|她|它|你|您|我(?!们)|这(?![几次两段周样么]|个?月)|那(?![么样天时段])")


def is_clear(sentence: str, highlighter: Highlighter) -> bool:
    """Whether a sentence in the third person tells by itself who did what."""
    [marks] = highlighter.highlight([Draft("", (sentence,))])
    return marks[0].is_clear if marks else not points_outside(sentence)


def points_outside(sentence: str) -> bool:
    """Whether a Chinese sentence has a word that may refer to something outside it."""
    return bool(_ZH_OPEN_REFERENCE.search(sentence))
