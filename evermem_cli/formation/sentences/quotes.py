"""Facts that quote a message, where its words cannot be put in the third person by themselves."""

from collections.abc import Sequence

from evermem_cli.formation.sentences.statements import Remark, is_question, split_sentences
from evermem_cli.languages.language import language

_SAYS = {"en": '{} says: "{}"', "zh": "{}说：“{}”"}
_ASKS = {"en": '{} asks: "{}"', "zh": "{}问：“{}”"}
_ANSWERS = {"en": '{} answers: "{}"', "zh": "{}答：“{}”"}


def as_said(statement: Remark, places: Sequence[int], name: str) -> str:
    """These sentences of a statement in quotes, after its speaker's name.

    The first sentence comes after the question that it answers.
    """
    written_in = language(statement.text)
    said = " ".join(statement.stated[place] for place in places)
    asked = statement.question if 0 in places else None
    questions = [sentence for sentence in split_sentences(asked.text) if is_question(sentence)] if asked else []
    if asked is None or not questions:
        return _SAYS[written_in].format(name, said)
    return f"{_ASKS[written_in].format(asked.speaker, questions[-1])} {_ANSWERS[written_in].format(name, said)}"
