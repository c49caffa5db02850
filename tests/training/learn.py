"""The training loop."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

_WARM_UP = 0.1  # of all steps
_DECAY = 0.01
_SEED = 1


class InTokens(Protocol):
    """What is learned from: tokens, and what else the loss asks for."""

    @property
    def ids(self) -> list[int]:
        """The tokens."""


Item = TypeVar("Item", bound=InTokens)
Network = TypeVar("Network", bound=nn.Module)  # with an `encoder`, some of which may be frozen, and a `head`


@dataclass(frozen=True, slots=True)
class Recipe:
    """How often all items are seen, how fast the encoder and the head learn, and tokens that go together."""

    epochs: int
    rate: float
    head_rate: float
    tokens: int = 2000


def learn(
    network: Network, items: Sequence[Item], loss: Callable[[Network, Sequence[Item]], Tensor], recipe: Recipe
) -> Network:
    """Trains the network on the items, on a GPU where there is one, and returns it; prints how far it is."""
    torch.manual_seed(_SEED)
    random = Random(_SEED)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network.to(device)
    optimizer = torch.optim.AdamW(_groups(network, recipe))
    steps = list(chain.from_iterable(batches(items, recipe.tokens, random) for _ in range(recipe.epochs)))

    def rate(step: int) -> float:
        return min(1.0, (step + 1) / (_WARM_UP * len(steps))) * (1 - step / len(steps))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    network.train()
    began, mean = time.monotonic(), 0.0
    for step, batch in enumerate(steps):
        with device:
            wrong = loss(network, batch)
        optimizer.zero_grad()
        wrong.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        mean = wrong.item() if not step else 0.98 * mean + 0.02 * wrong.item()
        if step % 50 == 0:
            print(f"step {step} of {len(steps)}: loss {mean:.3f}, {time.monotonic() - began:.0f} s", flush=True)
    return network.cpu().eval()


def batches(items: Sequence[Item], tokens: int, random: Random) -> Iterator[list[Item]]:
    """Items of about one length, together at most so many tokens with padding; in a random order."""
    ordered = sorted(items, key=lambda item: len(item.ids) + 6 * random.random())
    made: list[list[Item]] = [[]]
    for item in ordered:
        if made[-1] and len(item.ids) * (len(made[-1]) + 1) > tokens:
            made.append([])
        made[-1].append(item)
    random.shuffle(made)
    yield from made


def _groups(network: Any, recipe: Recipe) -> list[dict[str, Any]]:
    """The encoder's matrices, its norms and biases, which do not decay, and the head, which learns faster."""
    trained = [each for each in network.encoder.parameters() if each.requires_grad]
    plain = [each for each in trained if each.dim() == 1]
    matrices = [each for each in trained if each.dim() > 1]
    return [
        {"params": matrices, "lr": recipe.rate, "weight_decay": _DECAY},
        {"params": plain, "lr": recipe.rate, "weight_decay": 0.0},
        {"params": list(network.head.parameters()), "lr": recipe.head_rate, "weight_decay": _DECAY},
    ]
