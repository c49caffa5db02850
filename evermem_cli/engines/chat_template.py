"""Chat templates: a system and a user text become a prompt in the model's own chat format."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from evermem_cli.engines.gguf import Gguf
from evermem_cli.errors import ModelError

# Placeholders for the texts while the template is rendered, so that no text is taken for a part of the template.
SYSTEM, USER = "{{system text}}", "{{user text}}"


class Prompt(NamedTuple):
    """What the model reads before it replies; `opening` tokens come before the user's text."""

    tokens: list[int]
    opening: int


class ChatTemplate:
    """A model's template, rendered once and tokenized; prompts are composed of its tokens and those of the texts.

    Raises ModelError when the model has no template (it would continue a text instead of following an instruction) or
    one that takes no user text.
    """

    def __init__(self, model: Gguf) -> None:
        self._model = model
        parts = re.split(f"({re.escape(SYSTEM)}|{re.escape(USER)})", render_placeholders(model.render_chat))
        self._parts = [part if part in (SYSTEM, USER) else model.tokenize(part, special=True) for part in parts]
        if model.begin_token is not None and self._parts[0][:1] != [model.begin_token]:
            self._parts.insert(0, [model.begin_token])

    def prompt(self, system: str, user: str) -> Prompt:
        """The conversation up to where the reply begins. A control token spelled in a text stays text."""
        texts = {SYSTEM: system, USER: user}
        tokens: list[int] = []
        opening = 0
        for part in self._parts:
            opening = len(tokens) if part == USER else opening
            tokens += self._model.tokenize(texts[part]) if isinstance(part, str) else part
        return Prompt(tokens, opening)


def render_placeholders(render: Callable[[Sequence[dict[str, str]]], str]) -> str:
    """A conversation of SYSTEM and USER; a template without a place for a system text gets one text of both."""
    conversations = (
        [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}],
        [{"role": "user", "content": f"{SYSTEM}\n\n{USER}"}],
    )
    for messages in conversations:
        try:
            rendered = render(messages)
        except ValueError:
            continue
        if rendered.count(SYSTEM) == rendered.count(USER) == 1:
            return rendered
    raise ModelError("the model's chat template takes no user text", "name another model")
