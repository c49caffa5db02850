"""The language of a text, which decides the prompts, and the form in which words are indexed."""

import re
import unicodedata

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
# Letters of the alphabets with capitals (Latin, Greek, Cyrillic and others) and their accents, for classes of patterns.
_ALPHABETS = [chr(code) for code in range(0x2000)]
CAPITALS = "".join(letter for letter in _ALPHABETS if letter.isupper())
LETTERS = "".join(letter for letter in _ALPHABETS if letter.lower() != letter.upper()) + "\u0300-\u036f"
DIGIT = re.compile(r"\d")
LETTER = re.compile(r"[^\W\d_]")
# A Chinese character carries as much as several letters, so a fifth of them makes a text Chinese with foreign names.
HAN_SHARE = 0.2
# Scripts without spaces (Han, Hiragana, Katakana, Thai), and Hangul, which glues particles to words and is in chats
# often written without spaces. The usual index unit for them is the bigram.
FIRST_KANA = "\u3040"
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\uac00-\ud7a3]+")


def language(text: str) -> str:
    """`zh` for Chinese, `en` for anything else."""
    letters = len(LETTER.findall(text))
    return "zh" if letters and len(HAN.findall(text)) / letters >= HAN_SHARE else "en"


def searchable(text: str) -> str:
    """The text in NFKC and casefolded, with runs of unspaced scripts as overlapping bigrams.

    The keyword index and all comparisons of words split this form at spaces.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return UNSPACED.sub(lambda run: f" {_bigrams(run[0])} ", folded)


def is_part_of_words(word: str) -> bool:
    """Whether a word is one character of Chinese, Japanese or Korean, which the index has in bigrams only.

    In Thai a single letter is no word.
    """
    return len(word) == 1 and word >= FIRST_KANA and bool(UNSPACED.match(word))


def _bigrams(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) or run
