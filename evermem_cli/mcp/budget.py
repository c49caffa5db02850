"""The token limit of a result: what does not fit is dropped from the end, and the result says so."""

import json
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from evermem_cli.cli.presentation.documents import Document

# Tokenizers average four letters per token in English, and one digit, mark or Chinese character: in JSON with ids and
# times, a token is two characters.
LETTERS_PER_TOKEN = 4
SHORTEST_TEXT = 80  # characters that are left of a shortened text, at least
CUT = " […]"
WHOLE = "hint"  # the end of the keys of texts that are of use only as a whole
HINT = "raise max_tokens, ask for fewer, or fetch one by its id"


def tokens(value: Any) -> int:
    """An upper estimate of the tokens of a value as JSON."""
    text = rendered(value)
    letters = sum(character.isascii() and (character.isalpha() or character == " ") for character in text)
    return len(text) - letters + -(-letters // LETTERS_PER_TOKEN)


def rendered(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fit(document: Document, most: int) -> Document:
    """The document in at most `most` tokens. "cut" counts the entries left out of each list and the shortened texts.

    What is null inside the document goes first. Entries are dropped from the end of the longest lists, then ids, then
    the longest texts are shortened, but no hints. The single entries that remain in lists are dropped last, those of
    the last list first.
    """
    if tokens(document) <= most:
        return document
    kept = deepcopy(document)
    _drop_nulls(kept)
    if tokens(kept) <= most:
        return kept
    left_out: Counter[str] = Counter(kept.pop("cut", {}).get("left_out"))
    shortened = 0

    def over() -> int:
        return tokens(_noted(kept, left_out, shortened)) - most

    _shorten_lists(kept, over, left_out, of=dict)
    _shorten_lists(kept, over, left_out, of=str)
    shortened = _shorten_texts(kept, over)
    _empty_lists(kept, over, left_out)
    return _noted(kept, left_out, shortened)


def filled(made: Callable[[int], Document], count: int, most: int) -> Document:
    """The document with as many entries as fit into `most` tokens, at least one, and how many of `count` it leaves out.

    `made` returns the document with this many of its entries, and is longer the more it has.
    """
    if count < most and tokens(whole := made(count)) <= most:
        return whole

    def cut(entries: int) -> Document:
        return _noted(made(entries), {"entries": count - entries}, 0)

    return cut(max(1, bisect(range(1, min(count, most)), most, key=lambda entries: tokens(cut(entries)))))


def _noted(document: Document, left_out: Mapping[str, int], shortened: int) -> Document:
    return document | {"cut": {"left_out": dict(left_out), "shortened_texts": shortened, "hint": HINT}}


def _drop_nulls(kept: Document) -> None:
    """Drops what is null inside the document; its own keys are promised by its schema."""
    for value in kept.values():
        _drop_nulls_of(value)


def _drop_nulls_of(value: Any) -> None:
    if isinstance(value, dict):
        for key in [key for key, item in value.items() if item is None]:
            del value[key]
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _drop_nulls_of(item)


def _shorten_lists(kept: Document, over: Callable[[], int], left_out: Counter[str], *, of: type) -> None:
    """Drops entries of this type from the ends of the longest lists, down to one each, until the document fits."""
    while (excess := over()) > 0:
        several = [(name, entries) for name, entries in _lists(kept, of) if len(entries) > 1]
        if not several:
            return
        name, entries = max(several, key=lambda pair: tokens(pair[1]))
        while len(entries) > 1 and excess > 0:
            excess -= tokens(entries.pop())
            left_out[name] += 1


def _empty_lists(kept: Document, over: Callable[[], int], left_out: Counter[str]) -> None:
    """Drops the single entries of lists, from the last list on, until the document fits."""
    while over() > 0 and (lists := [*_lists(kept, dict)]):
        name, entries = lists[-1]
        left_out[name] += len(entries)
        entries.clear()


def _lists(value: Any, of: type, name: str = "") -> Iterator[tuple[str, list[Any]]]:
    """The lists in a value that have an entry of this type, with their names."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _lists(item, of, key)
    elif isinstance(value, list):
        if any(isinstance(item, of) for item in value):
            yield name, value
        for item in value:
            yield from _lists(item, of, name)


def _shorten_texts(kept: Document, over: Callable[[], int]) -> int:
    """Halves the longest texts until the document fits; returns how many were shortened."""
    shortened: set[tuple[int, object]] = set()
    while over() > 0:
        holder, key = max(_texts(kept), key=lambda place: len(place[0][place[1]]), default=(None, None))
        if holder is None or len(holder[key]) <= SHORTEST_TEXT:
            break
        text = holder[key].removesuffix(CUT)
        holder[key] = text[: max(len(text) // 2, SHORTEST_TEXT - len(CUT))] + CUT
        shortened.add((id(holder), key))
    return len(shortened)


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """The places of all texts in a value that may be shortened: the container and the key."""
    places = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in places:
        if isinstance(item, str) and not str(key).endswith(WHOLE):
            yield value, key
        else:
            yield from _texts(item)
