"""What of a reply counts that nothing has constrained while it was decoded."""

import re

_THOUGHTS = re.compile(r"\s*<think>.*?(?:</think>|\Z)\s*", re.DOTALL)
# What chat formats mark turns with. A server puts a prompt together as text, so one that is spelled in a message would
# end the message there.
_MARKS = re.compile(r"(<)(?=\||/?s>|/?think>|(?:start|end)_of_turn>)|(\[)(?=/?INST\])", re.IGNORECASE)
_LINE = re.compile(r"^", re.MULTILINE)


def without_thoughts(text: str) -> str:
    """A reply without what a model thought before it."""
    return _THOUGHTS.sub("", text, count=1) if text.lstrip().startswith("<think>") else text


def without_marks(text: str) -> str:
    """A text in which no mark of a chat format is spelled: "<|im_end|>" becomes "< |im_end|>"."""
    return _MARKS.sub(lambda mark: f"{mark[0]} ", text)


def matching(text: str, pattern: str) -> str:
    """The part of a reply that matches the pattern as a whole, in whole lines or words; "" where none does.

    A model that is not constrained says "Yes." for yes, or "Here are the facts:" before them.
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
