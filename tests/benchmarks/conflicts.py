"""Which value of an attribute stands after later remarks: `python -m tests.benchmarks.conflicts`.

Each line of `conflicts/*.jsonl`, by a blind hand, is a short chat. In half of them a later remark replaces a value of
the person's profile; in the others it only looks as if. Only numbers are printed, and nobody looks at the items.
"""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.consolidation.history import histories
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from tests.benchmarks.claims import Record
from tests.support.chats import cell

FOLDER = Path(__file__).with_name("conflicts")
MORNING = timedelta(hours=9)


class Case(Record):
    """A chat of days, speakers and texts; `now` are words of the value of `me` that stands, `not` of another one."""

    me: str
    attribute: str
    changed: bool
    m: tuple[tuple[str, str, str], ...]
    now: tuple[str, ...]
    wrong: tuple[str, ...]


def cases() -> list[Case]:
    """All cases, in the order of files and lines."""
    lines = [line for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return [
        Case.model_validate({("wrong" if key == "not" else key): value for key, value in json.loads(line).items()})
        for line in lines
    ]


def values(case: Case, tagger: Tagger) -> list[str]:
    """The values of the attribute that a profile shows after the last message."""
    told = cell(*((speaker, text) for _, speaker, text in case.m))
    days = [datetime.fromisoformat(day).replace(tzinfo=UTC) + MORNING for day, _, _ in case.m]
    messages = tuple(
        replace(message, said_at=day + timedelta(minutes=n))
        for n, (message, day) in enumerate(zip(told.messages, days, strict=True))
    )
    before = ["", *(message.text for message in messages)]
    read = tagger.read([Passage(said.id, said.text, other) for said, other in zip(messages, before, strict=False)])
    statements = dict(zip((said.id for said in messages), read, strict=True))
    found = read_assertions(replace(told, messages=messages), statements, [], CONDITION_DAYS)
    own = histories(each for each in found if each.user_id == case.me.lower())
    last = messages[-1].said_at + timedelta(days=1)
    return [fact.value for fact in own.get(case.attribute, ()) if fact.invalid_at is None or fact.invalid_at > last]


def main() -> None:
    """Prints how often the value that stands is shown, and how often another one."""
    counts: Counter[str] = Counter()
    tagger = Tagger()
    for case in cases():
        shown = " | ".join(values(case, tagger)).casefold()
        kind = "replaced" if case.changed else "not replaced"
        right = any(word.casefold() in shown for word in case.now)
        wrong = any(word.casefold() in shown for word in case.wrong)
        counts[kind] += 1
        counts[f"{kind}: right alone"] += right and not wrong
        counts[f"{kind}: the other value"] += wrong
        counts[f"{kind}: nothing"] += not shown
    for kind in ("replaced", "not replaced"):
        print(
            f"{kind:13} {counts[kind]}: {counts[f'{kind}: right alone']} right, "
            f"{counts[f'{kind}: the other value']} with the other value, {counts[f'{kind}: nothing']} with none"
        )
    print(json.dumps({"benchmark": "conflicts", **counts}))


if __name__ == "__main__":
    main()
