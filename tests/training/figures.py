"""What the tagger reads right: the figures of evermem_cli/help/measured.md that need no language model.

A function takes examples with what was read of each, and returns a row. Every row says whether its text was seen.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from evermem_cli.consolidation.statements import ATTRIBUTES
from evermem_cli.memory import Stance, Statement, Whose
from tests.training.examples import CORE, RELATIONS, Example, Span, content_words

Read = Sequence[Sequence[Statement]]
Row = dict[str, Any]

# What the own remarks ask for; a remark's other kinds are neither right nor wrong.
ASKED = frozenset(
    """name age birthday phone email employer job salary location hometown diet smoking alcohol restrictions medication
    health allergies partner relationship children family contacts pets vehicle avoids hobbies studies languages
    commute""".split()
)
NOT_MEANT = frozenset({Stance.WISHED, Stance.JOKED, Stance.OFFERED})
# Who tells of one tells of the other.
TOGETHER = {"relationship": "partner"}


def surely(read: Read) -> list[list[Statement]]:
    """Of what was read, what is shown: the writer's own, and sure."""
    return [[each for each in found if each.whose is Whose.ME and each.is_asserted] for found in read]


def persona_triples(examples: Sequence[Example], read: Read) -> Row:
    """PersonaExt: how many of its values stand in a statement, and in one of a right kind; of the core kinds apart."""
    rows: list[tuple[bool, bool, bool]] = []
    for example, found in zip(examples, read, strict=True):
        for gold in example.gold:
            if gold["relation"] in RELATIONS:
                kind, _, also = RELATIONS[gold["relation"]]
                wanted = content_words(gold["value"])
                hits = [each for each in found if wanted <= set(re.findall(r"[^\W_]+", each.value.lower()))]
                right = any(each.kind == kind or each.kind in also.split() or also == "*" for each in hits)
                rows.append((kind in CORE, bool(hits), right))
    core = [row for row in rows if row[0]]
    return {
        "n": len(rows),
        "value": _share(row[1] for row in rows),
        "kind": _share(row[2] for row in rows),
        "core n": len(core),
        "core value": _share(row[1] for row in core),
        "core kind": _share(row[2] for row in core),
    }


def turns(examples: Sequence[Example], read: Read) -> Row:
    """MSC: a turn of which a worker noted something speaks, another is silent."""
    due = [bool(found) for example, found in zip(examples, read, strict=True) if example.gold]
    idle = [not found for example, found in zip(examples, read, strict=True) if not example.gold]
    return {"n": len(examples), "speaks when due": _share(due), "silent else": _share(idle)}


def own_remarks(examples: Sequence[Example], read: Read) -> Row:
    """The own remarks: sayings read, right in kind, value and stance; and messages that say nothing but are read."""
    sayings, alarms, silent = [], 0, 0
    for example, found in zip(examples, read, strict=True):
        asked = [each for each in found if each.kind in ASKED and each.stance not in NOT_MEANT]
        sayings += [any(_is(saying, each) for each in asked) for saying in example.gold]
        silent += not example.gold
        alarms += bool(asked) and not example.gold
    return {"n": len(sayings), "read": _share(sayings), "false alarms": f"{alarms} of {silent}"}


