"""Questions that ask for advice, or only look as if they did: `asks/`, by blind hands (see GUIDE.md)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.reading.statements.asked import AskedFor

HERE = Path(__file__).parent
# Never learned from.
HELD_HANDS = {"en": ("en-d",), "zh": ("zh-b",)}


@dataclass(frozen=True, slots=True)
class AdviceQuestion:
    """A labelled question."""

    text: str
    hand: str
    part: str
    advice: bool


def questions(language: str) -> list[AdviceQuestion]:
    """All labelled questions of a language."""
    return [
        AdviceQuestion(
            row["text"],
            path.stem,
            "report" if path.stem in HELD_HANDS[language] else "learn",
            row["advice"],
        )
        for path in sorted((HERE / "asks").glob(f"{language}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def figures(asked: Sequence[AdviceQuestion], read: Sequence[AskedFor]) -> dict[str, str]:
    """How many requests for advice are recognised, and how many others are taken for one."""
    read_as = {True: [], False: []}  # type: dict[bool, list[bool]]
    for own, other in zip(asked, read, strict=True):
        read_as[own.advice].append(other.advice)
    return {
        "advice recognised": f"{sum(read_as[True])} of {len(read_as[True])}",
        "others taken for it": f"{sum(read_as[False])} of {len(read_as[False])}",
    }
