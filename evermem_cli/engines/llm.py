"""The language model: requests in, replies out, many decoded together by llama.cpp."""

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from evermem_cli.engines import Completion, Request
from evermem_cli.engines.adapters import Adapter
from evermem_cli.engines.chat_template import ChatTemplate, Prompt
from evermem_cli.engines.gguf import CALL_TOKENS, Gguf, PlacedToken
from evermem_cli.engines.grammar import ReplyGrammar
from evermem_cli.engines.openings import Openings
from evermem_cli.engines.prefixes import Prefixes, common_length
from evermem_cli.engines.reply import Reluctance, Reply
from evermem_cli.errors import ModelError


def usable_cores() -> int:
    """The processors that this process may use: a container may have fewer than the machine.

    With a thread more than there are cores, llama.cpp's threads wait for each other and take many times as long.
    """
    allowed = getattr(os, "sched_getaffinity", None)  # not every system has it
    return len(allowed(0)) if allowed else os.cpu_count() or 1


class LlamaCpp:
    """A GGUF model as an `Llm`: greedy, `batch` replies at a time, `threads` CPU threads (0: all), `gpu_layers`
    of its layers on a GPU if llama.cpp finds one (-1: all).

    The context has `context_tokens` tokens. One request may use all of them, and the replies of a batch share them; a
    request waits until the tokens that it may need are free. `context_tokens` is less than asked for when the model was
    trained on less. The `adapter` replies to requests that name it. Raises ModelError when a file is missing or
    damaged, or holds no chat model.

    Threads take turns: a call waits until those before it have ended.

    Replies do not depend on the batch, except for rounding. Some matrix kernels add in another order for some numbers
    of tokens, and two tokens that the model finds equally likely may then swap.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        context_tokens: int,
        batch: int,
        threads: int,
        gpu_layers: int = -1,
        adapter: Adapter | None = None,
    ) -> None:
        self.name = name
        self._batch = batch
        self._turn = threading.Lock()
        if adapter:
            adapter.check()
        self._adapter = adapter.name if adapter else None
        self._model = Gguf(
            path,
            cells=context_tokens,
            sequences=batch,
            threads=threads or usable_cores(),
            gpu_layers=gpu_layers,
            adapter=adapter.path if adapter else None,
        )
        self.context_tokens = self._model.cells
        self._reluctance = _reluctance(self._model, adapter) if adapter else None
        self._template = ChatTemplate(self._model)
        self._grammar = ReplyGrammar(self._model)
        self._prefixes = Prefixes(self._model, Openings(path, self._adapter))

    def close(self) -> None:
        """Frees the model's memory once no reply is being written; the object cannot be used afterwards."""
        with self._turn:
            self._model.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone."""
        return len(self._model.tokenize(text))

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """Replies in the order of `requests`; see `Llm.complete`. `on_text` gets whole characters only.

        The prompt and `max_tokens` together must fit the context. An interrupt leaves the model ready for the next
        call.
        """
        with self._turn:
            return self._complete(requests, on_text)

    def _complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None) -> list[Completion]:
        self._adapt({request.adapter for request in requests})
        prompts = [self._template.prompt(request.system, request.user) for request in requests]
        for request, prompt in zip(requests, prompts, strict=True):
            self._check_fit(request, prompt)
        replies = [
            Reply(
                request,
                prompt,
                self._model,
                self._grammar.constraint(request.pattern) if request.pattern is not None else None,
                on_text if index == 0 else None,
                self._reluctance if request.adapter else None,
            )
            for index, (request, prompt) in enumerate(zip(requests, prompts, strict=True))
        ]
        self._write(replies, _shared_lengths(requests, prompts))
        return [reply.completion() for reply in replies]

    def _adapt(self, wanted: set[str | None]) -> None:
        adapter = next(iter(wanted), None)
        if wanted - {adapter} or adapter not in (None, self._adapter):
            raise ValueError(f"the model {self.name} has no such adapter for all of {wanted}")
        self._model.adapt(adapted=adapter is not None)

    def _check_fit(self, request: Request, prompt: Prompt) -> None:
        if len(prompt.tokens) + request.max_tokens > self.context_tokens:
            raise ModelError(
                f"a prompt of {len(prompt.tokens)} tokens and a reply of up to {request.max_tokens} do not fit "
                f"the context of {self.context_tokens}",
                "raise the setting context_tokens, if the model allows more",
            )

    def _write(self, replies: Sequence[Reply], shared: dict[str, int]) -> None:
        """Writes all replies, `batch` at a time; when one ends, the next takes its place."""
        self._model.clear()
        waiting = deque(reply for reply in replies if not reply.ended)
        writing: list[Reply] = []
        while waiting or writing:
            while waiting and len(writing) < self._batch and self._fits(waiting[0], writing, shared):
                self._begin(waiting[0], writing, shared[waiting[0].request.system])
                writing.append(waiting.popleft())
            self._step(writing)
            for reply in writing:
                if reply.ended:
                    self._model.cut(reply.sequence, 0)
            writing = [reply for reply in writing if not reply.ended]

    def _fits(self, reply: Reply, writing: Sequence[Reply], shared: dict[str, int]) -> bool:
        """Whether the context has room for `reply` and all replies being written up to their ends."""
        together = [reply, *writing]
        needed = sum(reply.cells for reply in together)
        if self._model.shares_cells:
            users = Counter(reply.request.system for reply in together)
            needed -= sum((count - 1) * shared[system] for system, count in users.items())
        return needed <= self._model.cells

    def _begin(self, reply: Reply, writing: Sequence[Reply], shared: int) -> None:
        """Gives `reply` a sequence that holds the `shared` tokens at its beginning."""
        sequence = min(set(range(self._batch)) - {other.sequence for other in writing})
        sibling = next((other for other in writing if other.request.system == reply.request.system), None)
        if sibling and self._model.shares_cells:
            self._model.share(sibling.sequence, sequence, shared)
            cached = shared
        else:
            cached = self._prefixes.load(reply.request.system, reply.prompt, shared, sequence)
        reply.begin(sequence, shared, cached)

    def _step(self, writing: Sequence[Reply]) -> None:
        """One call into the model: the next token of replies being written, then prompts, as many as a call takes."""
        tokens: list[PlacedToken] = []
        choosing: list[Reply] = []
        for reply in sorted(writing, key=lambda reply: len(reply.pending)):
            read = reply.read(CALL_TOKENS - len(tokens))
            tokens += read
            if read and read[-1].wanted:
                choosing.append(reply)
        for reply, logits in zip(choosing, self._model.decode(tokens), strict=True):
            reply.choose(logits)


def _reluctance(model: Gguf, adapter: Adapter) -> Reluctance:
    refusal, margin = adapter.refusal
    return Reluctance(model.tokenize(refusal)[0], margin)


def _shared_lengths(requests: Sequence[Request], prompts: Sequence[Prompt]) -> dict[str, int]:
    """For each system prompt, how many tokens its prompts have in common; the last token of a prompt is its own."""
    first: dict[str, list[int]] = {}
    lengths: dict[str, int] = {}
    for request, prompt in zip(requests, prompts, strict=True):
        start = first.setdefault(request.system, prompt.tokens)
        common = min(common_length(start, prompt.tokens), len(prompt.tokens) - 1)
        lengths[request.system] = min(lengths.get(request.system, common), common)
    return lengths
