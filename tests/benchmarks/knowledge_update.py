"""Does search rank what is true above what was: `python -m tests.benchmarks.knowledge_update --data DIR --cache DIR`.

LongMemEval's knowledge updates that ask for the present value and have evidence in two sessions, 26 of the 38. Each has
a memory of its own sessions, all turns and both tiers, made by the command line with the default model and kept in the
cache by the digest of the sessions, whatever version made it: a new folder makes all anew, `--again STEP` runs
`evermem enrich --again STEP` on what is kept. One search of facts and messages per question, as of the end of its day,
passes if a result that cites an evidence turn of the latest session is above all that cite one of an earlier session.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

K = 50
SOME_FAILED = 6
# A question of what was, or of the change itself, is not answered by the latest value alone.
OF_THE_PAST = re.compile(r"\b(previous|previously|initially|earlier|first|before|switch)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its sessions as JSONL lines, and the ids of the turns that state the latest and older values."""

    id: str
    text: str
    answer: str
    day: str
    transcript: str
    latest: frozenset[str]
    outdated: frozenset[str]

    @property
    def digest(self) -> str:
        """What the memory of these sessions is kept by."""
        return hashlib.sha256(self.transcript.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places from 1 of the first result with the latest and with an outdated value; None where there is none."""

    latest: int | None
    outdated: int | None

    @property
    def passed(self) -> bool:
        """Whether the latest value was found, and above the outdated one."""
        return self.latest is not None and (self.outdated is None or self.latest < self.outdated)


def load(data: Path) -> list[Question]:
    """The questions whose present value has evidence in at least two sessions, in the order of the file."""
    items = json.loads((data / "longmemeval_oracle_dev.json").read_text("utf-8"))
    wanted = [item for item in items if item["question_type"] == "knowledge-update"]
    found = [question_of(item) for item in wanted if not OF_THE_PAST.search(item["question"])]
    return [question for question in found if question.latest and question.outdated]


def question_of(item: dict[str, Any]) -> Question:
    """A question of LongMemEval with its sessions, oldest first; the last with evidence has the latest value."""
    sessions = sorted(
        zip(item["haystack_dates"], item["haystack_session_ids"], item["haystack_sessions"], strict=True),
        key=lambda session: _time(session[0]),
    )
    lines, evidence = [], []
    for written, session, turns in sessions:
        stated = {f"{session}:{n}" for n, turn in enumerate(turns) if turn.get("has_answer")}
        evidence += [stated] if stated else []
        lines += [_line(session, n, turn, _time(written)) for n, turn in enumerate(turns)]
    return Question(
        id=item["question_id"],
        text=item["question"],
        answer=str(item["answer"]),
        day=_time(item["question_date"]).date().isoformat(),
        transcript="".join(lines),
        latest=frozenset(evidence[-1] if evidence else ()),
        outdated=frozenset().union(*evidence[:-1]),
    )


def _line(session: str, number: int, turn: dict[str, str], began: datetime) -> str:
    message = {
        "id": f"{session}:{number}",
        "conversation_id": session,
        "role": turn["role"],
        "content": turn["content"],
        "timestamp": (began + timedelta(minutes=number)).isoformat(),
    }
    return json.dumps(message, ensure_ascii=False) + "\n"


def _time(written: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", written), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def evermem(db: Path, *arguments: str) -> dict[str, Any]:
    """The JSON document of one command on this memory; its errors and progress go to stderr.

    Raises SystemExit when it fails; a MemCell that the model failed on (exit 6) is no such failure.
    """
    done = subprocess.run(
        [sys.executable, "-m", "evermem_cli", *arguments, "--db", str(db), "--json"],
        env={**os.environ, "EVERMEM_TZ": "UTC", "EVERMEM_CONFIG": str(db.with_name("config.toml"))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    if done.returncode not in (0, SOME_FAILED):
        raise SystemExit(f"evermem {arguments[0]} on {db.name}: exit {done.returncode}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def memory(question: Question, cache: Path) -> Path:
    """The memory file of a question, made on first need; one that is unfinished is taken up where it stopped."""
    ready = cache / f"{question.digest}.duckdb"
    if not ready.exists():
        cache.mkdir(parents=True, exist_ok=True)
        transcript = cache / f"{question.digest}.jsonl"
        transcript.write_text(question.transcript, "utf-8")
        unfinished = cache / f"{question.digest}.unfinished.duckdb"
        if evermem(unfinished, "ingest", str(transcript))["totals"]["failed_memcells"]:
            return unfinished
        unfinished.rename(ready)
    return ready


def search(question: Question, db: Path) -> Ranks:
    """Where the first results with the latest and with an outdated value stand."""
    kinds = ("--kind", "fact", "--kind", "message")
    found = evermem(db, "search", question.text, *kinds, "-k", str(K), "--as-of", question.day)["results"]
    cited = [set(result["messages"]) for result in found]
    latest, outdated = (
        next((rank for rank, messages in enumerate(cited, 1) if messages & wanted), None)
        for wanted in (question.latest, question.outdated)
    )
    return Ranks(latest, outdated)


def measure(questions: list[Question], cache: Path, again: str) -> Iterator[Ranks]:
    """Each question's ranks, with its memory made or consolidated as asked."""
    for question in questions:
        db = memory(question, cache)
        if again:
            evermem(db, "enrich", "--again", again)
        yield search(question, db)


def main() -> None:
    """Prints the share and a JSON line; with --verbose a line per question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--cache", type=Path, required=True, help="folder to keep memories in between runs")
    parser.add_argument("--limit", type=int, default=20, help="how many questions; 0: all")
    parser.add_argument("--again", default="", metavar="STEP", help="run this step of tier 2 anew, as consolidation")
    parser.add_argument("--verbose", action="store_true", help="a line per question")
    options = parser.parse_args()
    questions = load(options.data)[: options.limit or None]
    ranks = []
    for question, found in zip(questions, measure(questions, options.cache, options.again), strict=True):
        ranks.append(found)
        if options.verbose:
            print(_line_of(question, found), flush=True)
    shares = {
        "latest above outdated": [each.passed for each in ranks],
        "latest first of all": [each.latest == 1 for each in ranks],
        "latest found": [each.latest is not None for each in ranks],
        "outdated found": [each.outdated is not None for each in ranks],
    }
    for name, held in shares.items():
        print(f"{name:22} {sum(held) / len(held):6.1%}  {sum(held)} of {len(held)}")
    figures = {name: round(sum(held) / len(held), 3) for name, held in shares.items()}
    print(json.dumps({"benchmark": "knowledge-update", "n": len(ranks), **figures}))


def _line_of(question: Question, found: Ranks) -> str:
    places = f"latest {found.latest or '-':>2}, outdated {found.outdated or '-':>2}"
    return f"{'ok' if found.passed else 'FAIL':4} {question.digest}  {places}  {question.text} ({question.answer})"


if __name__ == "__main__":
    main()
