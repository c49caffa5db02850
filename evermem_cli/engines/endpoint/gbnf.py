"""Regular expressions in the grammar format of llama.cpp (GBNF), as far as the patterns of requests need it."""

import re

_TOKEN = re.compile(
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
    for token in _TOKEN.finditer(pattern):
        symbol = _symbol(token)
        repeats_again = token["repeat"] and (
            not symbols or symbols[-1][-1] in "?*+}(|"
        )  # a lazy or possessive quantifier
        if symbol is None or repeats_again:
            return None
        symbols.append(symbol)
    return f"root ::= {' '.join(symbols)}\n"


def _symbol(token: re.Match[str]) -> str | None:
    kind = token.lastgroup or ""
    match kind:
        case "group":
            return "("
        case "class":
            return _class(token[0])
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
    character = _meant(letter)
    return None if character is None else _literal(character)


def _literal(character: str) -> str:
    return f'"{_IN_LITERALS.get(character, character)}"'


def _class(text: str) -> str | None:
    """A class of characters, with llama.cpp's escapes."""
    start = "[^" if text.startswith("[^") else "["
    parts = []
    for part in _CLASS_PART.finditer(text[len(start) : -1]):
        plain = part["plain"] or _meant(part["escaped"])
        if part["escaped"] == "d":
            parts.append(_DIGIT)
        elif plain is None:
            return None
        else:
            parts.append(plain if part["plain"] == "-" else _IN_CLASSES.get(plain, plain))
    return f"{start}{''.join(parts)}]"


def _meant(letter: str) -> str | None:
    """The character that an escape means; None if it means several."""
    return _CONTROLS.get(letter, None if letter.isalnum() and letter.isascii() else letter)
