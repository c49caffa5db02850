"""The acceptance scenarios of scenarios.toml through the assembled command line with a real model: which claims hold.

    python -m tests.benchmarks.scenarios [--only S1,S2] [--llm NAME_OR_PATH] [--keep DIR]

A scenario is a memory file of its own, one or more ingests and a list of checks; a check is one command and one
observable claim about its JSON. What fails goes to stderr. A command that does not exist yet exits 2 and an ingest that
fails leaves nothing to ask, so their checks count as failed: the rate is of all claims. The scenario of exact cosines
(S12) needs a scripted embedder and is not here.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from pydantic import BaseModel, ConfigDict

COMMAND_SECONDS = 900  # an ingest of fifty messages on two slow cores takes about three minutes
RECORDS = Path(__file__).with_suffix(".toml")


class Record(BaseModel):
    """A table of scenarios.toml; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(Record):
    """Text that is written to the file `name`, after earlier parts of that name.

    With `repeat` it is written that many times, `$n` counting from 1 and `$clock` (HH:MM) from 08:00 by the minute.
    """

    name: str
    text: str
    repeat: int = 0


class Check(Record):
    """One claim: `run` ends with `exit`, and what it printed is as expected.

    `rows` is the dotted path of a list in the document (empty: the document is the only row), of which those count
    whose fields contain the phrases of `where`. Then `count` is the number of rows (or its least and most), `equals`
    the values of `field` in order, `any_of` has a phrase that a value contains, `none_of` only phrases that none does,
    and `same_as` is the claim of an earlier check with the same values.
    """

    claim: str
    run: tuple[str, ...]
    environment: Mapping[str, str] = {}
    exit: int = 0
    rows: str = ""
    where: Mapping[str, str] = {}
    field: str = ""
    count: int | tuple[int, int] | None = None
    equals: tuple[Any, ...] | None = None
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    same_as: str = ""


class Scenario(Record):
    """`ingest` lists the arguments of each ingest; without it all files are read by one."""

    id: str
    title: str
    part: tuple[Part, ...]
    ingest: tuple[tuple[str, ...], ...] | None = None
    check: tuple[Check, ...]

    @property
    def ingests(self) -> tuple[tuple[str, ...], ...]:
        """The arguments of each ingest, files first."""
        return (tuple(dict.fromkeys(part.name for part in self.part)),) if self.ingest is None else self.ingest


def load_scenarios() -> list[Scenario]:
    """All scenarios in the order of the file; raises ValidationError for a malformed one."""
    return [Scenario.model_validate(record) for record in tomllib.loads(RECORDS.read_text("utf-8"))["scenario"]]


def part_text(part: Part) -> str:
    """The text of a part as it is written to its file."""
    if not part.repeat:
        return part.text
    clocks = (f"{8 + n // 60:02}:{n % 60:02}" for n in range(part.repeat))
    return "".join(Template(part.text).substitute(n=n, clock=clock) for n, clock in enumerate(clocks, 1))


