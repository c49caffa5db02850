"""Discourse cues of a message (asks, greets, exclaims, trails off, is short), recognised by its form alone.

English and Chinese. Only the beginning and end of a long message are read, since the cues occur there.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import HAN

_EDGE = 240  # characters that are read at the beginning and at the end of a message
_SHORT_WORDS = 3
_LONG_WORDS = 60  # words; longer messages count as this long

_ENDS_ASKING = re.compile(r"[?？][\"')\s]*$|[吗呢么][。!！~～\s]*$")
_TRAILS_OFF = re.compile(r"(?:\.\.+|…|[,，:：;；、—–]|\b(?:and|but|because|is|are|the|a|an|my))\s*$", re.IGNORECASE)
_PATTERNS = {
    "ends_asking": _ENDS_ASKING,
    "asks": re.compile(r"[?？]|[吗呢][。!！~～\s]*$"),
    "exclaims": re.compile(r"[!！]"),
    "trails_off": _TRAILS_OFF,
    "greets": re.compile(
        r"^\W*(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|howdy|yo)\b|"
        r"^(?:你好|您好|嗨|哈喽|早上好|晚上好|下午好|大家好|早)",
        re.IGNORECASE,
    ),
}
CUE_NAMES = (*_PATTERNS, "short", "length")


def read_cues(texts: Sequence[str]) -> NDArray[np.float32]:
    """1 where a text has a cue, shape (len(texts), len(CUE_NAMES)). The cue `length` is in words, scaled to 0 to 1."""
    return np.array([_cues_of(text) for text in texts], dtype=np.float32).reshape(len(texts), len(CUE_NAMES))


def asks(text: str) -> bool:
    """Whether the text ends with a question."""
    return bool(_ENDS_ASKING.search(text[-_EDGE:]))


def trails_off(text: str) -> bool:
    """Whether the text breaks off in the middle of a sentence: "My favourite film is..."."""
    return bool(_TRAILS_OFF.search(text[-_EDGE:]))


def _cues_of(text: str) -> list[float]:
    edges = text.strip() if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}".strip()
    words = max(len(text.split()), len(HAN.findall(edges)) // 2)
    length = min(words, _LONG_WORDS) / _LONG_WORDS
    return [*(float(bool(cue.search(edges))) for cue in _PATTERNS.values()), float(words <= _SHORT_WORDS), length]
