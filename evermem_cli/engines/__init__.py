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

    `system` and then `user` are put into the model's own chat template; requests of one batch that begin alike are
    read once up to where they differ. `pattern` is a regular expression that the whole reply must match, enforced
    while decoding; None leaves the reply free. `adapter` names the one that the model replies by, None for the model
    as it is (see adapters); the requests of one batch have the same.
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
        """Identifies the model in what it wrote."""

    @property
    def context_tokens(self) -> int:
        """The longest prompt and reply together."""

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone."""

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """Replies in the order of `requests`, decoded together; `on_text` streams the first request's reply.

        Raises ModelError when a prompt does not fit or the engine fails.
        """


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str:
        """Identifies the model in the memory file: vectors of different embedders do not compare."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), each row of length 1."""


class Reranker(Protocol):
    """A question and passages to how well each answers it."""

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): logits, comparable between passages of one question."""
