"""Learns from labelled messages where the words of a statement begin and end (`reading/statements/edges.py`)."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.engines.onnx import readable
from evermem_cli.reading.statements.edges import BUCKETS, places
from tests.training.examples import Example

ROUNDS = 300


class Gap(NamedTuple):
    """The buckets of a gap between words, and whether a statement has its edge there."""

    buckets: list[int]
    is_edge: bool


def write_edges(examples: Sequence[Example], tokenizer: Any, file: Path) -> None:
    """Learns from the statements of these messages, and writes weights of 16 bits."""
    begins, ends = zip(*(gaps for example in examples for gaps in _gaps(example, tokenizer)), strict=True)
    weights = {"begins": _fitted([*chain(*begins)]), "ends": _fitted([*chain(*ends)])}
    np.savez_compressed(file, **weights)


def _gaps(example: Example, tokenizer: Any) -> Iterator[tuple[list[Gap], list[Gap]]]:
    """Of each statement the gaps from its beginning on, and those after its first token up to its end."""
    offsets = tokenizer.encode(readable(example.text), add_special_tokens=False).offsets
    buckets = places(example.text, offsets)
    for span in example.spans:
        tokens = [place for place, (start, end) in enumerate(offsets) if start < span.end and end > span.start]
        if tokens:
            first, last = tokens[0], tokens[-1] + 1
            begins = [Gap(buckets[place], place == first) for place in range(first, last) if buckets[place]]
            ends = [Gap(buckets[place], place == last) for place in range(first + 1, last + 1) if buckets[place]]
            yield begins, ends


def _fitted(gaps: Sequence[Gap]) -> Any:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    rows = np.repeat(np.arange(len(gaps)), [len(gap.buckets) for gap in gaps])
    columns = np.concatenate([gap.buckets for gap in gaps])
    features = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(gaps), BUCKETS))
    fitted = LogisticRegression(max_iter=ROUNDS).fit(features, [gap.is_edge for gap in gaps])
    return np.append(fitted.coef_[0], fitted.intercept_).astype(np.float16)
