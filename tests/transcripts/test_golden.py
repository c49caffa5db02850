"""Golden files: an export as an app writes it, and what is read of it, one file per format and variant.

`python -m tests.test_golden` writes what is read now into the files, to be looked at before it is committed.
"""

import re
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript, Turn
from evermem_cli.transcripts import FORMATS, ReadOptions, date_order, find, read

GOLDEN = sorted(Path(__file__).parents[1].glob("golden/*.golden"))
OWN_TESTS = {"evermemos", "jsonl", "markdown", "text"}  # formats that test_transcripts.py has examples of
INPUT, READ = "===== export =====\n", "===== read =====\n"
UNSEEN = {"{LRM}": "\u200e", "{RLM}": "\u200f", "{NBSP}": "\u00a0", "{NNBSP}": "\u202f", "{BOM}": "\ufeff"}


def parts(golden: str) -> tuple[dict[str, str], str, str]:
    """The options, the export and what is to be read."""
    head, _, rest = golden.partition(INPUT)
    export, _, expected = rest.partition(READ)
    for written, meant in UNSEEN.items():
        export = export.replace(written, meant)
    return dict(line.split(": ", 1) for line in head.splitlines()), export, expected


def written(export: str, path: Path) -> Path:
    """The export on disk: a file, or a zip or folder of the members that begin with a line `===== name`."""
    members = list(zip(*[iter(re.split(r"^===== (.+)\n", export, flags=re.MULTILINE)[1:])] * 2, strict=True))
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in members:
                archive.writestr(name, text)
        return path
    for name, text in members or [("", export)]:
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return path


def read_back(options: dict[str, str], export: str, folder: Path) -> str:
    """What is read of an export, as lines."""
    path = written(export, folder / options["file"])
    reading = ReadOptions(
        tz=ZoneInfo(options.get("tz", "Europe/Berlin")),
        tz_named="tz" in options,
        date=date.fromisoformat(options["date"]) if "date" in options else None,
        date_order=date_order(options.get("date-order")),
        me=options.get("me", ""),
    )
    findings: list[Finding] = []
    try:
        found = list(read(path, reading, findings.append))
    except InputError as error:
        return f"refused: {error.message.removeprefix(str(path))}; {error.hint}\n"
    lines = [line for transcript in found for line in rendered(transcript)]
    lines += [f"{each.line or '-'}: {each.reason}" for each in findings if isinstance(each, Problem)]
    skipped = sum(each.messages for each in findings if isinstance(each, Skipped))
    return "\n".join([*lines, f"skipped: {skipped}", ""])


def rendered(transcript: Transcript) -> Iterator[str]:
    yield f"{transcript.format}, {transcript.kind}, key {transcript.key}, title {transcript.title!r}"
    yield from (f"guess: {guess}" for guess in transcript.guesses)
    yield from map(rendered_turn, transcript.turns)


def rendered_turn(turn: Turn) -> str:
    text = turn.text.replace("\n", "\n    ")
    mark = f" #{turn.external_id}" if turn.external_id else ""
    return f"{turn.sent_at.isoformat()} {turn.time_source}{mark} {turn.speaker} ({turn.role}): {text}"


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_an_export_is_read_as_its_golden_file_says(golden: Path, tmp_path: Path) -> None:
    options, export, expected = parts(golden.read_text(encoding="utf-8"))
    assert read_back(options, export, tmp_path) == expected
    assert read_back(options, export, tmp_path) == expected


FOLDERS = [path for path in GOLDEN if path.read_text(encoding="utf-8").startswith("file: export\n")]


@pytest.mark.parametrize("golden", FOLDERS, ids=lambda path: path.stem)
def test_an_export_of_many_files_reads_the_same_as_folder_and_zip(golden: Path, tmp_path: Path) -> None:
    options, export, expected = parts(golden.read_text(encoding="utf-8"))
    for name in ("export", "export.zip"):
        assert read_back(options | {"file": name}, export, tmp_path) == expected
        assert len(list(find([tmp_path / name]))) == 1


def test_the_formats_of_apps_have_golden_files() -> None:
    names = {known.name for known in FORMATS} - OWN_TESTS
    assert [name for name in names if not any(f"{path.stem}-".startswith(f"{name}-") for path in GOLDEN)] == []


if __name__ == "__main__":
    for path in GOLDEN:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            options, export, _ = parts(text)
            path.write_text(text.partition(READ)[0] + READ + read_back(options, export, Path(folder)), encoding="utf-8")
