"""Notes in Markdown: one file of the owner's own words, or an Obsidian vault, which is a folder of such files.

A note is a conversation with oneself with one message per heading: a rewritten section replaces the old one.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from evermem_cli.errors import InputError
from evermem_cli.memory import Transcript
from evermem_cli.transcripts.bundle import Bundle
from evermem_cli.transcripts.plain import markdown
from evermem_cli.transcripts.plain.dialogue import page
from evermem_cli.transcripts.plain.heads import PLAIN, heads
from evermem_cli.transcripts.plain.sections import EMPTY, PREFIX, TEMPLATES, is_moved, key_of, note
from evermem_cli.transcripts.source import Format, Source

SUFFIXES = frozenset({".md", ".markdown"})
VAULT = ".obsidian"  # the folder in which Obsidian keeps its settings
# Files of settings in that folder, of the plugin Templates and of Templater, with the field for the templates' folder.
TEMPLATE_SETTINGS = {"templates.json": "folder", "plugins/templater-obsidian/data.json": "templates_folder"}
GUESS = "nobody is named in it, so it is a note of yours (--format)"


def _matches(source: Source) -> bool:
    """Whether this is a Markdown file without speakers."""
    if source.is_json or source.path is None or source.path.suffix.lower() not in SUFFIXES:
        return False
    return not heads(page(source).lines, PLAIN)


def _read(source: Source) -> Iterator[Transcript]:
    yield from note(source, page(source), key_of(source), [GUESS], partial(is_moved, source))


def is_vault(names: frozenset[str]) -> bool:
    """Whether a folder with these files and folders is a vault."""
    return VAULT in names


def read_vault(files: Bundle) -> Iterator[Transcript]:
    """Each note of a vault. A saved chat with an assistant is read as a chat."""
    folder, names, beside = f"{PREFIX}{files.path.stem}/", frozenset(files.names), _beside(files)

    def is_gone(key: str) -> bool:
        if key.startswith(folder):
            return key.removeprefix(folder) not in names
        # Of a vault only its name is stored: one that was beside this one is gone if nothing there bears the name.
        place = PurePosixPath(key.removeprefix(PREFIX))
        in_vault = key.startswith(PREFIX) and not Path(place).is_absolute()
        return in_vault and bool(beside) and place.parts[0] not in beside

    templates = _template_folders(files)
    for name in files.names:
        if PurePosixPath(name).suffix.lower() in SUFFIXES:
            if name.startswith(templates):
                files.reading.skipped[TEMPLATES] += 1
                continue
            try:
                with files.source(name) as source:
                    yield from _in_vault(source, f"{folder}{name}", is_gone)
            except InputError as error:
                if error.reason.endswith("the file is empty"):
                    files.reading.skipped[EMPTY] += 1
                else:
                    files.problem(error)


def _beside(files: Bundle) -> frozenset[str]:
    """The names of all vaults that may be where this one is, and its own; empty where they are unknown."""
    with suppress(OSError):
        return frozenset(path.stem for path in files.path.resolve().parent.iterdir())
    return frozenset()


def _template_folders(files: Bundle) -> tuple[str, ...]:
    """The folders of templates, as the settings of the vault name them, each with "/" at its end."""
    folders = []
    for vault in files.folders():
        for settings, name in TEMPLATE_SETTINGS.items():
            with suppress(OSError, KeyError, ValueError), files.open(f"{vault}{VAULT}/{settings}") as stream:
                stated = json.load(stream)
                if isinstance(stated, dict) and (folder := str(stated.get(name) or "").strip("/")):
                    folders.append(f"{vault}{folder}/")
    return tuple(folders)


def _in_vault(source: Source, key: str, is_gone: Callable[[str], bool]) -> Iterator[Transcript]:
    if markdown.names_roles(source):
        yield from markdown.FORMAT.read(source)
    else:
        yield from note(source, page(source), key, is_gone=is_gone)


FORMAT = Format(
    "notes",
    "notes of your own in Markdown: a file, or an Obsidian vault as a whole",
    "name the folder of the notes; in a vault every note is yours, elsewhere those in which nobody is named",
    SUFFIXES,
    _matches,
    _read,
)