def normalised(text: str) -> str:
    """Casefolded words and numbers, single-spaced; "£31,000" and "31k" are both "31000"."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"(?<=\d)k\b", "000", text)
    return " ".join(re.findall(r"[^\W_]+", text))


def contains(text: str, phrase: str) -> bool:
    """Whether `phrase` stands in `text`, both normalised, as whole words and whole numbers."""
    words = normalised(phrase)
    if not words:  # signs alone, as "???"
        return phrase in text
    before = r"(?<!\d)" if words[0].isdigit() else r"(?<![a-z])"
    after = r"(?!\d)" if words[-1].isdigit() else r"(?![a-z])"
    return re.search(before + re.escape(words) + after, normalised(text)) is not None


def values(document: Any, path: str) -> Iterator[Any]:
    """Everything at a dotted path; a list on the way stands for each of its items, and what is missing for nothing."""
    if isinstance(document, list):
        for item in document:
            yield from values(item, path)
    elif not path:
        yield document
    elif isinstance(document, dict):
        name, _, rest = path.partition(".")
        if name in document:
            yield from values(document[name], rest) if rest else iter([document[name]])


def as_text(value: Any) -> str:
    """A value as a check compares it: text as it is, anything else as JSON ("null", "true", "10")."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def matching_rows(check: Check, document: Any) -> list[Any] | None:
    """The rows that the check is about; None where the document is none or has no such list."""
    rows = next(values(document, check.rows), None) if check.rows else [document]
    if document is None or rows is None:
        return None
    return [
        row
        for row in rows
        if all(
            any(contains(as_text(value), phrase) for value in values(row, name)) for name, phrase in check.where.items()
        )
    ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: its exit code, the JSON document on stdout (None: there was none), stderr's last line."""

    code: int
    document: Any
    complaint: str


class Session:
    """One scenario's directory: runs commands in it and judges what they print."""

    def __init__(self, directory: Path, llm: str | None) -> None:
        self.directory = directory
        self.environment = {**os.environ, "EVERMEM_TZ": "UTC", "EVERMEM_CONFIG": str(directory / "config.toml")}
        if llm:
            self.environment["EVERMEM_LLM"] = llm
        self.seen: dict[str, list[str]] = {}

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Outcome:
        """Runs one command line to its end; raises TimeoutExpired after COMMAND_SECONDS."""
        store = () if arguments[0] == "when" else ("--db", "memory.duckdb")
        done = subprocess.run(
            [sys.executable, "-m", "evermem_cli", *arguments, *store, "--json"],
            cwd=self.directory,
            env={**self.environment, **environment},
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
        return None if self.holds(check, len(rows), found) else f"{len(rows)} rows: {' | '.join(found)[:200]}"

    def holds(self, check: Check, rows: int, found: Sequence[str]) -> bool:
        """Whether every expectation of the check is met."""
        least, most = check.count if isinstance(check.count, tuple) else (check.count, check.count)
        said = [any(contains(text, phrase) for text in found) for phrase in check.any_of]
        return all(
            (
                least is None or most is None or least <= rows <= most,
                check.equals is None or list(found) == [as_text(value) for value in check.equals],
                not said or any(said),
                not check.none_of or bool(found) or not rows,
                not any(contains(text, phrase) for phrase in check.none_of for text in found),
                not check.same_as or self.seen.get(check.same_as) == found,
            )
        )

    def first_failed_ingest(self, scenario: Scenario) -> str | None:
        """Ingests what the scenario says up to the first failure, and says which that is."""
        for arguments in scenario.ingests:
            try:
                outcome = self.run(["ingest", *arguments], {})
            except subprocess.TimeoutExpired:
                return "ingest: out of time"
            if outcome.code != 0:
                return f"ingest: exit {outcome.code}: {outcome.complaint}"
        return None


def run_scenario(scenario: Scenario, directory: Path, llm: str | None) -> list[str]:
    """One line for each claim that does not hold: all of them where an ingest fails."""
    directory.mkdir(parents=True)
    for part in scenario.part:
        with (directory / part.name).open("a", encoding="utf-8") as file:
            file.write(part_text(part))
    session = Session(directory, llm)
    if (reason := session.first_failed_ingest(scenario)) is not None:
        return [f"{check.claim}: {reason}" for check in scenario.check]
    reasons = ((check, session.failure(check)) for check in scenario.check)
    return [f"{check.claim} [{' '.join(check.run)}]: {reason}" for check, reason in reasons if reason is not None]


def chosen(scenarios: Sequence[Scenario], only: str) -> list[Scenario]:
    """Those whose id, with or without its variant ("S1-reversed"), is in the comma-separated list; all for ""."""
    names = set(only.split(","))
    return [s for s in scenarios if not only or names & {s.id, s.id.partition("-")[0]}]


def main() -> None:
    """Runs the chosen scenarios; the exit code is 0 whatever the rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scenario ids, comma-separated")
    parser.add_argument("--llm", help="language model: catalog name or GGUF path")
    parser.add_argument("--keep", type=Path, help="new directory for transcripts and memory files, which are then kept")
    options = parser.parse_args()
    llm = str(Path(options.llm).resolve()) if options.llm and Path(options.llm).is_file() else options.llm
    results: dict[str, tuple[int, int]] = {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for scenario in chosen(load_scenarios(), options.only):
            failures = run_scenario(scenario, (options.keep or Path(scratch)).resolve() / scenario.id, llm)
            results[scenario.id] = (len(scenario.check) - len(failures), len(scenario.check))
            print(
                f"{scenario.id:14} {results[scenario.id][0]:3} / {len(scenario.check):<3} {scenario.title}", flush=True
            )
            for failure in failures:
                print(f"  - {failure}", file=sys.stderr, flush=True)
    passed, total = (sum(counts) for counts in zip(*results.values(), strict=True)) if results else (0, 0)
    print(f"{'total':14} {passed:3} / {total:<3} {passed / max(total, 1):.1%}")
    figures = {"passed": passed, "checks": total, "rate": round(passed / max(total, 1), 3), "llm": options.llm}
    print(
        json.dumps(
            {"benchmark": "scenarios", **figures, "seconds": round(time.monotonic() - started), "scenarios": results}
        )
    )


if __name__ == "__main__":
    main()
