"""Matches wordings in statements: the attribute, the value, and the words that tell since when."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.wordings.wording import Wording, Wordings, wordings_of
from evermem_cli.memory import Stance

_TO_ME = re.compile(r"\b(?:me|us)\b", re.IGNORECASE)  # what others did to the speaker: "they made me head of …"
_OPENING = " ,;:.!–—-，。！；、"  # characters that may begin a clause


@dataclass(frozen=True, slots=True)
class WordingMatch:
    """A match of a wording in a sentence, with its value and the words that tell since when."""

    wording: Wording
    value: str
    words: str
    clause: str
    sentence: str
    length: str = ""


def find(statements: Iterable[str]) -> Iterator[WordingMatch]:
    """What statements assert of their speaker, in order. Of overlapping values the most specific one is kept."""
    for statement in statements:
        spoken = wordings_of(lower=statement == statement.lower())
        yield from _most_telling(list(_matches(statement, spoken)))
        yield from _named(statement, spoken)


def _matches(sentence: str, spoken: Wordings) -> Iterator[WordingMatch]:
    for wording in spoken.wordings:
        for match in wording.pattern.finditer(sentence):
            if _is_own(sentence, match, wording.stance, spoken):
                value = match.expand(wording.value).strip(" .,'")
                length = match.groupdict().get("long") or ""
                yield WordingMatch(wording, value, match[0], _clause(sentence, match, spoken), sentence, length)


def _named(sentence: str, spoken: Wordings) -> Iterator[WordingMatch]:
    """Matches "My favourite film is Alien", where the words before "is" name the attribute."""
    for match in spoken.own_words.finditer(sentence):
        if not spoken.hedge.search(_before(sentence, match, spoken) + match[0]):
            attribute = re.sub(r"\s+", "_", match["a"].lower()).replace("favorite", "favourite")
            wording = Wording(re.sub(r"^fav_", "favourite_", attribute), spoken.own_words)
            yield WordingMatch(wording, match["v"].strip(), match[0], _clause(sentence, match, spoken), sentence)


def _is_own(sentence: str, match: re.Match[str], stance: Stance, spoken: Wordings) -> bool:
    """Whether the speaker means the words as true of the speaker: not a wish, not a condition, not about others.

    Offers are exempt.
    """
    if stance is Stance.OFFERED:
        return True
    before_in_clause = _before(sentence, match, spoken)
    if spoken.hedge.search(before_in_clause + match[0]) or spoken.negation.search(before_in_clause):
        return False
    if spoken.self.match(match[0].lstrip(_OPENING)) or _TO_ME.search(match[0]):
        return True
    before = sentence[: match.start()].rpartition(": ")[2]
    others = _last(spoken.others, before)
    return others < 0 or others < _last(spoken.self, before)


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


def _before(sentence: str, match: re.Match[str], spoken: Wordings) -> str:
    """The part of the clause before the match."""
    start = match.end() - len(match[0].lstrip(_OPENING))
    boundaries = [end.end() for end in spoken.clause.finditer(sentence) if end.end() <= start]
    return sentence[boundaries[-1] if boundaries else 0 : start]


def _clause(sentence: str, match: re.Match[str], spoken: Wordings) -> str:
    """The clause that contains the match, to its end."""
    end = spoken.clause.search(sentence, match.end())
    start = match.end() - len(match[0].lstrip(_OPENING))
    return _before(sentence, match, spoken) + sentence[start : end.start() if end else None]


def _most_telling(matches: Sequence[WordingMatch]) -> list[WordingMatch]:
    """The longest of overlapping values. Of equal values the planned one, which says more."""
    kept: list[WordingMatch] = []
    for match in sorted(matches, key=_tellingness):
        words = key(match.wording.attribute, match.value)
        covered = any(
            one.wording.attribute == match.wording.attribute
            and _outweighs(one.wording.stance, match.wording.stance)
            and words <= key(one.wording.attribute, one.value)
            for one in kept
        )
        if not covered:
            kept.append(match)
    return kept


def _outweighs(one: Stance, other: Stance) -> bool:
    """Whether one match makes the other redundant: a value that is on offer does not hold as well."""
    return one is other or (one is Stance.OFFERED and other is Stance.HOLDS)


def _tellingness(match: WordingMatch) -> tuple[int, bool, bool, bool]:
    return -len(match.value), match.wording.stance is not Stance.OFFERED, not match.wording.planned, not match.length
