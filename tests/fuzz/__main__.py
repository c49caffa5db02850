"""Runs the fuzzer: a JSON line for each thing fuzzed on stdout, each new finding on stderr, its input in a file."""

import argparse
import json
import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript
from evermem_cli.transcripts import FORMATS, DateOrder, ReadOptions, read
from tests.fuzz.asked import Questions
from tests.fuzz.command_line import fuzz
from tests.fuzz.damage import damaged
from tests.fuzz.ledger import sizes
from tests.fuzz.limits import limited, peak, place_of
from tests.fuzz.options import CommandLines
from tests.fuzz.seeds import Seed, seeds
from tests.test_ingest import Memory

MOST_MEMORY = 300  # megabytes more than before
REMEMBERED = 100  # every so many cases what was read is stored, too
LINES = frozenset({"whatsapp", "imessage", "markdown", "text", "vtt", "srt"})
KINDS = ("parsers", "questions", "command lines")
EXAMPLES = 3  # that are kept of each finding
# Lines that nobody said: above a time the name of a cue, and reactions and translations that an app wrote.
NOT_SAID = re.compile(r"-->|\A(?:Sticker from|\w+ by) |\nTranslated from:")
TRACER = "qzxv"  # begins words that are nowhere else, and so must be found again


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
            start, memory = time.process_time(), peak()
            try:
                with limited():
                    found = self._try(case)
                if peak() - memory > MOST_MEMORY:
                    raise MemoryError(f"{peak() - memory} MB more")
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
        place = place_of(error)
        name = f"{type(error).__name__} {place or str(error).split(':')[0]}"
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
            if not NOT_SAID.search("\n".join(lines[place : place + 2])):
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


def main() -> None:
    formats = [known.name for known in FORMATS]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the whole run, shared by all that is fuzzed")
    parser.add_argument("--format", action="append", choices=formats, help="the parser of this format alone")
    parser.add_argument("--kind", action="append", choices=KINDS, help="this alone; all three if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--command-line", type=int, metavar="FILES", help="through the command, so many files of all formats"
    )
    parser.add_argument("--keep", type=Path, help="where findings go; a temporary folder if none is named")
    given = parser.parse_args()
    folder = given.keep or Path(tempfile.mkdtemp(prefix="evermem-fuzz-"))
    if given.command_line:
        sys.exit(fuzz(given.command_line, given.seed, folder))
    kinds = ["parsers"] if given.format else given.kind or KINDS
    minutes, findings = given.minutes / len(kinds), 0
    for kind in kinds:
        names = (given.format or formats) if kind == "parsers" else [kind]
        for name in names:
            findings += _fuzzed(kind, name, folder / name, given.seed, minutes / len(names))
    sys.exit(findings > 0)


def _fuzzed(kind: str, name: str, folder: Path, seed: int, minutes: float) -> int:
    """Fuzzes one thing for so long and prints a line of JSON; how many kinds of findings there were."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"{name} {seed}")
    run: Questions | CommandLines | Run
    match kind:
        case "questions":
            run = Questions(folder, rng)
        case "command lines":
            run = CommandLines(folder, rng)
        case _:
            run = Run(name, folder, rng)
    run.until(time.monotonic() + minutes * 60)
    counts = {"cases": run.cases, "refused": run.refused, "slowest": round(run.slowest, 2), "peak_mb": peak()}
    print(json.dumps({"fuzzed": name} | counts | {"findings": run.findings}), flush=True)
    return len(run.findings)


if __name__ == "__main__":
    main()
