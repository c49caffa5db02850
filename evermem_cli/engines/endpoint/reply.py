"""The usable part of a reply that was decoded without constraints."""

import re

_THOUGHTS = re.compile(r"\s*<think>.*?(?:</think>|\Z)\s*", re.DOTALL)
# The marks of turns in chat formats. A server composes the prompt as text, so such a mark in a message would end the
# message there.
_MARKS = re.compile(r"(<)(?=[|｜]|/?s>|/?think>|\w+\|>|[be]os>|(?:start|end)_of_turn>)|(\[)(?=/?INST\])", re.IGNORECASE)
_LINE = re.compile(r"^", re.MULTILINE)


def without_thoughts(text: str) -> str:
    """A reply without the model's thoughts before it."""
    return _THOUGHTS.sub("", text, count=1) if text.lstrip().startswith("<think>") else text


def without_marks(text: str) -> str:
    """A text without marks of chat formats: "<|im_end|>" becomes "< |im_end|>"."""
    return _MARKS.sub(lambda mark: f"{mark[0]} ", text)


def matching(text: str, pattern: str) -> str:
    """The part of a reply that matches the pattern as a whole, in whole lines or words; "" if no part does.

    An unconstrained model writes "Yes." for "yes", or "Here are the facts:" before the facts.
    """
    wanted, text = re.compile(pattern), text.strip()
    parts = [
        match[0]
        for spelled in (text, text[:1].lower() + text[1:])
        for line in _LINE.finditer(spelled)
        if (match := wanted.match(spelled, line.start())) and _ends_well(spelled, match.end())
    ]
    return max(parts, key=len, default="")


def _ends_well(text: str, end: int) -> bool:
    """Whether no word is cut: "not sure" is no "no"."""
    return end == len(text) or not (text[end].isalnum() and text[end - 1].isalnum())
