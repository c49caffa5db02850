"""What is read of a long message: the sentences in which most is said of what the question is about."""

from collections import Counter
from itertools import pairwise

from evermem_cli.formation.pieces import WORD, sentences
from evermem_cli.recollection.question import content_stems

# Of the evidence of 62 questions about one's own chats with an assistant (LongMemEval's knowledge updates and single
# sessions) 94 % is read with so many, 89 with 60, 78 with 80, and 53 with whole messages. How often any and all of it
# is: tests/benchmarks/own_chats.py.
MOST_WORDS = 40
ENDLESS = 3 * MOST_WORDS  # words of what has no full stop, as pasted logs: it is cut anywhere
CUT = "…"


def extract(text: str, question: str) -> str:
    """The run of whole sentences, `MOST_WORDS` words at most, that has most of the question's words, rare ones first.

    The first of equals, and at least one sentence, unless that is `ENDLESS`. A text of no more words is read whole, and
    so is any where nothing is asked.
    """
    said = [part for sentence in sentences(text) for part in _parts(sentence)]
    words = [len(WORD.findall(sentence)) for sentence in said]
    asked = content_stems(question)
    if sum(words) <= MOST_WORDS or not asked:
        return text
    held = [asked & content_stems(sentence) for sentence in said]
    often = Counter(stem for stems in held for stem in stems)

    def worth(run: range) -> float:
        return sum(1 / often[stem] for stem in set[str]().union(*held[run.start : run.stop]))

    best = max(_runs(words), key=worth)
    opening, closing = CUT + " " if best.start else "", " " + CUT if best.stop < len(said) else ""
    return opening + " ".join(said[best.start : best.stop]) + closing


def _parts(sentence: str) -> list[str]:
    """The sentence whole, or in parts of `MOST_WORDS` words if it is endless."""
    starts = [word.start() for word in WORD.finditer(sentence)]
    if len(starts) < ENDLESS:
        return [sentence]
    cuts = [0, *starts[MOST_WORDS::MOST_WORDS], len(sentence)]
    return [sentence[start:stop].strip() for start, stop in pairwise(cuts)]


def _runs(words: list[int]) -> list[range]:
    """The longest run from each sentence on that is short enough."""
    runs = []
    for start in range(len(words)):
        stop, length = start + 1, words[start]
        while stop < len(words) and length + words[stop] <= MOST_WORDS:
            length += words[stop]
            stop += 1
        runs.append(range(start, stop))
    return runs
