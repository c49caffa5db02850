"""A small parser for tables of phrase patterns: tokens in, values out. It knows no language.

A pattern is a row of elements separated by blanks. Each matches one token or one nested phrase:

    last|past      the word "last" or "past"                     matched, not passed on
    the?           an optional word
    UNIT           a token with the label UNIT                   its value is passed on
    YEAR?          an optional one, None where it is missing
    TIME           a nested phrase of that kind                  its value is passed on

A rule is a pattern and a function that takes the context and the values passed on. None or a ValueError means the rule
does not apply. `NoSuchDayError` means that nothing in these words is a time: "February 30" names no February either. Of
several readings the longest wins, then the earlier rule.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

# Phrases within phrases; figures without an end ("1-2-3-4-…") would be one chain, for which Python has no room.
MOST_NESTED = 40
MOST_DIGITS = 9  # digits of a number that counts or names a time; Python reads at most 4,300


def words(text: str) -> tuple[str, ...]:
    """A list of words written as a line of text."""
    return tuple(text.split())


def labelled(tables: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    """The labels of each word, from tables of words by label."""
    labels: dict[str, dict[str, object]] = {}
    for label, table in tables.items():
        for word, value in table.items():
            labels.setdefault(word, {})[label] = value
    return labels


class NoSuchDayError(ValueError):
    """The day that a phrase names does not exist."""


Rule = tuple[str, Callable[..., Any]]
Needs = tuple[frozenset[str], ...]  # for each element that is not optional, the words and labels it can begin with
Index = dict[str, list[tuple[int, "Pattern", Needs]]]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign: `word` is casefolded, `labels` what it can stand for."""

    word: str
    start: int
    end: int
    labels: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a pattern: literal `words`, or the name of a label or nested phrase."""

    words: frozenset[str]
    name: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled rule."""

    elements: tuple[Element, ...]
    meaning: Callable[..., Any]

    def openings(self) -> Iterator[str]:
        """The words, labels and phrase kinds that the pattern can begin with."""
        for element in self.elements:
            yield from element.words or (element.name,)
            if not element.optional:
                return


def compile_rule(rule: Rule) -> Pattern:
    text, meaning = rule
    elements = []
    for piece in text.split():
        optional = len(piece) > 1 and piece.endswith("?")
        piece = piece.removesuffix("?") if optional else piece
        is_name = piece.isupper() and piece.isascii()
        elements.append(
            Element(frozenset() if is_name else frozenset(piece.split("|")), piece if is_name else "", optional)
        )
    return Pattern(tuple(elements), meaning)


class Grammar:
    """Phrase kinds and their rules. `tails` are rules that extend a finished phrase of a kind.

    The tables are compiled on first use, so importing a grammar costs nothing.
    """

    def __init__(self, kinds: Mapping[str, Sequence[Rule]], tails: Mapping[str, Sequence[Rule]]) -> None:
        self._kinds, self._tails = kinds, tails
        self._phrase_begins: dict[str, frozenset[str]] = {}

    @cached_property
    def _patterns(self) -> dict[str, list[Pattern]]:
        return {kind: [compile_rule(rule) for rule in rules] for kind, rules in self._kinds.items()}

    @cached_property
    def _starts(self) -> dict[str, Index]:
        return {kind: self._index(patterns) for kind, patterns in self._patterns.items()}

    @cached_property
    def _continuations(self) -> dict[str, Index]:
        return {kind: self._index([compile_rule(rule) for rule in rules]) for kind, rules in self._tails.items()}

    def _index(self, patterns: Sequence[Pattern]) -> Index:
        """Patterns by the words and labels that they can begin with, each with its rank in the table and its needs."""
        index: Index = {}
        for rank, pattern in enumerate(patterns):
            needs = tuple(self._begins(element) for element in pattern.elements if not element.optional)
            for opening in self._openings(pattern, frozenset()):
                index.setdefault(opening, []).append((rank, pattern, needs))
        return index

    def _begins(self, element: Element) -> frozenset[str]:
        """The words and labels that an element can begin with."""
        if element.words or element.name not in self._kinds:
            return element.words or frozenset([element.name])
        if element.name not in self._phrase_begins:
            within = frozenset([element.name])
            starts = set[str]().union(*(self._openings(nested, within) for nested in self._patterns[element.name]))
            self._phrase_begins[element.name] = frozenset(starts)
        return self._phrase_begins[element.name]

    def _openings(self, pattern: Pattern, within: frozenset[str]) -> set[str]:
        """The words and labels that a pattern can begin with; for a nested phrase, those of its own patterns."""
        starts: set[str] = set()
        for opening in pattern.openings():
            if opening not in self._kinds:
                starts.add(opening)
            elif opening not in within:
                for nested in self._patterns[opening]:
                    starts |= self._openings(nested, within | {opening})
        return starts

    def has(self, kind: str) -> bool:
        """Whether `kind` is a phrase kind, and not a label of tokens."""
        return kind in self._kinds

    def parse(self, tokens: Sequence[Token], context: Any) -> "Parse":
        return Parse(self, tokens, context)

    def candidates(self, kind: str, token: Token, present: Set[str], tail: bool = False) -> list[Pattern]:
        """The rules that can begin at `token`, in table order, in a text with these words and labels."""
        index = self._continuations.get(kind, {}) if tail else self._starts[kind]
        by_rank = {
            rank: pattern
            for key in (token.word, *token.labels)
            for rank, pattern, needs in index.get(key, ())
            if not any(map(present.isdisjoint, needs))
        }
        return [by_rank[rank] for rank in sorted(by_rank)]


