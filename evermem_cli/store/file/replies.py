"""Replies of the model, kept beside the memory file so that no question is answered twice."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from evermem_cli.engines import Request
from evermem_cli.errors import StoreError
from evermem_cli.store.file import drafts, side_files
from evermem_cli.store.file.keys import Key, sealed, unsealed

PURPOSE = "replies"
MOST = 200  # replies kept; the oldest are dropped first


@dataclass(frozen=True, slots=True)
class Replies:
    """Replies to identical requests, valid while the memory file is unchanged; `stamp` identifies its state.

    Sealed with the newest of `keys` where the memory is encrypted. A request contains everything that the model reads,
    so a reply reveals nothing that its asker may not see. A file that cannot be read or written only costs time and is
    no error.
    """

    memory: Path
    stamp: str
    keys: tuple[Key, ...] = ()

    @classmethod
    def of(cls, memory: Path, keys: tuple[Key, ...] = ()) -> "Replies":
        """The replies for a memory in its present state. Links to one file share them."""
        memory = memory.resolve()
        return cls(memory, " ".join(_stamps(memory, memory.with_name(f"{memory.name}.wal"))), keys)

    @property
    def path(self) -> Path:
        """The path of the replies."""
        return _beside(self.memory)

    def get(self, model: str, request: Request) -> str | None:
        """The reply of `model` to this request; None where there is none since the memory changed."""
        return self._kept().get(_key(model, request))

    def put(self, model: str, replies: Mapping[Request, str]) -> None:
        """Keeps a reply of `model`, unless the memory has changed since: it may have forgotten what the reply tells."""
        new = {_key(model, request): reply for request, reply in replies.items()}
        kept = dict([*self._kept().items(), *new.items()][-MOST:])
        document = json.dumps({"memory": self.stamp, "digest": _digest(kept), "replies": kept}, ensure_ascii=False)
        with suppress(OSError):
            descriptor, draft = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}-")  # mode 0600
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(sealed(self.keys, document.encode(), PURPOSE))
                Path(draft).replace(self.path)
            finally:
                Path(draft).unlink(missing_ok=True)
        if Replies.of(self.memory, self.keys) != self:
            self.clear()

    def clear(self) -> None:
        """Deletes all replies, since they contain memories. Raises OSError where that fails."""
        clear(self.memory)

    def _kept(self) -> dict[str, str]:
        with suppress(OSError, StoreError, ValueError, KeyError, TypeError):
            with open(side_files.opened(self.path), "rb") as opened:
                kept = json.loads(unsealed(self.keys, opened.read(), PURPOSE) or b"")
            replies: dict[str, str] = kept["replies"]
            if kept["memory"] == self.stamp and kept["digest"] == _digest(replies):
                return replies
        return {}


def clear(memory: Path) -> None:
    """Deletes the replies for a memory under each of its names, in its own folder and the folders of links to it.

    Raises OSError where that fails, since replies contain memories.
    """
    for name in _names(memory):
        for path in (_beside(name), *name.parent.glob(f".{escape(_beside(name).name)}-*")):
            if not path.is_dir() or path.is_symlink():  # evermem makes no folder of this name
                path.unlink(missing_ok=True)


def _beside(name: Path) -> Path:
    return name.with_name(f"{name.name}{drafts.REPLIES}")


def _names(memory: Path) -> set[Path]:
    """The memory's own name, and those of links to it: on the way to it, and in the folders on that way."""
    own, name = memory.resolve(), memory.absolute()
    names = {own, name}
    while name.is_symlink():
        name = name.parent / name.readlink()
        names.add(name)
    near = [path for folder in {name.parent for name in names} for path in folder.iterdir()]
    return names | {path for path in near if path.is_symlink() and os.path.realpath(path) == str(own)}


def _digest(replies: Mapping[str, str]) -> str:
    """A checksum that detects a flipped bit."""
    return hashlib.sha256(json.dumps(replies, ensure_ascii=False).encode()).hexdigest()


def _stamps(*paths: Path) -> Iterator[str]:
    for path in paths:
        if path.exists():
            status = path.stat()
            yield f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"


def _key(model: str, request: Request) -> str:
    return hashlib.sha256(repr((model, request)).encode()).hexdigest()
