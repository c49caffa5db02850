"""Comments as the numbers that the model of reactions learns from, and what it gets wrong of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from evermem_cli.reading.reactions import EARLIER_TOKENS, REPLY_TOKENS, SENTENCE_TOKENS, Comment
from tests.training.cross_encoder import padded
from tests.training.encoder import BEGIN, END, half_precision
from tests.training.network import Network

_SMOOTHING = 0.05  # of the labels, since hands disagree


@dataclass(frozen=True, slots=True)
class Item:
    """A comment in tokens; those from `second` on are the sentence's."""

    ids: list[int]
    second: int
    label: int


def make_item(comment: Comment, label: int, tokenizer: Any) -> Item:
    """The tokens of a comment, as the product reads them."""

    def tokens(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    earlier = tokens(comment.earlier)[-EARLIER_TOKENS:]
    lead = [BEGIN, *tokens(comment.reply)[:REPLY_TOKENS], *([END, *earlier] if earlier else []), END]
    return Item([*lead, *tokens(comment.sentence)[:SENTENCE_TOKENS], END], len(lead), label)


def loss(network: Network, items: Sequence[Item]) -> Tensor:
    """What the network gets wrong of a batch."""
    ids, mask, side = padded(items)
    with half_precision():
        logits = network(ids, mask, side)
    own = side[:, :, None].float()
    odds = (logits.float() * own).sum(dim=1) / own.sum(dim=1)
    labels = torch.tensor([item.label for item in items])
    return nn.functional.cross_entropy(odds, labels, label_smoothing=_SMOOTHING)
