"""Runs the fuzzer: one JSON line per format on stdout, each new finding on stderr, with its input kept in a file."""

import argparse
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path
from types import FrameType
from typing import Any

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript
from evermem_cli.transcripts import FORMATS, DateOrder, ReadOptions, read
from tests.fuzz.command_line import fuzz
from tests.fuzz.damage import damaged
from tests.fuzz.ledger import sizes
from tests.fuzz.seeds import Seed, seeds
from tests.test_ingest import Memory

LONGEST = 5.0  # CPU seconds for a file of up to a megabyte or two
MOST_MEMORY = 300  # megabytes more than before
REMEMBERED = 100  # every so many cases what was read is stored, too
LINES = frozenset({"whatsapp", "imessage", "markdown", "text", "vtt", "srt"})
EXAMPLES = 3  # that are kept of each finding
TRACER = "qzxv"  # begins words that are nowhere else, and so must be found again


class HangError(Exception):
    """Reading took longer than it may."""


class LossError(Exception):
    """A message went without a word."""


@dataclass(slots=True)
class Run:
    """The fuzzing of one format. `findings` are by what tells them apart, with how often each came."""

    form: str
    folder: Path
    rng: random.Random
    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    findings: dict[str, int] = field(default_factory=dict)

    def until(self, deadline: float) -> None:
        """Damages and reads until then."""
        known = seeds(self.form)
        while time.monotonic() < deadline:
            self.cases += 1
            case = _case(self.rng.choice(known), self.rng, self.form in LINES)
            start, memory = time.process_time(), _peak()
            try:
                with _limited():
                    found = self._try(case)
                if _peak() - memory > MOST_MEMORY:
                    raise MemoryError(f"{_peak() - memory} MB more")
                if found and self.cases % REMEMBERED == 0:
                    self._remember(case)
            except InputError:
                self.refused += 1
            except Exception as error:
                self._keep(error, case)
            self.slowest = max(self.slowest, time.process_time() - start)

    def _try(self, case: "Case") -> list[Transcript]:
        found, problems, skipped = _read(case, self.folder / "read", self.rng.choice(_options(self.form)))
        forms = {transcript.format for transcript in found}
        if forms == {self.form}:
            case.check(found, problems, skipped)
        return found

    def _remember(self, case: "Case") -> None:
        """Stores what was read, which takes longer."""
        with tempfile.TemporaryDirectory() as folder:
            Memory(Path(folder)).ingest(case.written(Path(folder, "chats")))

    def _keep(self, error: Exception, case: "Case") -> None:
        """Tells of an error that is new, and keeps what raised it."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "evermem_cli" in f.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        name = f"{type(error).__name__} {place} {str(error).split(':')[0] if not frames else ''}".strip()
        self.findings[name] = self.findings.get(name, 0) + 1
        if self.findings[name] <= EXAMPLES:
            kept = case.written(self.folder / "findings" / f"{self.cases}")
            print(f"{self.form}: {name}: {str(error)[:200]!r}: {kept}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Case:
    """A damaged export; `tracers` are words put into its text."""

    seed: Seed
    files: dict[str, bytes]
    tracers: tuple[str, ...]

    def written(self, folder: Path) -> Path:
        """The export on disk."""
        for name, data in self.files.items():
            path = folder / self.seed.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / self.seed.name

    def check(self, found: list[Transcript], problems: int, skipped: int) -> None:
        """Raises LossError if there is more in it than was read, left out and reported."""
        turns = sum(len(transcript.turns) for transcript in found)
        if len(self.files) == 1 and (known := sizes(self.seed.format, next(iter(self.files.values())))) is not None:
            lost = sum(known) - turns - skipped
            if lost > sum(sorted(known)[-problems:] if problems else []):
                raise LossError(
                    f"messages lost: {sum(known)} there, {turns} read, {skipped} left out, {problems} problems"
                )
            if lost < 0:
                raise LossError(f"messages invented: {sum(known)} there, {turns} read, {skipped} left out")
        text = "".join(f"{each.title}\n" + "".join(f"{t.speaker}\n{t.text}\n" for t in each.turns) for each in found)
        gone = [word for word in self.tracers if word not in text]
        if gone and not problems and not skipped:
            raise LossError(f"words lost: {len(gone)} of {len(self.tracers)}")


def _case(seed: Seed, rng: random.Random, traced: bool) -> Case:
    """An export with one of its files damaged, and in a text of lines, words that can be followed."""
    victim = rng.choice(list(seed.files))
    text, tracers = seed.files[victim], []
    if traced and rng.random() < 0.5:
        lines = text.split("\n")
        said = [place for place in range(_first_said(lines), len(lines)) if lines[place][:1].isalpha()]
        for place in rng.sample(said, min(3, len(said))):
            if "-->" not in "".join(lines[place : place + 2]):  # above a time it would be the name of a cue
                tracers.append(f"{TRACER}{place}x")
                lines[place] += f" {tracers[-1]}"
        text = "\n".join(lines)
    data = damaged(text, rng)
    kept = tuple(word for word in tracers if word.encode() in data)
    return Case(seed, {name: part.encode() for name, part in seed.files.items()} | {victim: data}, kept)


def _first_said(lines: list[str]) -> int:
    """The first line below the head of captions or the front matter."""
    fenced = lines[0] == "---" and "---" in lines[1:]
    cues = next((place for place, line in enumerate(lines) if "-->" in line), 0)
    return lines.index("---", 1) + 1 if fenced else cues


def _read(case: Case, folder: Path, options: ReadOptions) -> tuple[list[Transcript], int, int]:
    """What is read, and how many problems and messages left out were told of."""
    findings: list[Finding] = []
    path = case.written(folder)
    try:
        found = list(read(path, options, findings.append))
    finally:
        for name in case.files:
            (path / name).unlink()
    skipped = sum(each.messages for each in findings if isinstance(each, Skipped))
    return found, sum(isinstance(each, Problem) for each in findings), skipped


def _options(form: str) -> list[ReadOptions]:
    return [
        ReadOptions(tz=UTC),
        ReadOptions(tz=UTC, format=form, date_order=DateOrder.DMY, me="Ann"),
        ReadOptions(tz=UTC, format=form, date=date(2024, 2, 29)),
    ]


@contextmanager
def _limited() -> Iterator[None]:
    """Raises HangError after LONGEST of CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="for each format")
    parser.add_argument("--format", action="append", choices=[known.name for known in FORMATS])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--command-line", type=int, metavar="FILES", help="through the command, so many files of all formats"
    )
    parser.add_argument("--keep", type=Path, help="where findings go; a temporary folder if none is named")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="evermem-fuzz-"))
    if given.command_line:
        sys.exit(fuzz(given.command_line, given.seed, folder))
    done: list[dict[str, Any]] = []
    for form in given.format or [known.name for known in FORMATS]:
        run = Run(form, folder / form, random.Random(f"{form} {given.seed}"))
        run.folder.mkdir(parents=True, exist_ok=True)
        run.until(time.monotonic() + given.minutes * 60)
        counts = {"cases": run.cases, "refused": run.refused, "slowest": round(run.slowest, 2), "peak_mb": _peak()}
        done.append({"format": form} | counts | {"findings": run.findings})
        print(json.dumps(done[-1]), flush=True)
    sys.exit(any(each["findings"] for each in done))


if __name__ == "__main__":
    main()
