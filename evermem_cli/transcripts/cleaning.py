"""What text is freed of before anything is matched in it or stored."""

import re

_SPACES = re.compile("[\u00a0\u202f\u2009]")
_BREAKS = re.compile("\r\n?|[\v\f\u0085\u2028\u2029]")
# Direction marks that exporters put around names and placeholders, byte order marks, and control characters.
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0e-\x1f\x7f-\x9f]")
_HALF_PAIRS = re.compile("[\ud800-\udfff]")


def clean(text: str, keep: str = "") -> str:
    r"""`text` with plain spaces and "\n" for all their variants, and without marks and control characters but "\t".

    Halves of surrogate pairs, which JSON can hold and UTF-8 cannot, become U+FFFD. Marks in `keep` stay.
    """
    if text.isprintable():  # all that is replaced here is not printable, and most text is
        return text
    text = _BREAKS.sub("\n", _SPACES.sub(" ", text))
    return _HALF_PAIRS.sub("\ufffd", _MARKS.sub(lambda mark: mark[0] if mark[0] in keep else "", text))
