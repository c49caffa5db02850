"""What a model has replied about a memory, kept beside the memory file so that no question is worked out twice."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.engines import Request

MOST = 200  # replies; the oldest go first


@dataclass(frozen=True, slots=True)
class Replies:
    """Replies to the very same requests, while the memory file stays as it is.

    A request holds all that the model reads, so what one may not see is in no reply to one's requests. That a file
    cannot be read or written costs time only, so it is no error.
    """

    memory: Path

    @property
    def path(self) -> Path:
        """Where they are kept."""
        return self.memory.with_name(f"{self.memory.name}.replies")

    def get(self, model: str, request: Request) -> str | None:
        """What `model` replied to this request; None where it was not asked since the memory changed."""
        return self._kept().get(_key(model, request))

    def put(self, model: str, replies: Mapping[Request, str]) -> None:
        """Keeps what `model` replied."""
        new = {_key(model, request): reply for request, reply in replies.items()}
        kept = [*self._kept().items(), *new.items()][-MOST:]
        with suppress(OSError):
            descriptor, draft = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}-")  # mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"memory": self._stamp(), "replies": dict(kept)}, file, ensure_ascii=False)
            Path(draft).replace(self.path)

    def clear(self) -> None:
        """Deletes them all. Raises OSError where that cannot be done: they tell of what was remembered."""
        self.path.unlink(missing_ok=True)

    def _kept(self) -> dict[str, str]:
        with suppress(OSError, ValueError):
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if found["memory"] == self._stamp():
                replies: dict[str, str] = found["replies"]
                return replies
        return {}

    def _stamp(self) -> str:
        """Changes with every change of the memory file, of which the latest may still be in its log."""
        return " ".join(_stamps(self.memory, self.memory.with_name(f"{self.memory.name}.wal")))


def _stamps(*paths: Path) -> Iterator[str]:
    for path in paths:
        if path.exists():
            status = path.stat()
            yield f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"


def _key(model: str, request: Request) -> str:
    return hashlib.sha256(repr((model, request)).encode()).hexdigest()
