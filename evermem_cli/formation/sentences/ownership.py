"""Which sentences of a message are somebody's own, by what the tagger has read of it.

What was pasted, quoted, forwarded or played is nobody's: it tells nothing of who sent it.
"""

from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.formation.sentences.statements import Remark
from evermem_cli.memory import Statement, Whose

_OWN = (Whose.ME, Whose.WE)


def own_remark(remark: Remark, read: Sequence[Statement]) -> Remark | None:
    """The remark without sentences that are nobody's; None where none is left, or nothing at all is one's own."""
    nobodys = [statement.value for statement in read if statement.whose is Whose.NOBODY]
    own = [statement.value for statement in read if statement.whose in _OWN]
    if nobodys and not own:
        return None
    kept = tuple(sentence for sentence in remark.sentences if not _holds(sentence, nobodys) or _holds(sentence, own))
    return replace(remark, sentences=kept) if kept else None


def _holds(sentence: str, values: Sequence[str]) -> bool:
    return any(value in sentence for value in values)
