"""Trains an adapter: the questions about one excerpt are learned together, each as a branch that sees no other."""

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from evermem_cli import prompts
from evermem_cli.engines.chat_template import SYSTEM, USER, render_placeholders
from evermem_cli.engines.gguf import Gguf
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.questions.form import Form, form_of
from tests.training.excerpts import LANGUAGE, Prompted, about, answer_of, excerpts_of
from tests.training.lora import adapt, read_adapter
from tests.training.pairs import Item

FIRST_LAYER = 10  # of 28: those before it are read through once, and no gradient goes back through them
RATE = 4e-4
BATCH_TOKENS = 4400
AT_ONCE_TOKENS = 1200  # of a batch: all of it at once takes 24 GB
_WARM_UP = 12  # steps
_NONE = -100  # no target
_SEED = 3


class Example(NamedTuple):
    """The tokens of an excerpt and of its branches, with their places; branch 0 is what all branches see.

    `targets` are the tokens that should follow, _NONE where nothing is learned.
    """

    tokens: list[int]
    places: list[int]
    branches: list[int]
    targets: list[int]


class Before(NamedTuple):
    """An adapter that has learned before: its file, and the share of these examples that it has seen."""

    adapter: Path
    seen: float


def learn(
    path: Path, learned: Sequence[Item], prompted: Sequence[Prompted], minutes: float, before: Before | None = None
) -> tuple[Any, float]:
    """The model of a GGUF file with adapters that learned, and the share of examples that they have seen.

    They learn from each example once, for so many minutes at most; from the second time on they would learn the
    examples by heart. An adapter from `before` goes on with the examples that it has not seen.
    """
    from transformers import AutoModelForCausalLM, GgufConfig

    torch.manual_seed(_SEED)
    random = Random(_SEED)
    examples = _examples(path, _by_excerpt(learned), prompted)
    unpacked = GgufConfig(gguf_file=path.name, dequantize=True)  # packed, each product takes five times as long
    model = AutoModelForCausalLM.from_pretrained(
        str(path.parent), gguf_file=path.name, dtype=torch.bfloat16, quantization_config=unpacked
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parameters = adapt(model, FIRST_LAYER)
    model.to(device)
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.0, betas=(0.9, 0.98))
    batches = _batches(examples, random)
    steps = batches
    if before:
        read_adapter(model, before.adapter)
        steps = batches[round(before.seen * len(batches)) :]
    began, mean, seen = time.monotonic(), 0.0, 0
    for step, batch in enumerate(steps):
        done = max((time.monotonic() - began) / 60 / minutes, step / len(steps))
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / _WARM_UP) * max(0.03, 1 - done)
        optimizer.zero_grad()
        wrong = _backward(model, batch)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        seen = step + 1
        mean = wrong if not step else 0.95 * mean + 0.05 * wrong
        if step % 5 == 0:
            print(f"step {step} of {len(steps)}: loss {mean:.3f}, {done:.0%}", flush=True)
    return model, 1 - (len(steps) - seen) / len(batches)


def _by_excerpt(learned: Sequence[Item]) -> list[list[Item]]:
    """The items of each excerpt, but for dates where the hand does not say when the messages were sent."""
    groups: dict[Any, list[Item]] = defaultdict(list)
    for item in learned:
        if item.times or form_of(SHIPPED.read_question(item.question).sought) is not Form.DATE:
            groups[item.messages].append(item)
    return list(groups.values())


