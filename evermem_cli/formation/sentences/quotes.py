"""Facts that quote a message, where its words cannot be put in the third person by themselves."""

from collections.abc import Sequence
from typing import NamedTuple

from evermem_cli.formation.sentences.statements import Remark, instructs, is_question, split_sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import Message

_SAYS = {"en": '{} says: "{}"', "zh": "{}说：“{}”"}
_ASKS = {"en": '{} asks: "{}"', "zh": "{}问：“{}”"}
_ANSWERS = {"en": '{} answers: "{}"', "zh": "{}答：“{}”"}
_ROOM = 160  # characters of what was said before that a fact may repeat


class Quotation(NamedTuple):
    """What somebody said, and the messages that it cites."""

    text: str
    messages: tuple[Message, ...]


def quote(statement: Remark, places: Sequence[int], name: str) -> Quotation:
    """These sentences of a statement in quotes, after its speaker's name.

    They come after the question that they answer, or what else the highlighter takes to be needed to understand them:
    sentences of the same message, or the end of the message before.
    """
    written_in = language(statement.text)
    said = " ".join([*_own_context(statement, places), *(statement.stated[place] for place in places)])
    asked = statement.question if 0 in places else None
    questions = [sentence for sentence in split_sentences(asked.text) if is_question(sentence)] if asked else []
    if asked and questions:
        text = f"{_ASKS[written_in].format(asked.speaker, questions[-1])} {_ANSWERS[written_in].format(name, said)}"
        return Quotation(text, statement.messages)
    before = _needed_before(statement, places)
    context = " ".join(_last(split_sentences(before.text))) if before else ""
    if before is None or not context:
        return Quotation(_SAYS[written_in].format(name, said), statement.messages)
    cited = tuple(dict.fromkeys((before, *statement.messages)))
    if before.speaker == statement.message.speaker:
        return Quotation(_SAYS[written_in].format(name, f'{context}" "{said}'), cited)
    return Quotation(
        f"{_SAYS[written_in].format(before.speaker, context)} {_ANSWERS[written_in].format(name, said)}", cited
    )


def _needed_before(statement: Remark, places: Sequence[int]) -> Message | None:
    """The message before, if these sentences cannot be understood without it."""
    needed = bool(statement.marks) and statement.marks[statement.kept[places[0]]].needs_before
    return statement.before if needed else None


def _own_context(statement: Remark, places: Sequence[int]) -> list[str]:
    """The sentences of the same message before these, where they are needed."""
    first = statement.kept[places[0]]
    needed = bool(statement.marks) and statement.marks[first].needs_own
    return _last(statement.said[:first]) if needed else []


def _last(sentences: Sequence[str]) -> list[str]:
    """The last sentences that there is room for, and at least one, without those that instruct the memory."""
    kept: list[str] = []
    for sentence in reversed([sentence for sentence in sentences if not instructs(sentence)]):
        if kept and len(" ".join([sentence, *kept])) > _ROOM:
            break
        kept.insert(0, sentence)
    return kept
