"""Clarity: whether a sentence that a model wrote, or one retold in Chinese, can be understood without its chat."""

import re
from collections.abc import Sequence

from evermem_cli.languages.language import language
from evermem_cli.reading.highlighter import SHIPPED, Draft

_OWN = re.compile(r"\b(?:his|her|their)\b(?= \w)")  # in a sentence about somebody, it is theirs
# "这几天" and "那么" refer to nothing.
_ZH_OPEN_REFERENCE = re.compile(r"(?<!其)他|她|它|你|您|我(?!们)|这(?![几次两段周样么]|个?月)|那(?![么样天时段])")


def is_clear_about(sentence: str, who: str, earlier: Sequence[str] = ()) -> bool:
    """Whether a sentence that a model wrote about somebody names them and tells who did what.

    It does so by itself or after the `earlier` sentences. Raises ModelError.
    """
    if language(sentence) == "zh":
        return who in sentence and not points_outside(sentence)
    own = _OWN.sub(lambda _: f"{who}'s", sentence)
    [marks] = SHIPPED.highlight([Draft("", (*earlier, own))])
    return who in sentence and marks is not None and (marks[-1].is_clear or (bool(earlier) and marks[-1].needs_own))


def points_outside(sentence: str) -> bool:
    """Whether a Chinese sentence has a word that may refer to something outside it."""
    return bool(_ZH_OPEN_REFERENCE.search(sentence))
