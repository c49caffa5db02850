"""Finds the files, zips and folders that an `ingest PATH…` refers to."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

NO_CHAT = (".", "readme")  # prefixes of files that accompany chats and are not chats


def inputs(
    paths: Iterable[Path],
    may_be_chat: Callable[[Path], bool],
    is_export: Callable[[Path, frozenset[str]], bool],
    passed_over: Callable[[Path], None],
) -> Iterator[Path]:
    """`paths` with each directory replaced by its inputs at any depth, sorted, each once.

    An input is a file that `may_be_chat`, or a folder that `is_export` by its path and the names in it. Hidden files
    and READMEs are skipped; `passed_over` is called with other files that cannot be chats, with hidden folders, and
    with links out of the directory, which are not followed. Other links are, but loops are not. A file
    that was named is always included, and so is a directory without inputs or that cannot be listed: reading it reports
    the error.
    """
    seen: set[str] = set()
    for path in paths:
        for candidate in _expanded(path, may_be_chat, is_export, passed_over):
            real = os.path.realpath(candidate)  # unlike `resolve`, no error for a link to itself
            if real not in seen:
                seen.add(real)
                yield candidate


def _expanded(
    path: Path,
    may_be_chat: Callable[[Path], bool],
    is_export: Callable[[Path, frozenset[str]], bool],
    passed_over: Callable[[Path], None],
) -> list[Path]:
    if not path.is_dir():
        return [path]
    paths: list[Path] = []
    seen: set[str] = set()

    def unlisted(error: OSError) -> None:
        paths.append(Path(error.filename))

    for folder, names, file_names in os.walk(path, followlinks=True, onerror=unlisted):
        seen.add(os.path.realpath(folder))
        if is_export(Path(folder), frozenset([*names, *file_names])):
            paths.append(Path(folder))
            names.clear()
            continue
        every = {*names}
        shown = [name for name in names if not name.startswith(".")]
        names[:] = [name for name in shown if _is_inside(path, folder, name)]
        for name in sorted(every - {*names}):
            passed_over(Path(folder, name))
        names[:] = [name for name in names if os.path.realpath(os.path.join(folder, name)) not in seen]
        for file in (Path(folder, name) for name in file_names if not name.lower().startswith(NO_CHAT)):
            if may_be_chat(file) and file.is_file() and _is_inside(path, folder, file.name):
                paths.append(file)
            else:
                passed_over(file)
    return sorted(paths) or [path]


def _is_inside(root: Path, folder: str, name: str) -> bool:
    """Whether a folder or file, which may be a link, is in `root`, which may be one, too."""
    return Path(os.path.realpath(os.path.join(folder, name))).is_relative_to(os.path.realpath(root))
