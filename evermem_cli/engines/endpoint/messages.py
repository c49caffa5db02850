"""The messages to and from a server: a request as JSON, and a reply from its pieces."""

from dataclasses import dataclass, field, replace
from typing import Any

from evermem_cli.engines import Completion, Request
from evermem_cli.engines.endpoint.connection import IN_V1
from evermem_cli.engines.endpoint.json_reply import unwrapped
from evermem_cli.engines.endpoint.reply import matching, without_marks, without_thoughts
from evermem_cli.errors import ModelError
from evermem_cli.terminal.visible import whole

SEED = 0
_CUT = "length"
_ENDED = ("stop", "eos", "end_turn")


def body(model: str, request: Request, *, stream: bool) -> dict[str, Any]:
    """A request in OpenAI's protocol, for the likeliest reply and the same one each time."""
    texts = {"system": request.system, "user": request.user}
    sent: dict[str, Any] = {
        "model": model,
        "messages": [{"role": role, "content": without_marks(whole(text))} for role, text in texts.items()],
        "max_tokens": request.max_tokens,
        "temperature": 0,
        "seed": SEED,
        "stream": stream,
    }
    return sent | ({"stream_options": {"include_usage": True}} if stream else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialReply:
    """A reply so far: its text, the model's thoughts before it, the reason why it ended, and its cost."""

    written: str = ""
    thought: bool = False
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    def then(self, document: Any) -> "PartialReply":
        """The reply with the content of a document, a whole reply or a piece. Raises ModelError if it is neither."""
        if not isinstance(document, dict) or not isinstance(document.get("choices"), list):
            raise ModelError("the server did not answer with a chat completion", IN_V1)
        usage = document.get("usage") or self.usage
        if not document["choices"]:
            return replace(self, usage=usage)
        choice = document["choices"][0]
        message = choice.get("message") or choice.get("delta") or {}
        return replace(
            self,
            written=self.written + (message.get("content") or ""),
            thought=self.thought or bool(message.get("reasoning_content") or message.get("reasoning")),
            finish=choice.get("finish_reason") or self.finish,
            usage=usage,
        )

    @property
    def text(self) -> str:
        """The reply without thoughts; empty while it may turn out to be a thought."""
        if "<think>".startswith(self.written.strip()[: len("<think>")]):
            return "" if "</think>" not in self.written else whole(without_thoughts(self.written)).lstrip()
        return whole(self.written).lstrip()

    @property
    def is_thought_alone(self) -> bool:
        """Whether thinking has used up all tokens of the reply."""
        return self.finish == _CUT and not self.text and (self.thought or "<think>" in self.written)

    def completion(self, request: Request) -> Completion:
        """The reply; empty if it does not match its pattern."""
        text = self.text if request.pattern is None else matching(unwrapped(self.text), request.pattern)
        details = self.usage.get("prompt_tokens_details") or {}
        return Completion(
            text=text,
            complete=self.finish in _ENDED and (bool(text) or request.pattern is None),
            prompt_tokens=self.usage.get("prompt_tokens") or 0,
            cached_tokens=details.get("cached_tokens") or 0,
            output_tokens=self.usage.get("completion_tokens") or 0,
        )
