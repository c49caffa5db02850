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
    nobodys = [each.value for each in read if each.whose is Whose.NOBODY]
    own = [each.value for each in read if each.whose in _OWN]
    if nobodys and not own:
        return None
    kept = tuple(each for each in remark.sentences if not _holds(each, nobodys) or _holds(each, own))
    return replace(remark, sentences=kept) if kept else None


def _holds(sentence: str, values: Sequence[str]) -> bool:
    return any(value in sentence for value in values)
