"""Talk: the requests to the model for one question, with their replies and costs, including stored replies."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from evermem_cli.engines import Llm, Request
from evermem_cli.engines.adapters import LEARNED, Adapter, adapter_of
from evermem_cli.store import Replies


@dataclass
class Talk:
    """The conversation with the model about one question; `on_text` gets the answer while it is written.

    `go_on` is called before the model is loaded and throughout its replies; it raises to end the talk. A request whose
    reply is among `replies` is not made again. Counts tokens (see `Answer`) and records after how many
    seconds each event happened first. `asked` is whether the model was asked for anything.
    """

    load_llm: Callable[[], Llm]
    on_text: Callable[[str], None]
    model: str
    replies: Replies | None = None
    asked: bool = False
    is_silent: bool = False
    go_on: Callable[[], None] = lambda: None
    _learned: dict[Request, str] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)
    noted: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=lambda: {"prompt": 0, "cached": 0, "answer": 0})

    @cached_property
    def llm(self) -> Llm:
        """The model, loaded on first use."""
        self.go_on()
        begun = time.monotonic()
        llm = self.load_llm()
        self.noted["load"] = time.monotonic() - begun
        return llm

    def adapter(self, tongue: str) -> Adapter | None:
        """The adapter by which the model has learned to answer in a language, and to refuse; None without one."""
        return adapter_of(self.model) if tongue == LEARNED else None

    def say(self, request: Request, on_text: Callable[[str], None] | None = None) -> str:
        """The reply to one request; `on_text` gets it while it is written, or whole if it is known from before."""
        self.asked = True
        known = self.replies.get(self.model, request) if self.replies else None
        if known is not None:
            (on_text or ignore)(known)
            return known.strip()

        def hear(piece: str) -> None:
            self.go_on()
            if on_text and piece:
                on_text(piece)

        llm = self.llm
        self.go_on()  # loading it took a while
        reply = llm.complete([request], hear)[0]
        self.tokens["prompt"] += reply.prompt_tokens - reply.cached_tokens
        self.tokens["cached"] += reply.cached_tokens
        self.tokens["answer"] += reply.output_tokens
        self._learned[request] = reply.text
        return reply.text.strip()

    def keep(self) -> None:
        """Stores the model's replies, so that the same request is not made again."""
        if self.replies and self._learned:
            self.replies.put(self.model, self._learned)

    def tell(self, piece: str) -> None:
        """Hands on a piece of the answer, unless it is an answer on the way to another one."""
        if not self.is_silent:
            self.note("first_token")
            self.on_text(piece)

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Hands on nothing within the block."""
        self.is_silent = True
        try:
            yield
        finally:
            self.is_silent = False

    def note(self, event: str) -> None:
        """Records when something happened first."""
        self.noted.setdefault(event, time.monotonic() - self.start)

    def note_search(self) -> None:
        """Records how long the search took, without the time in which the model was loaded."""
        self.noted["search"] = time.monotonic() - self.start - self.noted.get("load", 0.0)

    def timings(self) -> dict[str, float]:
        """Seconds to load the model and to search, and from the question to the first token and to now."""
        noted = {event: self.noted.get(event, 0.0) for event in ("load", "search", "first_token")}
        return noted | {"total": time.monotonic() - self.start}


def ignore(text: str) -> None:
    """Ignores a text."""
