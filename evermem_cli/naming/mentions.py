"""The names in one message."""

import re
from collections.abc import Iterator

from evermem_cli.memory import EntityType, Mention
from evermem_cli.naming.names import NAME, bare
from evermem_cli.naming.words import words

_AND = re.compile(r",?\s(?:and|&)\s|,\s")
_APOSTROPHES = str.maketrans("’‘", "''")


def find_mentions(text: str) -> list[Mention]:
    """Each name once per type that the words around it show; once without a type where they show none."""
    text = text.translate(_APOSTROPHES)
    typed = list(dict.fromkeys(_typed(text)))
    known = {mention.name for mention in typed}
    plain = dict.fromkeys(name for match in NAME.finditer(text) if (name := bare(match[0])))
    return [*typed, *(Mention(name, None) for name in plain if name not in known)]


def _typed(text: str) -> Iterator[Mention]:
    for clue in words().clues:
        for match in clue.pattern.finditer(text):
            for name in _names(match.expand(clue.value), clue.type):
                if name and name not in words().known:
                    yield Mention(name, clue.type)
    for match in NAME.finditer(text):
        if (name := bare(match[0])) in words().known:
            yield Mention(name, words().known[name])
    for match in words().unspaced.finditer(text):
        yield Mention(match[0], words().known[match[0]])


def _names(text: str, kind: EntityType) -> list[str]:
    """The names in the text that a clue matched: people may be in a list, and a title keeps its article."""
    match kind:
        case EntityType.PERSON:
            return [bare(part) for part in _AND.split(text)]
        case EntityType.PRODUCT:
            return [text.strip()] if bare(text) else []
        case _:
            return [bare(text)]