def _examples(path: Path, groups: Sequence[Sequence[Item]], prompted: Sequence[Prompted]) -> list[Example]:
    model = Gguf(path, cells=512, sequences=1, threads=1)
    before, between, after = render_placeholders(model.render_chat).replace(SYSTEM, USER).split(USER)
    system, _ = prompts.fill("answer-adapted", LANGUAGE, passages="", about="", question="")
    lead = [*model.tokenize(before, special=True), *model.tokenize(system), *model.tokenize(between, special=True)]
    follow = model.tokenize(after, special=True)
    [end] = model.tokenize("<|im_end|>", special=True)
    made = []
    for group in groups:
        example = _read(lead, model.tokenize(f"{excerpts_of(group[0])}\n\n"))
        for branch, item in enumerate(group, 1):
            asked = [*model.tokenize(f"{about(item)}Question: {item.question}"), *follow]
            _ask(example, branch, asked, [*model.tokenize(answer_of(item)), end])
        made.append(example)
    for each in prompted:
        example = _read(lead, model.tokenize(each.adapted.user))
        _ask(example, 1, follow, [*model.tokenize(each.reply), end])
        made.append(example)
    model.close()
    return made


def _read(*shared: Sequence[int]) -> Example:
    """An example without branches."""
    tokens = [token for part in shared for token in part]
    return Example(tokens, [*range(len(tokens))], [0] * len(tokens), [_NONE] * len(tokens))


def _ask(example: Example, branch: int, asked: Sequence[int], answer: Sequence[int]) -> None:
    """Adds a branch to what is shared: what is asked, and the answer that is learned."""
    shared, length = example.branches.count(0), len(asked) + len(answer)
    example.tokens.extend([*asked, *answer])
    example.places.extend(range(shared, shared + length))
    example.branches.extend([branch] * length)
    example.targets.extend([*[_NONE] * (len(asked) - 1), *answer, _NONE])


def _batches(examples: Sequence[Example], random: Random) -> list[list[Example]]:
    """Examples of about one length, together some BATCH_TOKENS with padding; in a random order."""
    made = _together(sorted(examples, key=lambda each: len(each.tokens) + random.randrange(40)), BATCH_TOKENS)
    random.shuffle(made)
    return made


def _together(examples: Sequence[Example], tokens: int) -> list[list[Example]]:
    """Neighbours of a sequence ordered by length; a part ends as soon as it has so many tokens with padding."""
    made: list[list[Example]] = [[]]
    for example in examples:
        if len(example.tokens) * len(made[-1]) >= tokens:
            made.append([])
        made[-1].append(example)
    return made


def _backward(model: Any, batch: Sequence[Example]) -> float:
    """Mean cross-entropy of the tokens of the answers, of which the gradients are added up part by part."""
    count = sum(target != _NONE for example in batch for target in example.targets)
    total = 0.0
    for part in _together(batch, AT_ONCE_TOKENS):
        wrong = _loss(model, part) / count
        wrong.backward()  # type: ignore[no-untyped-call]
        total += wrong.item()
    return total


def _loss(model: Any, batch: Sequence[Example]) -> Tensor:
    """Sum of the cross-entropies of the tokens of the answers."""
    longest = max(len(each.tokens) for each in batch)
    tokens, places = torch.zeros((2, len(batch), longest), dtype=torch.long)
    targets = torch.full((len(batch), longest), _NONE)
    seen = torch.zeros((len(batch), 1, longest, longest), dtype=torch.bool)
    seen[..., 0] = True  # a row of padding sees something
    for row, each in enumerate(batch):
        length = len(each.tokens)
        tokens[row, :length], places[row, :length] = torch.tensor(each.tokens), torch.tensor(each.places)
        targets[row, :length] = torch.tensor(each.targets)
        branch = torch.tensor(each.branches)
        seen[row, 0, :length, :length] = ((branch[:, None] == branch) | (branch == 0)).tril()
    tokens, places, targets, seen = (each.to(model.device) for each in (tokens, places, targets, seen))
    mask = torch.zeros_like(seen, dtype=torch.bfloat16).masked_fill(~seen, torch.finfo(torch.bfloat16).min)
    states = model.model(input_ids=tokens, position_ids=places, attention_mask=mask, use_cache=False).last_hidden_state
    wanted = targets != _NONE
    return functional.cross_entropy(model.lm_head(states[wanted]).float(), targets[wanted], reduction="sum")
