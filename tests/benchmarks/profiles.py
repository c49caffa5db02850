"""What is read from single messages for a profile, against what a careful reader would: recall and false alarms.

    python -m tests.benchmarks.profiles [--split dev|test] [--all] [--show]

profile_messages.toml was written by a blind hand, as hard as chats are, the halves in different constructions; `test`
only measures. A message may say several things of its writer, or, as a wish, a question or somebody else's, nothing.
Only the attributes that the labels know count, and only what a profile rests on; with --all whatever `list assertions`
lists. The tagger was calibrated on `dev`, and never saw `test`.
With --show what is missed and what is read wrongly goes to stderr.
"""

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.memory import Assertion, ChatKind, MemCell, Message, Policy, Role, Stance
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from tests.benchmarks.claims import Record

DATA = Path(__file__).with_name("profile_messages.toml")
SAID_AT = datetime(2025, 5, 14, 9, tzinfo=UTC)  # a Wednesday
TOGETHER = {"relationship": "partner"}  # who tells of one tells of the other
STANCES = {Stance.HOLDS: "holds", Stance.TAKEN: "holds", Stance.ENDED: "ended", Stance.DENIED: "ended"}


ASKED = frozenset(
    """
    name age birthday phone email employer job salary location hometown diet smoking alcohol restrictions medication
    health allergies partner relationship children family contacts pets car avoids hobbies studies languages commute
    """.split()
)


class SummarySentence(Record):
    """One thing that a message says of its writer; `value` is a regular expression between slashes."""

    attribute: str
    value: str
    stance: str

    def is_read(self, assertion: Assertion) -> bool:
        """Whether the assertion is this one."""
        return (
            assertion.attribute == self.attribute
            and STANCES.get(assertion.stance) == self.stance
            and (not self.value or bool(re.search(self.value.strip("/"), assertion.value, re.IGNORECASE)))
        )


class Case(Record):
    """A message of the user's, after what was said `before` ("User: …", "Assistant: …")."""

    split: str
    text: str
    before: tuple[str, ...] = ()
    says: tuple[SummarySentence, ...]


@dataclass(slots=True)
class Score:
    """Counts over messages; `extra` are assertions beside the expected ones, `alarms` messages that say nothing."""

    messages: int = 0
    sayings: int = 0
    read: int = 0
    extra: int = 0
    silent: int = 0
    alarms: int = 0
    missed: Counter[str] = field(default_factory=Counter)


def assertions(case: Case, tagger: Tagger) -> list[Assertion]:
    """What is read from the last message of the case."""
    said = [*(line.partition(": ") for line in case.before), ("User", "", case.text)]
    messages = tuple(
        Message(
            id=f"m{n}",
            conversation_id="c",
            ordinal=n,
            external_id=str(n),
            speaker=speaker,
            user_id=speaker,
            role=Role.ASSISTANT if speaker in ("Assistant", "助手") else Role.USER,
            text=text,
            said_at=SAID_AT - timedelta(minutes=len(said) - n),
        )
        for n, (speaker, _, text) in enumerate(said, 1)
    )
    cell = MemCell(
        event_id="e",
        conversation_id="c",
        group_id="g",
        kind=ChatKind.ASSISTANT,
        messages=messages,
        boundary_reason="end",
        open=False,
        policy=Policy.V1_1,
    )
    last = messages[-1]
    [statements] = tagger.read([Passage(last.id, last.text, messages[-2].text if len(messages) > 1 else "")])
    found = read_assertions(cell, {last.id: statements}, [], CONDITION_DAYS)
    return [
        each
        for each in found
        if last.id in each.message_ids and each.stance is not Stance.OFFERED and each.attribute in ASKED
    ]


def judge(case: Case, found: Sequence[Assertion], score: Score, *, show: bool) -> None:
    """Adds a case, of which this was read, to the score."""
    missed = [saying for saying in case.says if not any(saying.is_read(each) for each in found)]
    expected = {TOGETHER.get(saying.attribute, saying.attribute) for saying in case.says}
    extra = [each for each in found if TOGETHER.get(each.attribute, each.attribute) not in expected]
    score.messages += 1
    score.sayings += len(case.says)
    score.read += len(case.says) - len(missed)
    score.missed.update(saying.attribute for saying in missed)
    if case.says:
        score.extra += len(extra)
    else:
        score.silent += 1
        score.alarms += bool(found)
    if show and (missed or extra):
        print(case.text, file=sys.stderr)
        for saying in missed:
            print(f"    missed {saying.attribute}: {saying.value} {saying.stance}", file=sys.stderr)
        for each in extra:
            print(f"    wrong  {each.attribute}: {each.value} {each.stance}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the figures of each split."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"))
    parser.add_argument("--all", action="store_true", help="what is listed, and not only what a profile shows")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    cases = [Case.model_validate(record) for record in tomllib.loads(DATA.read_text("utf-8"))["message"]]
    tagger = Tagger()
    for split in (options.split,) if options.split else ("dev", "test"):
        score = Score()
        for case in cases:
            if case.split == split:
                listed = assertions(case, tagger)
                judge(case, [each for each in listed if each.sure or options.all], score, show=options.show)
        print(
            f"{split:5} {score.messages} messages: {score.read} of {score.sayings} sayings read "
            f"({score.read / score.sayings:.1%}), {score.extra} others beside them; "
            f"{score.alarms} of {score.silent} that say nothing are read as something"
        )
        figures = {
            "split": split,
            "recall": round(score.read / score.sayings, 3),
            "missed": dict(score.missed),
        }
        print(json.dumps({"benchmark": "profiles", **figures, "alarms": round(score.alarms / score.silent, 3)}))


if __name__ == "__main__":
    main()
