"""Finds the files, zips and folders that an `ingest PATH…` refers to."""

import os
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path

NO_CHAT = (".", "readme")  # prefixes of files that accompany chats and are not chats


class Skip(StrEnum):
    """Why a file or folder is passed over."""

    HIDDEN = "hidden"  # a folder
    LEADS_OUT = "leads out"  # a link out of the directory that was named
    NO_CHAT = "no chat"  # a file that cannot be one


PassedOver = Callable[[Path, Skip], None]


def inputs(
    paths: Iterable[Path],
    may_be_chat: Callable[[Path], bool],
    is_export: Callable[[Path, frozenset[str]], bool],
    passed_over: PassedOver,
) -> Iterator[Path]:
    """`paths` with each directory replaced by its inputs at any depth, sorted, each once.

    An input is a file that `may_be_chat`, or a folder that `is_export` by its path and the names in it. Hidden files
    and READMEs are skipped; `passed_over` is told of other files that cannot be chats, of hidden folders, and of
    links out of the directory, which are not followed. Other links are, but loops are not. A file
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
    passed_over: PassedOver,
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
        skipped = {name: reason for name in names if (reason := _skip(path, Path(folder, name)))}
        for name, reason in sorted(skipped.items()):
            passed_over(Path(folder, name), reason)
        inside = [name for name in names if name not in skipped]
        names[:] = [name for name in inside if os.path.realpath(os.path.join(folder, name)) not in seen]
        for file in (Path(folder, name) for name in file_names if not name.lower().startswith(NO_CHAT)):
            reason = _skip(path, file) or (None if may_be_chat(file) and file.is_file() else Skip.NO_CHAT)
            if reason is None:
                paths.append(file)
            else:
                passed_over(file, reason)
    return sorted(paths) or [path]


def _skip(root: Path, path: Path) -> Skip | None:
    """Why a folder or file below `root` is not looked at; None if it is. Both may be links."""
    if path.name.startswith("."):
        return Skip.HIDDEN
    is_inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    return None if is_inside or not path.exists() else Skip.LEADS_OUT
