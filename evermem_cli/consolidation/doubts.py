"""Statements that the tagger is unsure of. The language model is asked of each whether the message really says it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evermem_cli import prompts
from evermem_cli.consolidation.statements import ASSERTED, OUTSIDE_PROFILE, attribute_of
from evermem_cli.engines import Request
from evermem_cli.errors import GenerationError
from evermem_cli.languages.language import language
from evermem_cli.memory import MemCell, Message, Role, Stance, Statement, Verdict, Whose
from evermem_cli.reading.entries import SURELY_READ
from evermem_cli.reading.statements.labels import OTHER

# The probabilities between which a statement is doubtful; in some languages it is surely read already below the upper.
DOUBTFUL = (0.3, SURELY_READ)
_READ, _READ_BEFORE = 400, 200  # characters of the message around the statement, and of the end of the turn before
_TOKENS = 4
_YES, _NO = {"en": "yes", "zh": "是"}, {"en": "no", "zh": "否"}
_MARK = {"en": ": ", "zh": "："}
_CLAIMED = {
    "en": {
        Stance.HOLDS: "it holds",
        Stance.BEGAN: "it has begun",
        Stance.ENDED: "it is over",
        Stance.PLANNED: "it is planned",
        Stance.OFFERED: "it is offered",
        Stance.DENIED: "it does not hold",
    },
    "zh": {
        Stance.HOLDS: "成立",
        Stance.BEGAN: "已开始",
        Stance.ENDED: "已结束",
        Stance.PLANNED: "有此打算",
        Stance.OFFERED: "有人提供",
        Stance.DENIED: "不成立",
    },
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A statement that the tagger is unsure of, and the question about it."""

    statement: Statement
    request: Request

    def verdict(self, reply: str) -> Verdict:
        """What a reply says of the statement. Raises GenerationError where it is neither a yes nor a no."""
        answer = reply.strip(" .。\n").casefold()
        if answer not in {*_YES.values(), *_NO.values()}:
            raise GenerationError("the model gave no usable reply about a statement", "try another model")
        return Verdict(
            message_id=self.statement.message_id,
            kind=self.statement.kind,
            value=self.statement.value,
            stance=self.statement.stance,
            holds=answer in _YES.values(),
        )


def doubts(cell: MemCell, read: Mapping[str, Sequence[Statement]]) -> list[Doubt]:
    """The questions about a MemCell's doubtful statements, in order; one for statements that say the same.

    `read` are the statements of each message, by its id.
    """
    made: dict[tuple[str, str, str, Stance], Doubt] = {}
    for place, message in enumerate(cell.messages):
        before = cell.messages[place - 1] if place else None
        for statement in _doubtful(message, read.get(message.id, ())):
            said = (message.id, statement.kind, statement.value, statement.stance)
            made.setdefault(said, Doubt(statement, _request(statement, message, before)))
    return list(made.values())


def _doubtful(message: Message, statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements of a person's message that a profile could hold, which are neither surely read nor hopeless."""
    for statement in statements if message.role is not Role.ASSISTANT else ():
        is_held = statement.whose is Whose.ME and statement.kind not in {OTHER, *OUTSIDE_PROFILE}
        is_doubtful = statement.confirmed is None and DOUBTFUL[0] <= statement.probability < DOUBTFUL[1]
        if is_held and is_doubtful and statement.stance in ASSERTED:
            yield statement


def _request(statement: Statement, message: Message, before: Message | None) -> Request:
    tongue = language(message.text)
    lines = [f"{message.speaker}{_MARK[tongue]}{_around(statement, message.text)}"]
    if before and before.speaker != message.speaker:
        lines.insert(0, f"{before.speaker}{_MARK[tongue]}{_on_one_line(before.text[-_READ_BEFORE:])}")
    system, user = prompts.fill(
        "statement",
        tongue,
        chat="\n".join(lines),
        writer=message.speaker,
        attribute=attribute_of(statement),
        value=_on_one_line(statement.value),
        claimed=_CLAIMED[tongue][statement.stance],
    )
    return Request(system=system, user=user, max_tokens=_TOKENS, pattern=f"{_YES[tongue]}|{_NO[tongue]}")


def _around(statement: Statement, text: str) -> str:
    """The part of a message around a statement."""
    start = max(0, min(statement.start - _READ // 2, len(text) - _READ))
    return _on_one_line(text[start : start + _READ])


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
