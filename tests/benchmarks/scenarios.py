"""Acceptance scenarios and life-change stories through the command line with a real model: which claims hold.

    python -m tests.benchmarks.scenarios [--only S1,S2,stories] [--llm NAME_OR_PATH] [--keep DIR [--again STEP]]

A scenario is a memory file of its own, one or more ingests and a list of checks; a check is one command and one
observable claim about its JSON. A story's transcripts are ingested in a drawn order, and beside its checks its
profiles, conflicts and scenes must be those of another memory that read the same transcripts in order.
With --no-llm the language model is left out: which claims hold after tier 1 alone.
With --again nothing is ingested: `evermem enrich --again STEP` runs on the memories that --keep kept.
What fails goes to stderr. A command that does not exist yet exits 2 and an ingest that fails leaves nothing to ask, so
their checks count as failed: the rate is of all claims. The scenario of exact cosines (S12) needs a scripted embedder
and is not here.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from tests.benchmarks.claims import Check, Record, as_text, holds, matching_rows, values

COMMAND_SECONDS = 900  # an ingest of fifty messages on two slow cores takes about three minutes
RECORDS = tuple(Path(__file__).with_name(name) for name in ("scenarios.toml", "stories.toml"))
# The parts of a profile's history, a conflict and a scene that must not depend on the order of arrival.
HISTORY = ("value", "valid_at", "invalid_at")
CONFLICT = ("attribute", "old_value", "new_value", "old_timestamp", "new_timestamp")
SCENE = ("memcell_ids",)


class Part(Record):
    """Text that is written to the file `name`, after earlier parts of that name.

    With `repeat` it is written that many times, `$n` counting from 1 and `$clock` (HH:MM) from 08:00 by the minute.
    """

    name: str
    text: str
    repeat: int = 0


class Scenario(Record):
    """`ingest` lists the arguments of each ingest; without it all files are read by one.

    With `drawn` they are read in an order drawn by id, by so many ingests with `options`; file names sort by time.
    `people` are the users whose profiles are compared with those of the ingest in order.
    """

    id: str
    title: str
    part: tuple[Part, ...]
    ingest: tuple[tuple[str, ...], ...] | None = None
    drawn: int = 0
    options: tuple[str, ...] = ()
    people: tuple[str, ...] = ("default",)
    check: tuple[Check, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files as first mentioned."""
        return tuple(dict.fromkeys(part.name for part in self.part))

    @property
    def ingests(self) -> tuple[tuple[str, ...], ...]:
        """The arguments of each ingest, files first."""
        if self.drawn:
            order = random.Random(self.id).sample(self.files, len(self.files))
            return tuple((*order[n :: self.drawn], *self.options) for n in range(self.drawn))
        return (self.files,) if self.ingest is None else self.ingest


def load_scenarios() -> list[Scenario]:
    """All scenarios in the order of the files; raises ValidationError for a malformed one."""
    return [
        Scenario.model_validate(record)
        for file in RECORDS
        for record in tomllib.loads(file.read_text("utf-8"))["scenario"]
    ]


def part_text(part: Part) -> str:
    """The text of a part as it is written to its file."""
    if not part.repeat:
        return part.text
    clocks = (f"{8 + n // 60:02}:{n % 60:02}" for n in range(part.repeat))
    return "".join(Template(part.text).substitute(n=n, clock=clock) for n, clock in enumerate(clocks, 1))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: its exit code, the JSON document on stdout (None: there was none), stderr's last line."""

    code: int
    document: Any
    complaint: str


