"""Which files, zips and folders an `ingest PATH…` means."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

NO_CHAT = (".", "readme")  # how names of files begin that lie beside chats


def inputs(
    paths: Iterable[Path], may_be_chat: Callable[[Path], bool], is_export: Callable[[frozenset[str]], bool]
) -> Iterator[Path]:
    """`paths` with each directory replaced by its inputs, at any depth, sorted; each once.

    An input is a file that `may_be_chat`, or a folder that `is_export` by the names of what is in it; hidden ones and
    READMEs are none. Links are followed, loops are not.
    What is named itself is always yielded if it is no directory, and so is a directory that yields nothing or cannot be
    listed: reading it gives the error that says so.
    """
    seen: set[Path] = set()
    for path in paths:
        for candidate in _expanded(path, may_be_chat, is_export):
            real = candidate.resolve()
            if real not in seen:
                seen.add(real)
                yield candidate


def _expanded(
    path: Path, may_be_chat: Callable[[Path], bool], is_export: Callable[[frozenset[str]], bool]
) -> list[Path]:
    if not path.is_dir():
        return [path]
    paths: list[Path] = []
    seen: set[str] = set()

    def unlisted(error: OSError) -> None:
        paths.append(Path(error.filename))

    for folder, names, file_names in os.walk(path, followlinks=True, onerror=unlisted):
        seen.add(os.path.realpath(folder))
        if is_export(frozenset([*names, *file_names])):
            paths.append(Path(folder))
            names.clear()
            continue
        names[:] = [name for name in names if _is_new(folder, name, seen)]
        candidates = (Path(folder, name) for name in file_names if not name.lower().startswith(NO_CHAT))
        paths += [file for file in candidates if may_be_chat(file) and file.is_file()]
    return sorted(paths) or [path]


def _is_new(folder: str, name: str, seen: set[str]) -> bool:
    return not name.startswith(".") and os.path.realpath(os.path.join(folder, name)) not in seen
