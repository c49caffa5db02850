"""The state of a model after the fixed beginning of a prompt, kept on disk so that no process reads that beginning
again.

A beginning is one of evermem's system prompts in the model's chat format. It contains nothing from a chat.
"""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import platformdirs

MOST = 32  # files: prompts of two models in two languages
DIGEST = hashlib.sha256


class Openings:
    """The states of one model in the user's cache, by the tokens read; the oldest files are deleted first.

    A state is valid for one build of llama.cpp and one `adapter`. A file that is damaged, or cannot be read or written,
    is not an error; it only costs time.
    """

    def __init__(self, model: Path, adapter: str | None = None) -> None:
        self._folder = platformdirs.user_cache_path("evermem") / "openings"
        status = model.stat()
        self._model = f"{version('llama-cpp-python')} {model.resolve()} {status.st_size} {status.st_mtime_ns} {adapter}"

    def get(self, tokens: Sequence[int]) -> bytes | None:
        """The state after these tokens, if it is known."""
        with suppress(OSError):
            kept = self._path(tokens).read_bytes()
            digest, state = kept[: DIGEST().digest_size], kept[DIGEST().digest_size :]
            return state if DIGEST(state).digest() == digest else None
        return None

    def put(self, tokens: Sequence[int], state: bytes) -> None:
        """Keeps the state after these tokens."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, draft = tempfile.mkstemp(dir=self._folder, suffix=".new")
            with os.fdopen(descriptor, "wb") as file:
                file.write(DIGEST(state).digest() + state)
            Path(draft).replace(self._path(tokens))
            by_age = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in by_age[:-MOST]:
                path.unlink(missing_ok=True)

    def _path(self, tokens: Sequence[int]) -> Path:
        return self._folder / DIGEST(f"{self._model} {[*tokens]}".encode()).hexdigest()
