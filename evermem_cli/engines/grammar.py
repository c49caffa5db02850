"""Replies that must match a regular expression, enforced token by token with llguidance."""

import warnings
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from evermem_cli.engines.gguf import Gguf, Logits
from evermem_cli.errors import GenerationError, ModelError

# Patterns hold speakers' names, so there are some per chat; a compiled one takes some 100 kB.
PATTERNS = 64


class Constraint:
    """The state of one reply under its pattern."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    def best(self, logits: Logits) -> int:
        """The most likely token that the pattern allows, or an end token where the reply may end.

        Raises GenerationError when llguidance gives up, as on a pattern with too many states.
        """
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        if self._matcher.is_error():
            raise GenerationError(f"constrained decoding failed: {self._matcher.get_error().splitlines()[0]}")
        allowed = np.unpackbits(bits, count=len(logits), bitorder="little").view(np.bool_)
        return int(np.where(allowed, logits, -np.inf).argmax())

    def accept(self, token: int) -> None:
        """Accepts a token that `best` chose."""
        self._matcher.consume_token(token)

    def forced(self) -> list[int]:
        """Accepts and returns the next tokens as long as the pattern allows only one."""
        tokens: list[int] = self._matcher.compute_ff_tokens()
        self._matcher.consume_tokens(tokens)
        return tokens

    def finished(self) -> bool:
        """Whether nothing can follow."""
        return bool(self._matcher.is_stopped()) and not self._matcher.is_error()


class ReplyGrammar:
    """Compiles patterns for one vocabulary; the compiled patterns and the vocabulary are kept; preparing the vocabulary
    takes about 1 s."""

    def __init__(self, model: Gguf) -> None:
        self._model = model
        self._compiled = lru_cache(PATTERNS)(self._compile)

    def constraint(self, pattern: str) -> Constraint:
        """The constraint of a new reply.

        Raises ModelError for a pattern that cannot be compiled, such as one with look-around.
        """
        return Constraint(self._compiled(pattern).deep_copy())

    @cached_property
    def _tokenizer(self) -> Any:
        from llguidance.llamacpp import lltokenizer_from_vocab

        ends = [token for token in range(self._model.vocabulary_size) if self._model.ends_reply(token)]
        with warnings.catch_warnings():  # llguidance asks llama.cpp under a name that llama-cpp-python deprecates
            warnings.simplefilter("ignore", DeprecationWarning)
            return lltokenizer_from_vocab(self._model.vocab, eos_token=ends)

    def _compile(self, pattern: str) -> Any:
        from llguidance import LLMatcher

        matcher = LLMatcher(self._tokenizer, LLMatcher.grammar_from_regex(pattern), log_level=0)
        if matcher.is_error():
            problem = " ".join(matcher.get_error().split())
            raise ModelError(f"a reply pattern cannot be compiled: {problem}")
        return matcher
