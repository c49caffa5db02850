"""Speakers: which labels mean the user, an assistant or neither, and what kind of chat results."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from evermem_cli.memory import UNNAMED, ChatKind, Role

_ONESELF = frozenset({"me", "myself", "我"})
_USER = frozenset({"user", "human", "you", "prompter", "用户", "你"}) | _ONESELF
_ASSISTANT = frozenset({"assistant", "ai", "ai assistant", "bot", "chatbot", "model", "gpt", "助手", "ai助手"})
# Gemma without a number is a person.
_MODEL = re.compile(
    r"(?:chatgpt|gpt|claude|gemini|gemma(?=[ -]?\d)|copilot|bard|bing|llama|mistral|mixtral|deepseek|grok|"
    r"perplexity|qwen|kimi|phi)"
    r"(?:\d[\w.]*)?"
    r"(?:[ -](?:[a-z]?\d[\w.]*|opus|sonnet|haiku|pro|flash|mini|nano|ultra|turbo|large|coder|instruct|chat|code|ai))*"
)
# Roles whose messages are technical and no conversation.
_MACHINERY = frozenset(
    {"system", "developer", "tool", "function", "function_call", "observation", "ipython", "environment", "系统"}
)


class Part(NamedTuple):
    """A speaker's display name and role, and whether the label only says that this is the user."""

    name: str
    role: Role
    unnamed: bool


def _key(label: str) -> str:
    """`label` in lower case, without decoration ("🤖 Assistant") and the "said" of copied chat pages."""
    word = "".join(char for char in label if char.isalnum() or char in " ._-").strip().casefold()
    return word.removesuffix(" said")


@lru_cache(maxsize=1024)
def role_of(label: str) -> Role | None:
    """The role that `label` itself states, as "You" or "ChatGPT"; None for a name or a technical role."""
    key = _key(label)
    if key in _USER:
        return Role.USER
    return Role.ASSISTANT if key in _ASSISTANT or _MODEL.fullmatch(key) else None


def names_oneself(label: str) -> bool:
    """Whether `label` is the user's own word, as "Me", and not that of a program or an assistant."""
    return _key(label) in _ONESELF


@lru_cache(maxsize=1024)
def is_machinery(label: str) -> bool:
    """Whether `label` is a system or tool role, whose messages are left out."""
    return _key(label) in _MACHINERY


def is_role(label: str) -> bool:
    """Whether `label` is a role and therefore certainly a speaker."""
    return role_of(label) is not None or is_machinery(label)


def cast(labels: Iterable[tuple[str, Role | None]], me: str, kind: ChatKind | None) -> tuple[ChatKind, list[Part]]:
    """The kind of a chat and the part of each speaker, given as (label, role stated beside it).

    Without a stated `kind` it is ASSISTANT if exactly one human takes part, who is called by a role or talks to an
    assistant; else GROUP. The user's generic labels become `me`, or UNNAMED if that is "".
    """
    labels = list(labels)
    stated = [role or role_of(label) for label, role in labels]
    unnamed = [role is Role.USER and _key(label) in _USER for (label, _), role in zip(labels, stated, strict=True)]
    names = [
        me if me and generic else _display(label, role)
        for (label, _), role, generic in zip(labels, stated, unnamed, strict=True)
    ]
    humans = {name for name, role in zip(names, stated, strict=True) if role is not Role.ASSISTANT}
    if kind is None:
        alone = len(humans) <= 1 and any(role is not None for role in stated)
        kind = ChatKind.ASSISTANT if alone else ChatKind.GROUP
    roles = [_role(label, role, kind) for (label, _), role in zip(labels, stated, strict=True)]
    return kind, [Part(*part) for part in zip(names, roles, unnamed, strict=True)]


def _display(label: str, role: Role | None) -> str:
    label = label.removesuffix(" said")
    key = _key(label)
    if role is Role.USER and key in _USER and key.isascii():
        return UNNAMED
    if role is Role.ASSISTANT and key in _ASSISTANT and key.isascii():
        return "Assistant" if key != "ai assistant" else label
    return label


def _role(label: str, stated: Role | None, kind: ChatKind) -> Role:
    if stated is Role.ASSISTANT:
        return Role.ASSISTANT
    if kind is ChatKind.ASSISTANT or role_of(label) is Role.USER:
        return Role.USER
    return Role.PARTICIPANT
