"""Lines and passages: messages as the model reads them."""

from dataclasses import dataclass

from evermem_cli.languages.language import language
from evermem_cli.memory import Evidence, Message
from evermem_cli.recollection.dates import day

OVER = {"en": "no longer so since", "zh": "已结束，结束于"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A message as the model reads it, and the best result that it stands for; a neighbour stands for itself."""

    message: Message
    text: str
    evidence: Evidence

    @property
    def is_hit(self) -> bool:
        """Whether the search found it, and not only its neighbour."""
        return self.evidence.is_hit

    @property
    def date(self) -> str:
        """The date shown above the line."""
        return day(self.message.local_time, language(self.message.text))


Passage = tuple[Line, ...]


def lines_of(passages: tuple[Passage, ...]) -> list[Line]:
    """All lines of passages in reading order."""
    return [line for passage in passages for line in passage]
