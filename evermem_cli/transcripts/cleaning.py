"""Cleans text before it is matched or stored."""

import re

from evermem_cli.terminal.visible import whole

_SPACES = re.compile("[\u00a0\u202f\u2009]")
_BREAKS = re.compile("\r\n?|[\v\f\u0085\u2028\u2029]")
# What colours, moves or links text in a terminal (ECMA-48): pasted output of a shell has it.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_])")
# Direction marks that exporters put around names and placeholders, byte order marks, and control characters.
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0e-\x1f\x7f-\x9f]")


def clean(text: str, keep: str = "") -> str:
    r"""`text` with plain spaces and "\n" for all their variants, without marks and codes of terminals.

    Of the control characters "\t" stays, and so do marks in `keep`. Halves of surrogate pairs, which JSON allows,
    become U+FFFD.
    """
    if text.isprintable():  # everything replaced here is unprintable, and most text has nothing unprintable
        return text
    text = _ESCAPES.sub("", _BREAKS.sub("\n", _SPACES.sub(" ", text)))
    return whole(_MARKS.sub(lambda mark: mark[0] if mark[0] in keep else "", text))
