"""Facts that quote a message, where its words cannot be put in the third person by themselves."""

from collections.abc import Sequence

from evermem_cli.formation.sentences.statements import Remark, is_question, split_sentences
from evermem_cli.languages.language import language

_SAYS = {"en": '{} says: "{}"', "zh": "{}说：“{}”"}
_ASKS = {"en": '{} asks: "{}"', "zh": "{}问：“{}”"}
_ANSWERS = {"en": '{} answers: "{}"', "zh": "{}答：“{}”"}


def as_said(statement: Remark, places: Sequence[int], name: str, *, leaning: bool) -> str:
    """These sentences of a statement in quotes, after its speaker's name.

    `leaning` ones come after the question of the message before, or its last sentence.
    """
    written_in = language(statement.text)
    said = " ".join(statement.sentences[place] for place in places)
    before = statement.before if leaning else None
    if before is None:
        return _SAYS[written_in].format(name, said)
    asked = [sentence for sentence in split_sentences(before.text) if is_question(sentence)]
    context = (asked or split_sentences(before.text) or [before.text])[-1]
    if before.speaker == statement.message.speaker:
        return _SAYS[written_in].format(name, f"{context} {said}")
    lead = (_ASKS if asked else _SAYS)[written_in].format(before.speaker, context)
    return f"{lead} {_ANSWERS[written_in].format(name, said)}"
