"""What depends on the language of a text: which prompts it gets, and the words under which it is indexed."""

import re
import unicodedata

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")
# A Chinese character says as much as several letters, so a fifth of them is a Chinese text with foreign names in it.
HAN_SHARE = 0.2
# Scripts written without spaces: Han, Hiragana, Katakana, Thai. Bigrams are the usual index unit for them.
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")


def language(text: str) -> str:
    """`zh` for Chinese, else `en`."""
    letters = len(LETTER.findall(text))
    return "zh" if letters and len(HAN.findall(text)) / letters >= HAN_SHARE else "en"


def searchable(text: str) -> str:
    """Casefolded and compatibility-normalised text with runs of unspaced scripts as overlapping bigrams.

    The keyword index splits at spaces, and so does whoever compares words.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return UNSPACED.sub(lambda run: f" {_bigrams(run[0])} ", folded)


def _bigrams(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run
