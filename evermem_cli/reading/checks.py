"""The learned checks of a question against messages, which ship with evermem; each is loaded on its first use."""

from dataclasses import dataclass, field
from typing import Self

from evermem_cli.reading import answerability, standing
from evermem_cli.reading.answerability import Answerability
from evermem_cli.reading.shipped import ShippedModel
from evermem_cli.reading.standing import Standing


@dataclass(frozen=True, slots=True)
class Checks:
    """`answers` tells which messages answer a question, `standing` which of these answers were replaced later."""

    answers: Answerability = field(default_factory=Answerability)
    standing: Standing = field(default_factory=Standing)

    @classmethod
    def with_threads(cls, threads: int) -> Self:
        """The checks that run on so many threads; 0 is all cores."""
        return cls(
            Answerability(ShippedModel(answerability.NAME, threads=threads)),
            Standing(ShippedModel(standing.NAME, threads=threads)),
        )
