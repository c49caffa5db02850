"""Beginnings of prompts that the model has read, kept so that a system prompt is read once."""

from itertools import pairwise, takewhile
from typing import NamedTuple

from evermem_cli.engines.chat_template import Prompt
from evermem_cli.engines.gguf import CALL_TOKENS, Gguf, PlacedToken
from evermem_cli.engines.openings import Openings

# Memory for kept prefixes. A token takes 28 kB in a 1.5B model and 150 kB in a 4B one, and the fixed beginning of a
# task's prompts has about 300 tokens.
KEPT_BYTES = 256 << 20


class _Prefix(NamedTuple):
    tokens: list[int]
    state: bytes


class Prefixes:
    """The last prefix read for each system prompt; when they fill KEPT_BYTES, the least recently used are forgotten.

    Prefixes are kept outside the context. Reading resumes only where a call would begin without a kept prefix, so the
    results, rounding included, do not depend on earlier requests.
    """

    def __init__(self, model: Gguf, openings: Openings) -> None:
        self._model = model
        self._openings = openings
        self._kept: dict[str, _Prefix] = {}

    def load(self, system: str, prompt: Prompt, length: int, sequence: int) -> int:
        """Makes the empty `sequence` hold `length` tokens of `prompt`; returns how many of them were kept."""
        tokens = prompt.tokens[:length]
        opening = min(prompt.opening, length)
        starts = [*range(0, opening, CALL_TOKENS), *range(opening, length, CALL_TOKENS)]
        kept = self._kept.pop(system, None) or self._known(tokens[:opening])
        kept_tokens = 0
        if kept and self._model.restore(sequence, kept.state):
            common = common_length(kept.tokens, tokens)
            whole = common == length == len(kept.tokens)
            resume = common if whole else max(start for start in [*starts, opening] if start <= common)
            kept_tokens = self._model.cut(sequence, resume)
        for start, end in pairwise([*starts, length]):
            if start >= kept_tokens:
                chunk = enumerate(tokens[start:end], start)
                self._model.decode([PlacedToken(token, place, sequence, False) for place, token in chunk])
                if end == prompt.opening:
                    self._openings.put(tokens[:end], self._model.save(sequence))
        self._kept[system] = kept if kept and kept_tokens == length else _Prefix(tokens, self._model.save(sequence))
        while sum(len(prefix.state) for prefix in self._kept.values()) > KEPT_BYTES:
            del self._kept[next(iter(self._kept))]
        return kept_tokens

    def _known(self, opening: list[int]) -> _Prefix | None:
        state = self._openings.get(opening)
        return _Prefix(opening, state) if state else None


def common_length(left: list[int], right: list[int]) -> int:
    """How many tokens two prompts share from their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
