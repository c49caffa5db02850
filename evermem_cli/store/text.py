"""The words under which a text is indexed: the keyword index splits at spaces, so Chinese is split here."""

import re
import unicodedata

# Scripts written without spaces: Han, Hiragana, Katakana, Thai. Bigrams are the usual index unit for them.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")


def searchable(text: str) -> str:
    """Casefolded and compatibility-normalised text with runs of unspaced scripts as overlapping bigrams."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return UNSPACED.sub(lambda run: f" {_bigrams(run[0])} ", folded)


def _bigrams(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run
