"""The text of a Slack message: `<@U1> ship &amp; tag <https://x.y|v2>`, or the same as blocks of rich text."""

import re
from collections.abc import Mapping
from typing import Any

from rich.emoji import Emoji

MAX_DEPTH = 20  # maximum nesting of lists and quotes in blocks

_MARKUP = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def decoded(text: str, names: Mapping[str, str]) -> str:
    """`text` with the `names` of ids, full links, and characters for entities."""

    def shown(match: re.Match[str]) -> str:
        sign, target, label = match[1], match[2], match[3]
        if sign in ("@", "#"):
            return sign + (names.get(target) or label or target)
        if sign == "!":
            return label or "@" + target.partition("^")[0]
        target = target.removeprefix("mailto:")
        return f"{label} ({target})" if label and label != target else target

    text = _MARKUP.sub(shown, text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def rendered(blocks: object, names: Mapping[str, str]) -> str:
    """The text of the rich text among `blocks`; "" if there is none."""
    rich = [block for block in _objects(blocks) if block.get("type") == "rich_text"]
    return "\n".join(filter(None, (_element(block, names, 0).strip("\n") for block in rich)))


def _element(element: Mapping[str, Any], names: Mapping[str, str], depth: int) -> str:
    if "elements" in element:
        if depth > MAX_DEPTH:
            return ""
        parts = [_element(part, names, depth + 1) for part in _objects(element["elements"])]
        return ("\n" if element.get("type") in ("rich_text", "rich_text_list") else "").join(parts)
    return _leaf(element, names)


def _leaf(element: Mapping[str, Any], names: Mapping[str, str]) -> str:
    def of(key: str) -> str:
        return str(element.get(key) or "")

    match element.get("type"):
        case "user":
            return "@" + names.get(of("user_id"), of("user_id"))
        case "channel":
            return "#" + names.get(of("channel_id"), of("channel_id"))
        case "link":
            return f"{of('text')} ({of('url')})" if of("text") and of("text") != of("url") else of("url")
        case "emoji":
            return Emoji.replace(f":{of('name')}:")
        case "broadcast":
            return "@" + of("range")
        case _:
            return of("text")


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
