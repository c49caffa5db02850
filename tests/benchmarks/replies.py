"""Replies of the real model kept in a file, so that a benchmark goes on where it stopped and a rerun costs nothing."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from evermem_cli.engines import Completion, Llm, Request


class KeptReplies:
    """An `Llm` that asks `load()`'s model only what it has not asked before; no reply is longer than `most_tokens`.

    A reply that came from the file streams as one piece, and says nothing about time.
    """

    def __init__(self, load: Callable[[], Llm], name: str, file: Path, most_tokens: int) -> None:
        self.name = name
        self._load = load
        self._file = file
        self._most = most_tokens
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._kept = {row.pop("key"): Completion(**row) for row in map(json.loads, lines)}

    @cached_property
    def _llm(self) -> Llm:
        return self._load()

    @property
    def context_tokens(self) -> int:
        """That of the model."""
        return self._llm.context_tokens

    def count_tokens(self, text: str) -> int:
        """As the model counts."""
        return self._llm.count_tokens(text)

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """See `Llm.complete`."""
        wanted = [replace(request, max_tokens=min(request.max_tokens, self._most)) for request in requests]
        new = {self._key(request): request for request in wanted if self._key(request) not in self._kept}
        if new:
            self._kept |= zip(new, self._llm.complete(list(new.values())), strict=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps({"key": key} | asdict(self._kept[key])) + "\n" for key in new)
        replies = [self._kept[self._key(request)] for request in wanted]
        if on_text and replies:
            on_text(replies[0].text)
        return replies

    def _key(self, request: Request) -> str:
        return hashlib.sha256(repr((self.name, request)).encode()).hexdigest()
