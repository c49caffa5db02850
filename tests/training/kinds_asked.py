"""Questions with what they ask about a person: the kind, whose, and the words that suppose or narrow a value.

`kinds_asked/` has questions by blind hands that saw neither the code nor a failure, by the guide kinds_asked/GUIDE.md.
Some hands are left out of learning, to report by and to choose by.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import NOTHING, Asks, Owner

FOLDER = Path(__file__).with_name("kinds_asked")
# Never learned from: those to report by, and those to choose by.
HELD_HANDS = {"en": ("en-e", "en-g"), "zh": ("zh-b",)}
CHOOSING_HANDS = {"en": ("en-d",), "zh": ("zh-e",)}
_OWNERS = {"me": Owner.ASKER, "?": Owner.SOUGHT, "": Owner.NOBODY}
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class KindQuestion:
    """A labelled question; places are characters of it, None where it has no such words."""

    text: str
    hand: str
    part: str
    kind: str
    asks: Asks
    owner: Owner
    value: Place | None
    narrow: Place | None
    owner_words: Place | None


def questions(language: str) -> list[KindQuestion]:
    """All labelled questions of a language."""
    return [each for path in sorted(FOLDER.glob(f"{language}-*.jsonl")) for each in _of_hand(path, language)]


def _of_hand(path: Path, language: str) -> Iterator[KindQuestion]:
    parts = dict.fromkeys(HELD_HANDS[language], "report") | dict.fromkeys(CHOOSING_HANDS[language], "choose")
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        owner = _OWNERS.get(row["of"], Owner.NAMED)
        yield KindQuestion(
            text=row["text"],
            hand=path.stem,
            part=parts.get(path.stem, "learn"),
            kind=row["kind"],
            asks=Asks(row["asks"]),
            owner=owner,
            value=_place(row["text"], row["value"]),
            narrow=_place(row["text"], row["narrow"]),
            owner_words=_place(row["text"], row["of"]) if owner is Owner.NAMED else None,
        )


def _place(text: str, words: str) -> Place | None:
    start = text.index(words) if words else 0
    return (start, start + len(words)) if words else None


def figures(asked: Sequence[KindQuestion], read: Sequence[AskedFor]) -> dict[str, str]:
    """What is read rightly of how many questions.

    "right throughout" is a question for something of a person whose kind, what it asks, owner and value are read
    rightly, and where something is narrowed if anything is. Of the others "nothing" is to be read.
    """
    pairs = list(zip(asked, read, strict=True))
    personal = [(own, other) for own, other in pairs if own.kind != NOTHING]
    others = [(own, other) for own, other in pairs if own.kind == NOTHING]
    counts = {
        "kind": [own.kind == other.kind for own, other in personal],
        "asks": [own.asks == other.asks for own, other in personal],
        "owner": [own.owner == other.owner for own, other in personal],
        "who is named": [_in(own, own.owner_words) == other.named for own, other in personal if own.owner_words],
        "value": [_in(own, own.value) == other.value for own, other in personal if own.value],
        "no value": [not other.value for own, other in personal if not own.value],
        "narrowed or not": [bool(own.narrow) == bool(other.narrow) for own, other in personal],
        "right throughout": [_is_right(own, other) for own, other in personal],
        "nothing": [other.kind == NOTHING for _, other in others],
    }
    return {name: f"{sum(right)} of {len(right)}" for name, right in counts.items()}


def _is_right(own: KindQuestion, read: AskedFor) -> bool:
    same = (own.kind, own.asks, own.owner, bool(own.narrow)) == (read.kind, read.asks, read.owner, bool(read.narrow))
    return same and _in(own, own.value) == read.value and _in(own, own.owner_words) == read.named


def _in(question: KindQuestion, place: Place | None) -> str:
    return question.text[slice(*place)] if place else ""
