"""A language model that says what it was told to: replies are queued, requests are kept."""

from collections import deque
from collections.abc import Callable, Sequence

from evermem_cli.engines import Completion, Request

Reply = str | Callable[[Request], str] | Exception


class ScriptedLlm:
    """Answers each request with the next queued reply, then with `default`; `history` holds every request in order.

    A reply is a text, a function of the request, or an exception to raise. `batches` holds the size of each call.
    """

    def __init__(self, default: Reply = "", *, context_tokens: int = 8192) -> None:
        self.default = default
        self.history: list[Request] = []
        self.batches: list[int] = []
        self._context_tokens = context_tokens
        self._queue: deque[Reply] = deque()

    @property
    def name(self) -> str:
        """Named so in what it wrote."""
        return "scripted"

    @property
    def context_tokens(self) -> int:
        """As given to the constructor."""
        return self._context_tokens

    def enqueue(self, *replies: Reply) -> "ScriptedLlm":
        """Adds replies to the end of the queue."""
        self._queue.extend(replies)
        return self

    def count_tokens(self, text: str) -> int:
        """One token for four characters, at least one."""
        return max(1, len(text) // 4)

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """The queued replies, one for each request."""
        self.batches.append(len(requests))
        replies = [self._reply(request) for request in requests]
        if on_text and replies:
            on_text(replies[0].text)
        return replies

    def _reply(self, request: Request) -> Completion:
        self.history.append(request)
        reply = self._queue.popleft() if self._queue else self.default
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(request)
        prompt = self.count_tokens(request.system + request.user)
        return Completion(
            text=text, complete=True, prompt_tokens=prompt, cached_tokens=0, output_tokens=self.count_tokens(text)
        )
