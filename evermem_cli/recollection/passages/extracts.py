"""Extracts from a long message the sentences that concern the question most."""

from collections import Counter
from itertools import pairwise

from evermem_cli.formation.pieces import WORD, sentences
from evermem_cli.languages.words import content_stems

# A message of at most this many words is read whole. A lower limit would lose every 25th message with LoCoMo's
# evidence.
MOST_WORDS = 80
# Words of an extract. An assistant's messages have hundreds of words and would displace the user's own. Of 231
# LongMemEval questions about the user's own chats 69 % then have all their evidence read, with 60 words 62, with whole
# messages 29; with 25 words 75, but worse answers. See tests/benchmarks/own_chats.py.
EXTRACT_WORDS = 40
ENDLESS = 120  # words of text without full stops, such as pasted logs, which is cut anywhere
CUT = "…"


def extract(text: str, asked: frozenset[str]) -> str:
    """The run of whole sentences with most of the question's stems, rare ones first, of at most `EXTRACT_WORDS` words.

    The first of equals, and at least one sentence, unless that is longer than `ENDLESS`. A text of at most `MOST_WORDS`
    words is read whole, and so is any text where no question is given.
    """
    if len(WORD.findall(text)) <= MOST_WORDS or not asked:
        return text
    said = [part for sentence in sentences(text) for part in _parts(sentence)]
    words = [len(WORD.findall(sentence)) for sentence in said]
    shared = [asked & content_stems(sentence) for sentence in said]
    often = Counter(stem for stems in shared for stem in stems)

    def worth(run: range) -> float:
        return sum(1 / often[stem] for stem in set[str]().union(*shared[run.start : run.stop]))

    best = max(_runs(words), key=worth)
    opening, closing = CUT + " " if best.start else "", " " + CUT if best.stop < len(said) else ""
    return opening + " ".join(said[best.start : best.stop]) + closing


def _parts(sentence: str) -> list[str]:
    """The sentence whole, or in parts of `EXTRACT_WORDS` words if it is endless."""
    starts = [word.start() for word in WORD.finditer(sentence)]
    if len(starts) < ENDLESS:
        return [sentence]
    cuts = [0, *starts[EXTRACT_WORDS::EXTRACT_WORDS], len(sentence)]
    return [sentence[start:stop].strip() for start, stop in pairwise(cuts)]


def _runs(words: list[int]) -> list[range]:
    """The longest run from each sentence on that is short enough, or that sentence alone."""
    runs = []
    for start in range(len(words)):
        stop, length = start + 1, words[start]
        while stop < len(words) and length + words[stop] <= EXTRACT_WORDS:
            length += words[stop]
            stop += 1
        runs.append(range(start, stop))
    return runs