class Parse:
    """The phrases of one text, parsed on demand and memoised."""

    def __init__(self, grammar: Grammar, tokens: Sequence[Token], context: Any) -> None:
        self.grammar, self.tokens, self.context = grammar, tokens, context
        self._present = {word for token in tokens for word in (token.word, *token.labels)}
        self.void: dict[int, int] = {}  # the token after the longest day that does not exist, by its first token
        self._seen: dict[tuple[str, int], dict[int, Any]] = {}
        self._nested = 0

    def phrases(self, kind: str, at: int) -> dict[int, Any]:
        """The phrases of a kind that begin at token `at`: values by the index of the token after them."""
        key = (kind, at)
        if key not in self._seen:
            if self._nested == MOST_NESTED:
                return {}
            self._nested += 1
            self._seen[key] = {}  # a phrase cannot begin with itself
            values: dict[int, Any] = {}
            if at < len(self.tokens):
                self._apply(self.grammar.candidates(kind, self.tokens[at], self._present), at, (), values, at)
                self._grow(kind, values, at)
            self._seen[key] = values
            self._nested -= 1
        return self._seen[key]

    def _grow(self, kind: str, values: dict[int, Any], begin: int) -> None:
        """Adds to the values what the tail rules make of the phrases found at `begin`."""
        pending = list(values)
        while pending:
            end = pending.pop()
            if end < len(self.tokens):
                more: dict[int, Any] = {}
                patterns = self.grammar.candidates(kind, self.tokens[end], self._present, tail=True)
                self._apply(patterns, end, (values[end],), more, begin)
                pending += [reached for reached in more if reached not in values]
                values.update({reached: value for reached, value in more.items() if reached not in values})

    def _apply(
        self, patterns: list[Pattern], at: int, given: tuple[Any, ...], results: dict[int, Any], begin: int
    ) -> None:
        for pattern in patterns:
            for end, values in self._match(pattern.elements, at, given):
                if end not in results and end > at:
                    try:
                        value = self._mean(pattern, values)
                    except NoSuchDayError:
                        self.void[begin] = max(end, self.void.get(begin, 0))
                        continue
                    if value is not None:
                        results[end] = value

    def _mean(self, pattern: Pattern, values: tuple[Any, ...]) -> Any:
        try:
            return pattern.meaning(self.context, *values)
        except NoSuchDayError:
            raise
        except (ValueError, OverflowError):  # no such time: the year 12000
            return None

    def _match(
        self, elements: tuple[Element, ...], at: int, values: tuple[Any, ...]
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        if not elements:
            yield at, values
            return
        element, rest = elements[0], elements[1:]
        for end, value in self._ways(element, at):
            yield from self._match(rest, end, values if element.words else (*values, value))
        if element.optional:
            yield from self._match(rest, at, values if element.words else (*values, None))

    def _ways(self, element: Element, at: int) -> list[tuple[int, Any]]:
        """The ways in which one element matches at a token: the index after it and the value."""
        if at >= len(self.tokens):
            return []
        token = self.tokens[at]
        if element.words:
            return [(at + 1, None)] if token.word in element.words else []
        if self.grammar.has(element.name):
            return sorted(self.phrases(element.name, at).items(), reverse=True)
        return [(at + 1, token.labels[element.name])] if element.name in token.labels else []