def labels(examples: Sequence[Example], read: Read) -> Row:
    """Own messages: the writer's statements found and rightly so; whose and how meant, of the statements found.

    Of messages that state something of anybody, in how many something is read, and of the others in how many nothing.
    """
    found_gold, right, exact, owners, stances, planted, foreign = [], [], [], [], [], 0, 0
    due: list[bool] = []
    idle: list[bool] = []
    for example, found in zip(examples, read, strict=True):
        speaks = any(each.whose is not Whose.NOBODY for each in found)
        if any(span.whose is not Whose.NOBODY for span in example.spans):
            due.append(speaks)
        else:
            idle.append(not speaks)
        own = [span for span in example.spans if span.whose is Whose.ME]
        shown = surely([found])[0]
        found_gold += [any(_meets(span, each) for each in shown) for span in own]
        right += [any(_meets(span, each) for span in own) for each in shown]
        exact += [
            any(_is_same(span, each) for span in own) for each in shown if any(_meets(span, each) for span in own)
        ]
        for span in example.spans:
            hit = next((each for each in found if _meets(span, each)), None)
            owners += [hit.whose is span.whose] if hit else []
            stances += [hit.stance is span.stance] if hit else []
        others = [span for span in example.spans if span.whose is not Whose.ME]
        foreign += bool(others)
        planted += any(_overlap(span, each) for span in others for each in shown)
    return {
        "n": len(found_gold),
        "found": _share(found_gold),
        "right": _share(right),
        "in the very words": _share(exact),
        "whose": _share(owners),
        "stance": _share(stances),
        "taken for the writer's": f"{planted} of {foreign} messages",
        "speaks when due": f"{sum(due)} of {len(due)}",
        "silent else": f"{sum(idle)} of {len(idle)}",
    }


def outcomes(examples: Sequence[Example], read: Read) -> list[tuple[Statement, bool]]:
    """The writer's statements that were read, each with whether it is right: what calibration takes.

    Of own messages a statement of the same kind must overlap, be the writer's, and be meant alike; of the remarks, for
    which nothing else is labelled, one of the kinds asked for must be said.
    """
    return [
        (each, _is_labelled(each, example) if example.source.startswith("own/") else _is_said(each, example))
        for example, found in zip(examples, read, strict=True)
        for each in found
        if each.whose is Whose.ME and each.kind in ASKED and each.stance not in NOT_MEANT
    ]


def _is_said(statement: Statement, example: Example) -> bool:
    return any(_is(saying, statement, by_kind=True) for saying in example.gold)


def _is_labelled(statement: Statement, example: Example) -> bool:
    return any(
        _meets(span, statement)
        and span.whose is Whose.ME
        and span.stance not in NOT_MEANT
        and (span.stance is Stance.ENDED) == (statement.stance is Stance.ENDED)
        for span in example.spans
    )


def calibration_error(pairs: Sequence[tuple[Statement, bool]], bins: int = 5) -> Row:
    """The mean distance between what is said to be likely and how often it is right (Naeini et al. 2015)."""
    ordered = sorted(pairs, key=lambda pair: pair[0].probability)
    parts = [ordered[n * len(ordered) // bins : (n + 1) * len(ordered) // bins] for n in range(bins)]
    errors = [
        len(part) * abs(np.mean([each.probability for each, _ in part]) - np.mean([right for _, right in part]))
        for part in parts
        if part
    ]
    return {"n": len(pairs), "error": round(float(sum(errors)) / max(1, len(pairs)), 3)}


def _is(saying: Any, statement: Statement, *, by_kind: bool = False) -> bool:
    """Whether a statement is what a remark says, with its value and stance or by its kind alone."""
    attribute = ATTRIBUTES.get(statement.kind, statement.kind)
    if TOGETHER.get(attribute, attribute) != TOGETHER.get(saying["attribute"], saying["attribute"]):
        return False
    ended = statement.stance is Stance.ENDED
    meant = statement.stance is Stance.DENIED or ended == (saying["stance"] == "ended")
    value = saying["value"].strip("/")
    return by_kind or (
        attribute == saying["attribute"]
        and meant
        and (not value or bool(re.search(value, statement.value, re.IGNORECASE)))
    )


def _is_same(span: Span, statement: Statement) -> bool:
    return (span.kind, span.start, span.end) == (statement.kind, statement.start, statement.stop)


def _meets(span: Span, statement: Statement) -> bool:
    return span.kind == statement.kind and _overlap(span, statement)


def _overlap(span: Span, statement: Statement) -> bool:
    return statement.start < span.end and statement.stop > span.start


def _share(rows: Any) -> float:
    values = [bool(row) for row in rows]
    return round(sum(values) / max(1, len(values)), 3)
