"""The training loop."""

import time
from collections.abc import Sequence
from itertools import chain
from random import Random
from typing import Any

import torch
from torch import nn

from tests.training.network import Item, Network, batches, loss

# Chosen on the parts to choose by: more epochs or a larger batch gained nothing within the hour.
EPOCHS = 4
RATE, HEAD_RATE = 1.5e-4, 1e-3
BATCH_TOKENS = 2000
_WARM_UP = 0.1  # of all steps
_DECAY = 0.01
_SEED = 1


def learn(network: Network, items: Sequence[Item], epochs: int = EPOCHS) -> Network:
    """Trains the network on the items and returns it, ready to be used; prints how far it is."""
    torch.manual_seed(_SEED)
    random = Random(_SEED)
    optimizer = torch.optim.AdamW(_groups(network))
    steps = list(chain.from_iterable(batches(items, BATCH_TOKENS, random) for _ in range(epochs)))

    def rate(step: int) -> float:
        return min(1.0, (step + 1) / (_WARM_UP * len(steps))) * (1 - step / len(steps))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    network.train()
    began, mean = time.monotonic(), 0.0
    for step, batch in enumerate(steps):
        wrong = loss(network, batch)
        optimizer.zero_grad()
        wrong.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        mean = wrong.item() if not step else 0.98 * mean + 0.02 * wrong.item()
        if step % 50 == 0:
            print(f"step {step} of {len(steps)}: loss {mean:.3f}, {time.monotonic() - began:.0f} s", flush=True)
    return network.eval()


def _groups(network: Network) -> list[dict[str, Any]]:
    """The encoder's matrices, its norms and biases, which do not decay, and the head, which learns faster."""
    trained = [(name, each) for name, each in network.encoder.named_parameters() if each.requires_grad]
    plain = [each for _, each in trained if each.dim() == 1]
    matrices = [each for _, each in trained if each.dim() > 1]
    return [
        {"params": matrices, "lr": RATE, "weight_decay": _DECAY},
        {"params": plain, "lr": RATE, "weight_decay": 0.0},
        {"params": list(network.head.parameters()), "lr": HEAD_RATE, "weight_decay": _DECAY},
    ]
