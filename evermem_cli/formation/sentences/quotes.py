"""Facts that quote a message, where its words cannot be put in the third person by themselves."""

from collections.abc import Sequence

from evermem_cli.formation.sentences.statements import Remark, instructs, is_question, split_sentences
from evermem_cli.languages.language import language

_SAYS = {"en": '{} says: "{}"', "zh": "{}说：“{}”"}
_ASKS = {"en": '{} asks: "{}"', "zh": "{}问：“{}”"}
_ANSWERS = {"en": '{} answers: "{}"', "zh": "{}答：“{}”"}
_ROOM = 160  # characters of sentences before these that a fact may repeat


def as_said(statement: Remark, places: Sequence[int], name: str) -> str:
    """These sentences of a statement in quotes, after its speaker's name.

    The first sentence comes after the question that it answers, and so does one that the highlighter takes for unclear.
    Where it takes them to be needed, the sentences of the message before these are quoted, too.
    """
    written_in = language(statement.text)
    said = " ".join([*_needed(statement, places), *(statement.stated[place] for place in places)])
    first = statement.kept[places[0]]
    is_clear = not statement.marks or statement.marks[first].is_clear
    asked = statement.question if 0 in places or not is_clear else None
    questions = [sentence for sentence in split_sentences(asked.text) if is_question(sentence)] if asked else []
    if asked is None or not questions:
        return _SAYS[written_in].format(name, said)
    return f"{_ASKS[written_in].format(asked.speaker, questions[-1])} {_ANSWERS[written_in].format(name, said)}"


def _needed(statement: Remark, places: Sequence[int]) -> list[str]:
    """The sentences of the message before these that are needed and for which there is room, and at least one.

    What instructs the memory or is somebody else's is left out.
    """
    first = statement.kept[places[0]]
    if not statement.marks or not statement.marks[first].needs_own:
        return []
    needed: list[str] = []
    own = [words for words in statement.said[:first] if not instructs(words) and words not in statement.foreign]
    for sentence in reversed(own):
        if needed and len(" ".join([sentence, *needed])) > _ROOM:
            break
        needed.insert(0, sentence)
    return needed
