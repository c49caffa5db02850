"""A list: what is asked for several things is read in parts, and what each of them tells is put together.

A small model that reads much at once names a few things and stops. Of 46 questions of LoCoMo that several messages
answer, token F1 is 39 so and 33 read in one piece. Of the things in the answers to its lists 56 % are then named and
not 43, of those that are named 37 % are in the answers and not 50 (`python -m tests.benchmarks.answers`, both sets).
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
# The share of an item's words that one line has to say. Words of Chinese are pairs of characters, some across words.
SAID = {"en": 1.0, "zh": 0.5}
_LAST = re.compile(r"^\s*(?:and|or) ")  # before the last item


def in_parts(passages: Sequence[Passage], count: Callable[[str], int]) -> list[Part]:
    """The passages in order, in parts of about as many tokens by `count`: some `PART_TOKENS`, if no passage has more.

    No part is empty.
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
    """What the model names in each part, each thing once, told part by part.

    What no line of the part says is left out, and what only somebody else says beside what was found.
    Raises ModelError.
    """
    text = ""
    tongue, repeated = question.language, question.terms.claims
    named: set[str] = set()
    people = question.whose.named | {question.whose.asker}
    for part in parts or [()]:
        stream = AnswerStream(question, ignore)
        talk.say(answer_request(question, replace(recollection, passages=part), talk.adapter(tongue)), stream)
        lines = [*recollection.notes, *lines_of(part)]
        supported = [claimed_by(line) for line in lines if line.is_hit or line.message.speaker in people]
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
    """For each thing of a list what supports it best, in their order; see `cite`."""
    cited = (evidence for item in items(text) for evidence in cite(item, question, lines)[:1])
    return list({evidence.id: evidence for evidence in cited}.values())


def items(text: str) -> list[str]:
    """The items of a list; none where it says that memory does not tell."""
    return [] if refuses(text) else [_LAST.sub("", item[0]).strip(" .。\n") for item in ITEM.finditer(text)]
