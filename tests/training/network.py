"""The tagger as it is trained: the encoder with one linear head, and examples as the numbers that it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from evermem_cli.reading.statements.labels import (
    ASKED_KINDS,
    ASKS,
    ERAS,
    KINDS,
    OUTPUTS,
    OWNERS,
    SOUGHT,
    STANCES,
    TAGS,
    WHOSE,
    WORD_MARKS,
    Sought,
)
from evermem_cli.reading.statements.tagger import BEFORE_TOKENS
from tests.training.advice import AdviceQuestion
from tests.training.asked import SoughtQuestion
from tests.training.encoder import BEGIN, END, WIDTH, Encoder, half_precision
from tests.training.examples import Example
from tests.training.kinds_asked import KindQuestion

_UNKNOWN = -1  # a target that nothing is learned from
MOST_TOKENS = 160  # while learning; longer messages are cut
# How much each of the outputs counts in the loss.
_TELLING, _WHOSE, _STANCE, _PERSON = 0.5, 0.5, 0.3, 0.2
# Of a question, against a message of the same batch.
_ASKED, _MARKED = 0.7, 1.0
_RARE = 3.0  # how much a marked word counts against one that is not


class Network(nn.Module):
    """Tokens to logits of the shape (n, tokens, outputs); by default those of the tagger."""

    def __init__(self, encoder: Encoder, outputs: int = sum(OUTPUTS)) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(WIDTH, outputs)
        self.drop = nn.Dropout(0.1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Ids, mask and sides of the shape (n, tokens)."""
        logits: Tensor = self.head(self.drop(self.encoder(input_ids, attention_mask, token_type_ids)))
        return logits


@dataclass(frozen=True, slots=True)
class Item:
    """An example in tokens; the arrays have a number for each token, those of the text before it too.

    Of a question `asked` are the numbers of its kind, of what it asks, of its owner, of what is sought and of the era,
    and whether it asks for advice; `marks` has a row for each token.
    """

    ids: list[int]
    side: list[int]
    tag: Any
    weight: Any
    telling: Any
    whose: Any
    stance: Any
    person: Any
    asked: tuple[int, ...] | None = None
    marks: Any = None


def make_question(
    question: KindQuestion | SoughtQuestion | AdviceQuestion, tokenizer: Any, marks: tuple[int, int] = (BEGIN, END)
) -> Item:
    """The tokens and targets of a question, from which nothing is learned about messages."""
    begin, end_mark = marks
    encoded = tokenizer.encode(question.text, add_special_tokens=False)
    lead = [begin, end_mark]
    own, offsets = encoded.ids[:MOST_TOKENS], encoded.offsets[:MOST_TOKENS]
    ids = [*lead, *own, end_mark]
    marked = np.full((len(ids), WORD_MARKS), float(_UNKNOWN))
    if isinstance(question, KindQuestion):
        of_kind = ASKED_KINDS.index(question.kind), ASKS.index(question.asks), OWNERS.index(question.owner)
        asked: tuple[int, ...] = (*of_kind, _UNKNOWN, _UNKNOWN, _UNKNOWN)
        marked[len(lead) : len(lead) + len(own)] = 0
        for mark, span in enumerate((question.value, question.narrow, question.owner_words)):
            if span:
                marked[_within(offsets, *span, len(lead)), mark] = 1
    elif isinstance(question, SoughtQuestion):
        of_sought = SOUGHT.index(question.sought), ERAS.index(question.era), int(question.sought is Sought.ADVICE)
        asked = (_UNKNOWN, _UNKNOWN, _UNKNOWN, *of_sought)
    else:
        asked = (*[_UNKNOWN] * 5, int(question.advice))
    nothing, unknown = np.zeros(len(ids)), np.full(len(ids), _UNKNOWN)
    return Item(
        ids=ids,
        side=[0] * len(lead) + [1] * (len(own) + 1),
        tag=np.zeros(len(ids), int),
        weight=nothing,
        telling=unknown,
        whose=unknown,
        stance=unknown,
        person=unknown,
        asked=asked,
        marks=marked,
    )


