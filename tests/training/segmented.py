"""Examples of the highlighter and of standing as the numbers that they learn from, and what a network gets wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from evermem_cli.reading.segments import Room, Segments
from tests.training.encoder import BEGIN, END, half_precision
from tests.training.network import Network


@dataclass(frozen=True, slots=True)
class Item:
    """A text in tokens, the places of each part's tokens, and a row of targets for each part."""

    ids: list[int]
    side: list[int]
    places: list[tuple[int, int]]
    targets: Any


def make_item(text: Segments, targets: Any, tokenizer: Any, room: Room) -> Item:
    """The tokens of a text; parts that do not fit have none."""
    before = tokenizer.encode(text.before, add_special_tokens=False).ids[-room.before :] if text.before else []
    ids = [BEGIN, *before, END]
    lead, places = len(ids), []
    for part in text.parts:
        start = len(ids)
        ids = [*ids, *tokenizer.encode(part, add_special_tokens=False).ids[: room.part]][: room.most - 1]
        places.append((start, len(ids)))
    return Item([*ids, END], [0] * lead + [1] * (len(ids) + 1 - lead), places, targets)


def loss_of(weights: Sequence[float]) -> Callable[[Network, Sequence[Item]], Tensor]:
    """What the network gets wrong of a batch; each output counts by its weight. A target below 0 counts for nothing."""

    def loss(network: Network, items: Sequence[Item]) -> Tensor:
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
        for output, weight in enumerate(weights):
            known = wanted[:, output] >= 0
            if known.any():
                wrong = nn.functional.binary_cross_entropy_with_logits(odds[known, output], wanted[known, output])
                total = total + weight * wrong
        return total

    return loss
