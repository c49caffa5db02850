"""Replies in JSON, for servers that enforce no pattern but a JSON schema: an object whose one property is the reply."""

import json
import re
from typing import Any

from evermem_cli.engines import Request
from evermem_cli.engines.endpoint.gbnf import TOKEN, cannot_repeat, meant, written_class

_REPLY = "reply"
_AROUND = 32  # tokens that the object takes beside the reply, rather too many
_IN_STRINGS = '"\\'  # what no reply may have: see `_portable`
# Characters that mean something in patterns, and how llama.cpp takes them as they are: it does not know "\." either.
_SPELLED = {character: f"[{character}]" for character in "$.(){}|*+?"} | {
    "^": r"[\x5E]",
    "[": r"[\[]",
    "]": r"[\]]",
    "\n": r"\n",
}
_NO_STRING_END = r'[^\n"\\]'


def json_fields(request: Request) -> dict[str, Any]:
    """The fields that ask for a reply in JSON which matches the pattern; none if the pattern cannot be expressed."""
    pattern = _portable(request.pattern) if request.pattern else None
    if pattern is None:
        return {}
    schema = {
        "type": "object",
        "properties": {_REPLY: {"type": "string", "pattern": f"^({pattern})$"}},
        "required": [_REPLY],
        "additionalProperties": False,
    }
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": _REPLY, "strict": True, "schema": schema}},
        "max_tokens": request.max_tokens + _AROUND,
    }


def unwrapped(text: str) -> str:
    """The reply in a text of JSON, which may be cut off; any other text as it is."""
    for end in ("", '"}', "}"):
        try:
            document = json.loads(text + end, strict=False)  # such servers write line ends as they are
        except ValueError:
            continue
        reply = document.get(_REPLY) if isinstance(document, dict) else None
        return reply if isinstance(reply, str) else text
    return text


def _portable(pattern: str) -> str | None:
    """The pattern as Ollama and LM Studio read it; None if they cannot.

    Both give it to llama.cpp, which turns it into a grammar of the JSON text. That has three effects. The text within
    the quotes matches the pattern without JSON's escapes, so a quote or a backslash would end or damage it. "(?:" once
    ended Ollama (its issue 10591). An escape that the grammar does not know, as "\\d", drops the whole constraint.
    """
    symbols: list[str] = []
    for token in TOKEN.finditer(pattern):
        symbol = _symbol(token)
        if symbol is None or (token["repeat"] and cannot_repeat(symbols)):
            return None
        if token["repeat"] and symbols[-1][-1] not in ")]":
            symbols[-1] = f"({symbols[-1]})"  # a character may have several bytes
        symbols.append(symbol)
    return "".join(symbols)


def _symbol(token: re.Match[str]) -> str | None:
    match token.lastgroup:
        case "group":
            return "("
        case "class":
            return _class(token[0])
        case "repeat" | "bar":
            return token[0]
        case "any":
            return _NO_STRING_END
        case "escaped":
            return "[0-9]" if token["escaped"] == "d" else _literal(meant(token["escaped"]))
        case "literal":
            return _literal(token[0])
    return None


def _class(text: str) -> str | None:
    written = written_class(text)
    if written is None or not written.startswith("[^"):
        return None if any(re.fullmatch(text, character) for character in _IN_STRINGS) else written
    return f'{written[:-1]}"\\\\]'


def _literal(character: str | None) -> str | None:
    if character is None or character in _IN_STRINGS:
        return None
    return _SPELLED.get(character, character)
