"""Regular expressions in the grammar format of llama.cpp (GBNF), as far as the patterns of requests need it."""

import re
from collections.abc import Sequence

# The parts of a pattern, each in the group of its kind.
TOKEN = re.compile(
    r"(?P<group>\(\?:)|(?P<class>\[\^?(?:\\.|[^\]\\])+\])|(?P<repeat>[?*+]|\{\d+(?:,\d*)?\})|(?P<bar>[()|])"
    r"|\\(?P<escaped>.)|(?P<unknown>[\^$])|(?P<any>\.)|(?P<literal>.)",
    re.DOTALL,
)
_CLASS_PART = re.compile(r"\\(?P<escaped>.)|(?P<plain>.)", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_IN_LITERALS = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\", '"': r"\""}
_IN_CLASSES = _IN_LITERALS | {"[": r"\[", "]": r"\]", "-": r"\x2D"}  # a bare hyphen means a range
_DIGIT = "0-9"


def grammar(pattern: str) -> str | None:
    """A grammar for the texts that match `pattern`; None if GBNF cannot express the pattern, as with look-around."""
    symbols: list[str] = []
    for token in TOKEN.finditer(pattern):
        symbol = _symbol(token)
        if symbol is None or (token["repeat"] and cannot_repeat(symbols)):
            return None
        symbols.append(symbol)
    return f"root ::= {' '.join(symbols)}\n"


def cannot_repeat(symbols: Sequence[str]) -> bool:
    """Whether a quantifier after these symbols is lazy or possessive, or part of a look-around."""
    return not symbols or symbols[-1][-1] in "?*+}(|"


def _symbol(token: re.Match[str]) -> str | None:
    kind = token.lastgroup or ""
    match kind:
        case "group":
            return "("
        case "class":
            return written_class(token[0])
        case "repeat" | "bar":
            return token[0]
        case "escaped":
            return _escaped(token["escaped"])
        case "any":
            return r"[^\n]"
        case "literal":
            return _literal(token[0])
    return None


def _escaped(letter: str) -> str | None:
    if letter == "d":
        return f"[{_DIGIT}]"
    character = meant(letter)
    return None if character is None else _literal(character)


def _literal(character: str) -> str:
    return f'"{_IN_LITERALS.get(character, character)}"'


def written_class(text: str) -> str | None:
    """A class of characters, with llama.cpp's escapes."""
    start = "[^" if text.startswith("[^") else "["
    parts = []
    spelled = text[len(start) : -1]
    for part in _CLASS_PART.finditer(spelled):
        is_range = part["plain"] == "-" and 0 < part.start() < len(spelled) - 1
        plain = part["plain"] or meant(part["escaped"])
        if part["escaped"] == "d":
            parts.append(_DIGIT)
        elif plain is None:
            return None
        else:
            parts.append(plain if is_range else _IN_CLASSES.get(plain, plain))
    return f"{start}{''.join(parts)}]"


def meant(letter: str) -> str | None:
    """The character that an escape means; None if it means several."""
    return _CONTROLS.get(letter, None if letter.isalnum() and letter.isascii() else letter)
