"""Facts and answers of chats by blind hands: `python -m tests.benchmarks.blind_chats [--only NAME] [--no-llm] [--dev]`.

Each file of `blind/` is a chat with the facts that a careful reader notes and questions with what a right answer says.
The chat is ingested and asked through the command line. Only numbers are printed, for each file and each kind of
question: whoever works on evermem looks at these and never at the items. The files of `dev/` are chats to develop with
(`--dev`): what they miss is printed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.claims import Record, contains

BLIND = Path(__file__).with_name("blind")
DEV = Path(__file__).with_name("dev")
COMMAND_SECONDS = 3600
UNKNOWN = "not told"  # the kind of questions that the chat does not answer


class Fact(Record):
    """A fact of the chat: one memory has a phrase of each group, alternatives parted by "|"."""

    says: tuple[str, ...]


class Question(Record):
    """A question of a kind; its answer has a phrase of each group of `right`, and none of `wrong`."""

    ask: str
    kind: str
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


class Chat(Record):
    """A transcript as it is exported to a file of this name; `me` is the speaker who asks, empty with an assistant."""

    title: str
    file: str
    me: str = ""
    now: str
    text: str
    fact: tuple[Fact, ...]
    question: tuple[Question, ...]


def load(path: Path) -> Chat:
    """The chat of a file. Raises ValidationError for a malformed one."""
    return Chat.model_validate(tomllib.loads(path.read_text("utf-8")))


def says(text: str, groups: Sequence[str]) -> bool:
    """Whether the text has a phrase of each group.

    The authors gave stems: a phrase of some letters may go on, as "15 Dec" in "15 December".
    """
    return all(any(_has(text, phrase) for phrase in group.split("|")) for group in groups)


def _has(text: str, phrase: str) -> bool:
    begins = rf"/(?<!\w){re.escape(phrase)}/" if phrase[-1:].isalpha() and len(phrase) > len("yes") else phrase
    return contains(text, phrase) or contains(text, begins)


@dataclass
class Outcome:
    """Counts of one chat, each as "what: met" and "what: of", and a line for each miss."""

    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def note(self, what: str, met: bool, miss: str) -> None:
        """Counts something that is met or missed."""
        self.counts[f"{what}: of"] += 1
        self.counts[f"{what}: met"] += met
        if not met:
            self.misses.append(f"{what}: {miss}")


def measure(chat: Chat, folder: Path, extra: Sequence[str]) -> Outcome:
    """The outcome of one chat."""
    outcome = Outcome()
    (folder / chat.file).write_text(chat.text.lstrip("\n"), "utf-8")
    me = ("--me", chat.me) if chat.me else ()
    _run(folder, "ingest", chat.file, *me, *extra)
    memories = _memories(folder)
    for fact in chat.fact:
        outcome.note("facts", any(says(memory, fact.says) for memory in memories), str(fact.says))
    for question, reply in zip(chat.question, _replies(chat, folder), strict=True):
        _judge(question, bool(reply["known"]), str(reply["answer"]), outcome)
    return outcome


def _judge(question: Question, told: bool, answer: str, outcome: Outcome) -> None:
    said = f"{question.ask} {answer}"
    if question.kind == UNKNOWN:
        outcome.note(UNKNOWN, not told, said)
        return
    right = told and says(answer, question.right) and not any(contains(answer, each) for each in question.wrong)
    outcome.note(question.kind, right, said)
    outcome.counts["answers: of"] += 1
    outcome.counts["answers: met"] += right
    outcome.counts["refused wrongly: of"] += 1
    outcome.counts["refused wrongly: met"] += not told


def _memories(folder: Path) -> list[str]:
    """The text of each fact, and of each assertion after its person."""
    return [
        *(row["atomic_fact"] for row in _run(folder, "list", "facts")["facts"]),
        *(
            f"{row['person']} {row['attribute']} {row['value']}"
            for row in _run(folder, "list", "assertions")["assertions"]
        ),
    ]


def _replies(chat: Chat, folder: Path) -> list[Any]:
    """The reply to each question; all are asked in one process, which loads the model once."""
    questions = "".join(json.dumps({"question": question.ask}) + "\n" for question in chat.question)
    printed = _printed(folder, "ask", "-", "--as-of", chat.now, text=questions)
    return [json.loads(line) for line in printed.splitlines()]


def _run(folder: Path, *arguments: str) -> Any:
    return json.loads(_printed(folder, *arguments))


def _printed(folder: Path, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "evermem_cli", *arguments, "--db", "memory.duckdb", "--json"],
        cwd=folder,
        env={**os.environ, "EVERMEM_TZ": "UTC", "EVERMEM_CONFIG": str(folder / "config.toml")},
        input=text,
        capture_output=True,
        encoding="utf-8",
        timeout=COMMAND_SECONDS,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments[:1])}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def main() -> None:
    """Prints a row for each chat and for all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of files, comma-separated")
    parser.add_argument("--no-llm", action="store_true", help="ingest without a language model")
    parser.add_argument("--dev", action="store_true", help="the chats to develop with, and what they miss")
    options = parser.parse_args()
    names = set(options.only.split(",")) - {""}
    total: Counter[str] = Counter()
    for path in sorted((DEV if options.dev else BLIND).glob("*.toml")):
        if names and path.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            outcome = measure(load(path), Path(scratch), ("--no-llm",) if options.no_llm else ())
        total += outcome.counts
        print(f"{path.stem:16} {_row(outcome.counts)}", flush=True)
        if options.dev:
            print("\n".join(outcome.misses), flush=True)
    print(f"{'all':16} {_row(total)}")
    counts = dict(sorted(total.items()))
    print(json.dumps({"benchmark": "blind_chats", "dev": options.dev, "no_llm": options.no_llm, "counts": counts}))


def _row(counts: Counter[str]) -> str:
    kinds = sorted(key.removesuffix(": of") for key in counts if key.endswith(": of"))
    return ", ".join(f"{kind} {counts[f'{kind}: met']} / {counts[f'{kind}: of']}" for kind in kinds)


if __name__ == "__main__":
    main()
