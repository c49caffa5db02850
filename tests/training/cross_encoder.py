"""The answerability check as it is trained: a cross-encoder that has learned from searches, trained further."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from evermem_cli.reading.answerability import MOST_TOKENS, QUESTION_TOKENS
from tests.training.encoder import BEGIN, END, half_precision, pretrained_pair
from tests.training.pairs import Pair

_DROPPED = 0.1


class CrossEncoder(nn.Module):
    """Tokens to logits of the shape (n,)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.encoder, pooler, classifier = pretrained_pair(path)
        self.head = nn.Sequential(pooler, nn.Tanh(), nn.Dropout(_DROPPED), classifier)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Ids, mask and sides of the shape (n, tokens)."""
        first = self.encoder(input_ids, attention_mask, token_type_ids)[:, 0]
        logits: Tensor = self.head(first).squeeze(-1)
        return logits


class OfTwoTexts(Protocol):
    """The tokens of two texts; those from `second` on are the second's."""

    @property
    def ids(self) -> list[int]:
        """The tokens."""

    @property
    def second(self) -> int:
        """The place of the second text."""


@dataclass(frozen=True, slots=True)
class Item:
    """A pair in tokens; those from `second` on are the window's."""

    ids: list[int]
    second: int
    tells: float


def make_item(pair: Pair, tokenizer: Any) -> Item:
    """The tokens of a pair, as the product reads them."""
    asked = tokenizer.encode(pair.question, add_special_tokens=False).ids[:QUESTION_TOKENS]
    window = tokenizer.encode(pair.window, add_special_tokens=False).ids[: MOST_TOKENS - len(asked) - 3]
    lead = [BEGIN, *asked, END]
    return Item([*lead, *window, END], len(lead), float(pair.tells))


def loss(network: CrossEncoder, items: Sequence[Item]) -> Tensor:
    """What the network gets wrong of a batch."""
    with half_precision():
        logits = network(*padded(items))
    tells = torch.tensor([item.tells for item in items])
    return nn.functional.binary_cross_entropy_with_logits(logits.float(), tells)


def padded(items: Sequence[OfTwoTexts]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and sides, each of the shape (items, tokens)."""
    longest = max(len(item.ids) for item in items)
    ids, mask, side = torch.zeros((3, len(items), longest), dtype=torch.int64)
    for row, item in enumerate(items):
        ids[row, : len(item.ids)] = torch.tensor(item.ids)
        mask[row, : len(item.ids)] = 1
        side[row, item.second : len(item.ids)] = 1
    return ids, mask, side
