"""Facts and answers of chats by blind hands: `python -m tests.benchmarks.blind_chats [--only NAME] [--no-llm]`.

Each file of `blind/` is a chat with the facts that a careful reader notes and questions with what a right answer says.
The chat is ingested and asked through the command line. Only numbers are printed, for each file and each kind of
question: whoever works on evermem looks at these and never at the items.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.claims import Record, contains

BLIND = Path(__file__).with_name("blind")
COMMAND_SECONDS = 900
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
    """Whether the text has a phrase of each group."""
    return all(any(contains(text, phrase) for phrase in group.split("|")) for group in groups)


def measure(chat: Chat, folder: Path, extra: Sequence[str]) -> Counter[str]:
    """Counts of one chat, each as "what: met" and "what: of"."""
    counts: Counter[str] = Counter()
    (folder / chat.file).write_text(chat.text, "utf-8")
    me = ("--me", chat.me) if chat.me else ()
    _run(folder, "ingest", chat.file, *me, *extra)
    memories = [
        *(row["atomic_fact"] for row in _run(folder, "list", "facts")["facts"]),
        *(
            f"{row['person']} {row['attribute']} {row['value']}"
            for row in _run(folder, "list", "assertions")["assertions"]
        ),
    ]
    for fact in chat.fact:
        counts["facts: of"] += 1
        counts["facts: met"] += any(says(memory, fact.says) for memory in memories)
    for question in chat.question:
        reply = _run(folder, "ask", question.ask, "--as-of", chat.now)
        told, answer = bool(reply["known"]), str(reply["answer"])
        counts[f"{question.kind}: of"] += 1
        if question.kind == UNKNOWN:
            counts[f"{UNKNOWN}: met"] += not told
            continue
        right = told and says(answer, question.right) and not any(contains(answer, each) for each in question.wrong)
        counts[f"{question.kind}: met"] += right
        counts["answers: of"] += 1
        counts["answers: met"] += right
        counts["refused wrongly: of"] += 1
        counts["refused wrongly: met"] += not told
    return counts


def _run(folder: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "evermem_cli", *arguments, "--db", "memory.duckdb", "--json"],
        cwd=folder,
        env={**os.environ, "EVERMEM_TZ": "UTC", "EVERMEM_CONFIG": str(folder / "config.toml")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=COMMAND_SECONDS,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments[:1])}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def main() -> None:
    """Prints a row for each chat and for all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of files, comma-separated")
    parser.add_argument("--no-llm", action="store_true", help="ingest without a language model")
    options = parser.parse_args()
    names = set(options.only.split(",")) - {""}
    total: Counter[str] = Counter()
    for path in sorted(BLIND.glob("*.toml")):
        if names and path.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            counts = measure(load(path), Path(scratch), ("--no-llm",) if options.no_llm else ())
        total += counts
        print(f"{path.stem:16} {_row(counts)}", flush=True)
    print(f"{'all':16} {_row(total)}")
    print(json.dumps({"benchmark": "blind_chats", "no_llm": options.no_llm, "counts": dict(sorted(total.items()))}))


def _row(counts: Counter[str]) -> str:
    kinds = sorted(key.removesuffix(": of") for key in counts if key.endswith(": of"))
    return ", ".join(f"{kind} {counts[f'{kind}: met']} / {counts[f'{kind}: of']}" for kind in kinds)


if __name__ == "__main__":
    main()
