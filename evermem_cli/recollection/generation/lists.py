"""Lists: a question for several things is answered from the passages in parts, and the items are joined.

A small model that reads many passages at once names a few things and stops. On 46 questions of LoCoMo that several
messages answer, token F1 is 39 in parts and 33 in one piece. In parts the answers contain 56 % of the expected items
instead of 43 %, and 37 % of the items named are expected ones instead of 50 % (`python -m tests.benchmarks.answers`,
both sets).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from evermem_cli.languages.words import claims
from evermem_cli.memory import Evidence
from evermem_cli.recollection.generation.citations import cite, claimed_by
from evermem_cli.recollection.generation.phrasing import ITEM, NOT_KNOWN, AnswerStream, refuses
from evermem_cli.recollection.generation.requests import answer_request
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.passages.lines import Line, Passage, lines_of
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

Part = tuple[Passage, ...]

PART_TOKENS = 300
AND = {"en": ", ", "zh": "、"}
# The share of an item's words that one line must contain. Chinese "words" are pairs of characters, also across words.
SAID = {"en": 1.0, "zh": 0.5}
_LAST = re.compile(r"^\s*(?:and|or) ")  # before the last item


def in_parts(passages: Sequence[Passage], count: Callable[[str], int]) -> list[Part]:
    """The passages in order, in parts of about equal numbers of tokens by `count`.

    A part has about `PART_TOKENS`, or more if a single passage has more. No part is empty.
    """
    sizes = [sum(count(line.text) for line in passage) for passage in passages]
    total = sum(sizes) or 1
    number = max(1, round(total / PART_TOKENS))
    parts: list[list[Passage]] = [[] for _ in range(number)]
    before = 0
    for passage, size in zip(passages, sizes, strict=True):
        parts[min(int((before + size / 2) / total * number), number - 1)].append(passage)
        before += size
    return [tuple(part) for part in parts if part]


def listed(question: Question, recollection: Recollection, talk: Talk, parts: list[Part]) -> str:
    """The items that the model names in each part, each item once, handed on part by part.

    An item is left out if no line of the part contains it. A line counts if it is a hit, or if it was said by a person
    whom the question is about; every line if it is about nobody. Raises ModelError.
    """
    text = ""
    tongue, repeated = question.language, question.terms.claims
    named: set[str] = set()
    people = question.whose.named | {question.whose.asker}
    anybodys = not (question.whose.named or question.whose.says_i)
    for part in parts or [()]:
        stream = AnswerStream(question, ignore)
        talk.say(answer_request(question, replace(recollection, passages=part), talk.adapter(tongue)), stream)
        lines = [*recollection.notes, *lines_of(part)]
        supported = [claimed_by(line) for line in lines if anybodys or line.is_hit or line.message.speaker in people]
        for item in items(stream.end()):
            words = claims(item) - repeated
            if words - named and any(len(words & line) >= SAID[tongue] * len(words) for line in supported):
                piece = f"{AND[tongue]}{item}" if text else item
                talk.tell(piece)
                text += piece
                named |= words
    if not text:
        text = NOT_KNOWN[tongue]
        talk.tell(text)
    return text


def cite_each(text: str, question: Question, lines: Sequence[Line]) -> list[Evidence]:
    """For each item of a list the result that supports it best, in the order of the items; see `cite`."""
    cited = (evidence for item in items(text) for evidence in cite(item, question, lines)[:1])
    return list({evidence.id: evidence for evidence in cited}.values())


def items(text: str) -> list[str]:
    """The items of a list; none if the text says that memory does not tell."""
    return [] if refuses(text) else [_LAST.sub("", item[0]).strip(" .。\n") for item in ITEM.finditer(text)]
