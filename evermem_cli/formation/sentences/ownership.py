"""Selects the sentences of a message that are its writer's own, by the tagger's statements and the message's form.

Pasted, quoted, forwarded or role-played text is nobody's own: it says nothing about the person who sent it.
"""

from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.formation.sentences.statements import Remark
from evermem_cli.memory import Statement, Whose
from evermem_cli.reading.voices import is_of_another

_OWN = (Whose.ME, Whose.WE)


def own_remark(remark: Remark, read: Sequence[Statement]) -> Remark | None:
    """The remark without sentences that are nobody's own.

    None if no sentence is left, or if the tagger attributes statements to nobody and none to the writer.
    """
    nobodys = [statement.value for statement in read if statement.whose is Whose.NOBODY]
    own = [statement.value for statement in read if statement.whose in _OWN]
    if nobodys and not own:
        return None
    foreign = frozenset(
        sentence
        for sentence in remark.said
        if (_holds(sentence, nobodys) and not _holds(sentence, own)) or _is_quoted(sentence, remark.message.text)
    )
    kept = [place for place, sentence in enumerate(remark.stated) if sentence not in foreign]
    return replace(remark.only(kept), foreign=foreign) if kept else None


def _holds(sentence: str, values: Sequence[str]) -> bool:
    return any(value in sentence for value in values)


def _is_quoted(sentence: str, text: str) -> bool:
    """Whether a sentence of a text is somebody else's by the form of the text."""
    start = text.find(sentence)
    return start >= 0 and is_of_another(text, start, start + len(sentence))
