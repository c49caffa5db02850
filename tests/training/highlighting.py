"""The highlighter's examples as the numbers that it learns from, and what it gets wrong of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from evermem_cli.reading.highlighter import BEFORE_TOKENS, MOST_TOKENS, OUTPUTS, Draft
from tests.training.encoder import BEGIN, END, half_precision
from tests.training.network import Network

_WEIGHTS = (1.0, 0.5, 0.5, 0.3, 0.5)  # how much each output counts in the loss


@dataclass(frozen=True, slots=True)
class Item:
    """A message in tokens, the places of each sentence's tokens, and a row of targets for each sentence."""

    ids: list[int]
    side: list[int]
    places: list[tuple[int, int]]
    targets: Any


def make_item(draft: Draft, targets: Any, tokenizer: Any) -> Item:
    """The tokens of a message; sentences that do not fit have none."""
    before = tokenizer.encode(draft.before, add_special_tokens=False).ids[-BEFORE_TOKENS:]
    ids = [BEGIN, *before, END]
    lead, places = len(ids), []
    for sentence in draft.sentences:
        start = len(ids)
        ids = [*ids, *tokenizer.encode(sentence, add_special_tokens=False).ids][: MOST_TOKENS - 1]
        places.append((start, len(ids)))
    return Item([*ids, END], [0] * lead + [1] * (len(ids) + 1 - lead), places, targets)


def loss(network: Network, items: Sequence[Item]) -> Tensor:
    """What the network gets wrong of a batch."""
    longest = max(len(item.ids) for item in items)

    def padded(rows: Sequence[Sequence[int]]) -> Tensor:
        return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])

    mask = padded([[1] * len(item.ids) for item in items])
    with half_precision():
        logits = network(padded([item.ids for item in items]), mask, padded([item.side for item in items])).float()
    rows = [
        (logits[row, start:stop].mean(dim=0), target)
        for row, item in enumerate(items)
        for (start, stop), target in zip(item.places, item.targets, strict=True)
        if stop > start
    ]
    odds = torch.stack([mean for mean, _ in rows])
    wanted = torch.stack([torch.tensor(target) for _, target in rows]).float()
    total = torch.zeros(())
    for output in range(OUTPUTS):
        known = wanted[:, output] >= 0
        if known.any():
            wrong = nn.functional.binary_cross_entropy_with_logits(odds[known, output], wanted[known, output])
            total = total + _WEIGHTS[output] * wrong
    return total
