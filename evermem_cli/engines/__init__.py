"""The seams to the models: `Llm` writes text, `Embedder` turns text into vectors, `Reranker` judges passages.

Tests pass fakes for the first two and do without the third.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing asked of the language model.

    `system` and then `user` are put into the model's own chat template; requests of one batch that begin alike share
    the reading of their common beginning. `pattern` is a regular expression that the whole reply must match, enforced
    while decoding; None leaves the reply free. `adapter` names the adapter with which the model replies (see adapters);
    None means no adapter. All requests of one batch have the same adapter.
    """

    system: str
    user: str
    max_tokens: int
    pattern: str | None = None
    adapter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A reply and its cost. `complete` is False when `max_tokens` cut it off; `cached_tokens` were not read again."""

    text: str
    complete: bool
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int


class Llm(Protocol):
    """A language model that decodes greedily: the same requests give the same replies."""

    @property
    def name(self) -> str:
        """The name under which memories record the model that wrote them."""

    @property
    def context_tokens(self) -> int:
        """The maximum number of tokens of a prompt and its reply together."""

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone."""

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """Replies in the order of `requests`, decoded together; `on_text` streams the first request's reply.

        It also gets empty texts while the model has none yet, so that a caller can end the call by raising.

        Raises ModelError when a prompt does not fit or the engine fails.
        """


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Identifies the model in the memory file, since vectors of different embedders cannot be compared."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), each row of length 1."""


class Reranker(Protocol):
    """Scores how well each passage answers a question."""

    @property
    def languages(self) -> frozenset[str]:
        """The languages that it reads; scores of other texts mean nothing."""

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): logits, comparable between passages of one question."""