@dataclass(frozen=True, slots=True)
class Session:
    """One memory file of a scenario: runs commands on it and judges what they print."""

    directory: Path
    llm: str | None
    db: str = "memory.duckdb"
    seen: dict[str, list[str]] = field(default_factory=dict)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Outcome:
        """Runs one command line to its end; raises TimeoutExpired after COMMAND_SECONDS."""
        store = () if arguments[0] == "when" else ("--db", self.db)
        settings = {"EVERMEM_TZ": "UTC", "EVERMEM_CONFIG": str(self.directory / "config.toml")}
        done = subprocess.run(
            [sys.executable, "-m", "evermem_cli", *arguments, *store, "--json"],
            cwd=self.directory,
            env={**os.environ, **settings, **({"EVERMEM_LLM": self.llm} if self.llm else {}), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=COMMAND_SECONDS,
        )
        complaint = done.stderr.strip().rpartition("\n")[2]
        try:
            return Outcome(done.returncode, json.loads(done.stdout), complaint)
        except json.JSONDecodeError:
            return Outcome(done.returncode, None, complaint)

    def failure(self, check: Check) -> str | None:
        """Why the claim does not hold, or None where it does."""
        try:
            outcome = self.run(check.run, check.environment)
        except subprocess.TimeoutExpired:
            return "out of time"
        if outcome.code != check.exit:
            return f"exit {outcome.code}: {outcome.complaint}"
        rows = matching_rows(check, outcome.document)
        if rows is None:
            return f"no {check.rows or 'JSON'} on stdout"
        found = [as_text(value) for row in rows for value in values(row, check.field)]
        self.seen[check.claim] = found
        held = holds(check, len(rows), found, self.seen)
        return None if held else f"{len(rows)} rows: {' | '.join(found)[:200]}"

    def first_failure(self, commands: Sequence[Sequence[str]]) -> str | None:
        """Runs commands up to the first that fails, and says which that is."""
        for command in commands:
            try:
                outcome = self.run(command, {})
            except subprocess.TimeoutExpired:
                return f"{command[0]}: out of time"
            if outcome.code != 0:
                return f"{command[0]}: exit {outcome.code}: {outcome.complaint}"
        return None

    def end_state(self, people: Sequence[str]) -> dict[str, set[str] | None]:
        """What must not depend on the order of ingest, by its claim; None where there is no such part."""
        parts: dict[str, set[str] | None] = {}
        for person in people:
            history = self.run(["profile", "--history", "--user", person], {}).document
            attributes: dict[str, Any] = next(values(history, "explicit_facts"), {})
            rows = {f"{name} {row}" for name, versions in attributes.items() for row in _rows(versions, HISTORY)}
            parts[f"the profile of {person} is that of an ingest in order"] = rows or None
        conflicts = next(values(self.run(["conflicts"], {}).document, "conflicts"), None)
        parts["so are the conflicts"] = None if conflicts is None else set(_rows(conflicts, CONFLICT))
        scenes = next(values(self.run(["list", "scenes"], {}).document, "scenes"), None)
        parts["so are the scenes"] = set(_rows(scenes, SCENE)) if scenes else None
        return parts


def _rows(items: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[str]:
    """Each item as text: the fields of these names, a list among them sorted."""
    for item in items:
        kept = (item.get(name) for name in names)
        yield as_text([sorted(value) if isinstance(value, list) else value for value in kept])


def write_files(scenario: Scenario, directory: Path) -> None:
    """Writes the transcripts into a new directory."""
    directory.mkdir(parents=True)
    for part in scenario.part:
        with (directory / part.name).open("a", encoding="utf-8") as file:
            file.write(part_text(part))


def run_scenario(
    scenario: Scenario, directory: Path, llm: str | None, again: str, extra: Sequence[str]
) -> tuple[int, list[str]]:
    """How many claims there are, and one line for each that does not hold: all of them where an ingest fails."""
    if not again:
        write_files(scenario, directory)
    session = Session(directory, llm)
    reason = session.first_failure(_preparation(scenario.ingests, again, extra))
    reasons = ((check, reason or session.failure(check)) for check in scenario.check)
    failures = [f"{check.claim} [{' '.join(check.run)}]: {why}" for check, why in reasons if why is not None]
    if not scenario.drawn:
        return len(scenario.check), failures
    in_order = Session(directory, llm, "in-order.duckdb")
    reason = in_order.first_failure(_preparation([(*sorted(scenario.files), *scenario.options)], again, extra))
    ours, theirs = session.end_state(scenario.people), in_order.end_state(scenario.people)
    failures += [
        f"{claim}: {reason or _difference(part, theirs[claim])}"
        for claim, part in ours.items()
        if reason or part is None or part != theirs[claim]
    ]
    return len(scenario.check) + len(ours), failures


def _preparation(ingests: Sequence[Sequence[str]], again: str, extra: Sequence[str]) -> list[Sequence[str]]:
    return [("enrich", "--again", again)] if again else [("ingest", *arguments, *extra) for arguments in ingests]


def _difference(drawn: set[str] | None, in_order: set[str] | None) -> str:
    if drawn is None or in_order is None:
        return "there is none"
    return f"drawn {' '.join(sorted(drawn - in_order))[:150]} in order {' '.join(sorted(in_order - drawn))[:150]}"


def chosen(scenarios: Sequence[Scenario], only: str) -> list[Scenario]:
    """Those whose id, with or without its variant ("S1-reversed"), is in the comma-separated list; all for ""."""
    names = set(only.split(","))
    return [s for s in scenarios if not only or names & {s.id, s.id.partition("-")[0]}]


def main() -> None:
    """Runs the chosen scenarios; the exit code is 0 whatever the rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scenario ids, comma-separated")
    parser.add_argument("--llm", help="language model: catalog name or GGUF path")
    parser.add_argument("--no-llm", action="store_true", help="ingest without a language model")
    parser.add_argument("--keep", type=Path, help="new directory for transcripts and memory files, which are then kept")
    parser.add_argument("--again", default="", metavar="STEP", help="use what is kept there, with this step run anew")
    options = parser.parse_args()
    llm = str(Path(options.llm).resolve()) if options.llm and Path(options.llm).is_file() else options.llm
    extra = ("--no-llm",) if options.no_llm else ()
    results: dict[str, tuple[int, int]] = {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for scenario in chosen(load_scenarios(), options.only):
            directory = (options.keep or Path(scratch)).resolve() / scenario.id
            claims, failures = run_scenario(scenario, directory, llm, options.again, extra)
            results[scenario.id] = (claims - len(failures), claims)
            print(f"{scenario.id:16} {claims - len(failures):3} / {claims:<3} {scenario.title}", flush=True)
            for failure in failures:
                print(f"  - {failure}", file=sys.stderr, flush=True)
    passed, total = (sum(counts) for counts in zip(*results.values(), strict=True)) if results else (0, 0)
    print(f"{'total':16} {passed:3} / {total:<3} {passed / max(total, 1):.1%}")
    figures = {"passed": passed, "checks": total, "rate": round(passed / max(total, 1), 3), "llm": options.llm}
    print(
        json.dumps(
            {"benchmark": "scenarios", **figures, "seconds": round(time.monotonic() - started), "scenarios": results}
        )
    )


if __name__ == "__main__":
    main()
