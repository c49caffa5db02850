"""What the fuzzer damages: exports as apps write them, from the golden files and the sample transcripts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from evermem_cli.transcripts import FORMATS, ReadOptions, read
from tests.transcripts.test_golden import GOLDEN, parts

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
MEMBER = re.compile(r"^===== (.+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Seed:
    """An export: the name of its file or folder, and its files by their names in it ("" for a file itself)."""

    format: str
    name: str
    files: dict[str, str]


def seeds(form: str) -> list[Seed]:
    """The exports in one format."""
    return [seed for seed in _all() if seed.format == form]


def _all() -> Iterator[Seed]:
    names = sorted((known.name for known in FORMATS), key=len, reverse=True)
    for path in GOLDEN:
        options, export, _ = parts(path.read_text(encoding="utf-8"))
        form = next(name for name in names if f"{path.stem}-".startswith(f"{name}-"))
        pieces = MEMBER.split(export)
        files = dict(zip(pieces[1::2], pieces[2::2], strict=True)) or {"": export}
        yield Seed(form, options["file"].replace(".zip", ""), files)
    for path in sorted(SAMPLES.iterdir()):
        if path.stem != "README":
            found = next(read(path, ReadOptions(tz=UTC), lambda _: None))
            yield Seed(found.format, path.name, {"": path.read_text(encoding="utf-8")})
