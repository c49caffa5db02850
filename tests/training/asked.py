"""Questions with what a right answer would be, and of which time: `sought/`, by blind hands (see GUIDE.md)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Era, Sought
from evermem_cli.recollection.questions.form import form_of

FOLDER = Path(__file__).with_name("sought")
# Never learned from: the first of a language asks in roundabout ways, the second in few and plain words.
HELD_HANDS = {"en": ("en-d", "en-g"), "zh": ("zh-b", "zh-d")}


@dataclass(frozen=True, slots=True)
class SoughtQuestion:
    """A labelled question."""

    text: str
    hand: str
    part: str
    sought: Sought
    era: Era


def questions(language: str) -> list[SoughtQuestion]:
    """All labelled questions of a language."""
    return [
        SoughtQuestion(
            row["text"],
            path.stem,
            "report" if path.stem in HELD_HANDS[language] else "learn",
            Sought(row["asks"]),
            Era(row["of"]),
        )
        for path in sorted(FOLDER.glob(f"{language}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def figures(asked: Sequence[SoughtQuestion], read: Sequence[AskedFor]) -> dict[str, str]:
    """What is read rightly of how many questions."""
    pairs = list(zip(asked, read, strict=True))
    counts = {
        "sought": [own.sought is other.sought for own, other in pairs],
        "form": [form_of(own.sought) is form_of(other.sought) for own, other in pairs],
        "era": [own.era is other.era for own, other in pairs],
        "of the present or not": [(own.era is Era.NOW) is (other.era is Era.NOW) for own, other in pairs],
    }
    return {name: f"{sum(right)} of {len(right)}" for name, right in counts.items()}
