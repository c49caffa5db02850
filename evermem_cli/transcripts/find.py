"""Which files an `ingest PATH…` means."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

NO_CHAT = (".", "readme")  # how names of files begin that lie beside chats


def files(paths: Iterable[Path], suffixes: frozenset[str]) -> Iterator[Path]:
    """`paths` with each directory replaced by its files, at any depth, sorted; each file once.

    Of a directory only files with one of `suffixes` are taken, hidden ones and READMEs never; links are
    followed, loops are not.
    What is named itself is always yielded, and so is a directory that yields nothing or cannot be listed: reading it
    gives the error that says so.
    """
    seen: set[Path] = set()
    for path in paths:
        for file in _expanded(path, suffixes):
            real = file.resolve()
            if real not in seen:
                seen.add(real)
                yield file


def _expanded(path: Path, suffixes: frozenset[str]) -> list[Path]:
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    seen: set[str] = set()

    def unlisted(error: OSError) -> None:
        found.append(Path(error.filename))

    for folder, names, file_names in os.walk(path, followlinks=True, onerror=unlisted):
        seen.add(os.path.realpath(folder))
        names[:] = [name for name in names if _is_new(folder, name, seen)]
        candidates = (Path(folder, name) for name in file_names if not name.lower().startswith(NO_CHAT))
        found += [file for file in candidates if file.suffix.lower() in suffixes and file.is_file()]
    return sorted(found) or [path]


def _is_new(folder: str, name: str, seen: set[str]) -> bool:
    return not name.startswith(".") and os.path.realpath(os.path.join(folder, name)) not in seen
