"""One reply while it is written: the choice of each token, the text so far, and when it ends."""

import codecs
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evermem_cli.engines import Completion, Request
from evermem_cli.engines.chat_template import Prompt
from evermem_cli.engines.gguf import Gguf, Logits, PlacedToken
from evermem_cli.engines.grammar import Constraint


class Reluctance(NamedTuple):
    """A token that may begin a reply only if its logit exceeds every other by `margin`."""

    token: int
    margin: float

    def best(self, logits: Logits) -> int:
        """The most likely first token."""
        first, second = (int(token) for token in np.argpartition(-logits, 1)[:2])
        return second if first == self.token and logits[first] < logits[second] + self.margin else first


class Reply:
    """The greedy decoding of one request.

    `pending` are the tokens that the model has to read before the next choice.
    """

    def __init__(
        self,
        request: Request,
        prompt: Prompt,
        model: Gguf,
        constraint: Constraint | None,
        on_text: Callable[[str], None] | None,
        reluctance: Reluctance | None = None,
    ) -> None:
        self.request = request
        self.prompt = prompt
        self.pending: list[int] = []
        self.sequence = -1
        self.position = 0
        self.ended = False
        self._model = model
        self._constraint = constraint
        self._reluctance = reluctance
        self._on_text = on_text
        self._characters = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._text: list[str] = []
        self._cached = 0
        self._written = 0
        self._complete = False
        if constraint:
            self._write(constraint.forced())

    @property
    def cells(self) -> int:
        """The maximum number of cells that the prompt and the reply can fill."""
        return len(self.prompt.tokens) + self.request.max_tokens

    def begin(self, sequence: int, position: int, cached: int) -> None:
        """Goes on in `sequence`, which holds the prompt up to `position`; `cached` of that had been read before."""
        self.sequence, self.position, self._cached = sequence, position, cached
        self.pending = self.prompt.tokens[position:] + self.pending

    def read(self, limit: int) -> list[PlacedToken]:
        """Takes up to `limit` pending tokens; logits are wanted after the last pending one."""
        if self._on_text:
            self._on_text("")
        read, self.pending = self.pending[:limit], self.pending[limit:]
        start = self.position
        self.position += len(read)
        last = self.position - 1 if not self.pending else -1
        return [PlacedToken(token, place, self.sequence, place == last) for place, token in enumerate(read, start)]

    def choose(self, logits: Logits) -> None:
        """Writes the most likely allowed token and the tokens that the pattern then forces, or ends the reply."""
        token = self._best(logits)
        if self._model.ends_reply(token):
            self.ended = self._complete = True
        elif self._constraint:
            self._constraint.accept(token)
            self._write([token, *self._constraint.forced()])
        else:
            self._write([token])

    def _best(self, logits: Logits) -> int:
        if self._constraint:
            return self._constraint.best(logits)
        is_first = not self._written
        return self._reluctance.best(logits) if self._reluctance and is_first else int(logits.argmax())

    def _write(self, tokens: list[int]) -> None:
        fitting = tokens[: self.request.max_tokens - self._written]
        self._written += len(fitting)
        self.pending += fitting
        # The bytes of an incomplete character wait in the decoder; if the reply is cut off, they are dropped.
        text = self._characters.decode(b"".join(map(self._model.piece, fitting)))
        self._text.append(text)
        if self._on_text and text:
            self._on_text(text)
        finished = self._constraint is not None and self._constraint.finished()
        self._complete = finished and len(fitting) == len(tokens)
        self.ended = finished or self._written == self.request.max_tokens

    def completion(self) -> Completion:
        """The reply as it stands."""
        return Completion(
            text="".join(self._text),
            complete=self._complete,
            prompt_tokens=len(self.prompt.tokens),
            cached_tokens=self._cached,
            output_tokens=self._written,
        )