def make_item(example: Example, tokenizer: Any, marks: tuple[int, int] = (BEGIN, END)) -> Item:
    """The tokens and targets of an example; `marks` are those before the first text and after each."""
    begin, end_mark = marks
    before = tokenizer.encode(example.before, add_special_tokens=False).ids[-BEFORE_TOKENS:]
    encoded = tokenizer.encode(example.text, add_special_tokens=False)
    room = MOST_TOKENS - len(before) - 3
    lead = [begin, *before, end_mark]
    own, offsets = encoded.ids[:room], encoded.offsets[:room]
    ids = [*lead, *own, end_mark]
    tag, whose, stance = np.zeros(len(ids), int), np.full(len(ids), _UNKNOWN), np.full(len(ids), _UNKNOWN)
    weight, telling, person = np.zeros(len(ids)), np.full(len(ids), float(_UNKNOWN)), np.zeros(len(ids))
    first = len(lead)
    weight[first : first + len(own)] = example.silence
    person[:] = _UNKNOWN
    if example.silence == 1:
        person[first : first + len(own)] = 0
    for start, end, told in example.telling:
        telling[_within(offsets, start, end, first)] = told
    for start, end in example.people:
        person[_within(offsets, start, end, first)] = 1
    for span in example.spans:
        places = _within(offsets, span.start, span.end, first)
        tag[places] = 2 + 2 * KINDS.index(span.kind)
        tag[places[:1]] -= 1
        weight[places] = 1
        whose[places] = WHOSE.index(span.whose)
        stance[places] = STANCES.index(span.stance) if span.whose is not WHOSE[-1] else _UNKNOWN
    return Item(ids, [0] * first + [1] * (len(own) + 1), tag, weight, telling, whose, stance, person)


def loss(network: Network, items: Sequence[Item]) -> Tensor:
    """What the network gets wrong of a batch."""
    longest = max(len(item.ids) for item in items)

    def stacked(name: str, padding: float, kind: torch.dtype) -> Tensor:
        rows = [np.pad(getattr(item, name), (0, longest - len(item.ids)), constant_values=padding) for item in items]
        return torch.tensor(np.stack(rows)).to(kind)

    mask = torch.tensor([[1] * len(item.ids) + [0] * (longest - len(item.ids)) for item in items])
    with half_precision():
        logits = network(stacked("ids", 0, torch.int64), mask, stacked("side", 0, torch.int64))
    tags, telling, whose, stance, person, *of_questions = logits.float().split(OUTPUTS, dim=-1)
    weight = stacked("weight", 0, torch.float32)
    cross = nn.functional.cross_entropy
    wrong = cross(tags.reshape(-1, TAGS), stacked("tag", 0, torch.int64).reshape(-1), reduction="none")
    total: Tensor = (wrong * weight.reshape(-1)).sum() / weight.sum().clamp(min=1)
    for share, given, target in ((_WHOSE, whose, "whose"), (_STANCE, stance, "stance")):
        wanted = stacked(target, _UNKNOWN, torch.int64)
        if (wanted != _UNKNOWN).any():
            total = total + share * cross(given[wanted != _UNKNOWN], wanted[wanted != _UNKNOWN])
    for share, given, target in ((_TELLING, telling, "telling"), (_PERSON, person, "person")):
        marked = stacked(target, _UNKNOWN, torch.float32)
        known = marked != _UNKNOWN
        if known.any():
            odds = given.squeeze(-1)[known]
            total = total + share * nn.functional.binary_cross_entropy_with_logits(odds, marked[known])
    return total + _wrong_of_questions(of_questions, items)


def _wrong_of_questions(outputs: Sequence[Tensor], items: Sequence[Item]) -> Tensor:
    """What is wrong of the questions among the items, as a mean over all items."""
    *whole, marks = outputs
    total = marks.new_zeros(())
    for row, item in enumerate(items):
        if item.asked is None:
            continue
        for output, target in zip(whole, item.asked, strict=True):
            if target != _UNKNOWN:
                total = total + _ASKED * nn.functional.cross_entropy(output[row, 0], torch.tensor(target))
        wanted = torch.tensor(item.marks, dtype=torch.float32)
        known = wanted != _UNKNOWN
        if not known.any():
            continue
        odds = marks[row, : len(item.ids)][known]
        total = total + _MARKED * nn.functional.binary_cross_entropy_with_logits(
            odds, wanted[known], pos_weight=torch.tensor(_RARE)
        )
    return total / len(items)


def _within(offsets: Sequence[tuple[int, int]], start: int, end: int, first: int) -> Any:
    """The places of the tokens that have a character between `start` and `end`."""
    return np.array([first + n for n, (left, right) in enumerate(offsets) if left < end and right > start], dtype=int)
