"""Which sentences of a message are somebody's own, by what the tagger has read of it.

What was pasted, quoted, forwarded or played is nobody's and says nothing about who sent it. The tagger recognises most
of it. Two things are recognised by their form: direct speech, whose "I" is whoever is quoted, and the text below a
heading that names a side of a chat, which belongs to that chat.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.formation.sentences.statements import Remark
from evermem_cli.memory import Statement, Whose

_OWN = (Whose.ME, Whose.WE)
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|「[^」]*」')
_FIRST_PERSON = re.compile(r"\b(?:i|my|mine|me|myself|we|our|ours|us)\b|我", re.IGNORECASE)
_SIDE = re.compile(r"^[ \t]*#+[ \t]*(?:user|human|assistant|ai|用户|助手)[ \t]*:?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def own_remark(remark: Remark, read: Sequence[Statement]) -> Remark | None:
    """The remark without sentences that are nobody's; None where none is left, or nothing at all is one's own."""
    nobodys = [statement.value for statement in read if statement.whose is Whose.NOBODY]
    own = [statement.value for statement in read if statement.whose in _OWN]
    if nobodys and not own:
        return None
    kept = tuple(
        sentence
        for sentence in remark.sentences
        if (not _holds(sentence, nobodys) or _holds(sentence, own))
        and not _is_of_another(sentence, remark.message.text)
    )
    return replace(remark, sentences=kept) if kept else None


def _holds(sentence: str, values: Sequence[str]) -> bool:
    return any(value in sentence for value in values)


def _is_of_another(sentence: str, text: str) -> bool:
    """Whether somebody else speaks in a sentence of a message, by its form."""
    start = text.find(sentence)
    if start < 0:
        return False
    end = start + len(sentence)
    quoted = (
        _FIRST_PERSON.search(text, max(quote.start(), start), min(quote.end(), end)) for quote in _QUOTED.finditer(text)
    )
    return any(quoted) or _SIDE.search(text, 0, start) is not None
