"""The known kinds of server: how each is recognised, and the fields that it accepts beyond OpenAI's protocol."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evermem_cli.engines import Request
from evermem_cli.engines.endpoint.gbnf import grammar
from evermem_cli.engines.endpoint.json_reply import json_fields

Fields = Mapping[str, Any]
Get = Callable[[str], Any]  # the JSON document at a path below the server's root; None if there is none

_NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}
# A reply is to be the likeliest one. llama-cpp-python and LM Studio penalise repeated words unless told otherwise, vLLM
# does where the model's publisher suggests it: an answer that repeats a name of its passages would be altered.
_NO_PENALTY = {"repeat_penalty": 1.0}
_NO_PENALTY_OF_VLLM = {"repetition_penalty": 1.0}
_ENFORCED = "enforced while decoding"
_AS_JSON = "asked for as a JSON schema, and checked afterwards"
OLLAMA_CONTEXT = 4096  # tokens; Ollama's default for a model. It cuts longer prompts silently
_ENGLISH = re.compile("[A-Za-z]+")
_MARKS = re.compile(r"[\x21-\x40\x5b-\x60\x7b-\x7e\n]")
_ASCII = re.compile(r"[\x00-\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """How a server counts tokens: the path, the request (of model and text), and the number in the reply."""

    path: str
    body: Callable[[str, str], Fields]
    read: Callable[[Any], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerKind:
    """A kind of server.

    `owner` is the owner of its models as the server lists them. `always` are fields of every request, `constrain` makes
    the fields for a request with a pattern, and `patterns` says what comes of them. `context` finds the tokens of
    context by a model's name and its entry in the list.
    """

    name: str
    owner: str = ""
    always: Fields = field(default_factory=dict)
    constrain: Callable[[Request], Fields] = lambda request: {}
    patterns: str = "checked afterwards"
    counting: Counting | None = None
    context: Callable[[Get, str, Fields], int | None] = lambda get, model, entry: None


def _vllm_pattern(request: Request) -> Fields:
    """The second is the name before vLLM 0.12; each version ignores the other."""
    return {"structured_outputs": {"regex": request.pattern}, "guided_regex": request.pattern}


def _llama_pattern(request: Request) -> Fields:
    written = grammar(request.pattern or "")
    return {"grammar": written} if written else {}


def _llama_context(get: Get, model: str, entry: Fields) -> int | None:
    settings = (get("/props") or {}).get("default_generation_settings") or {}
    return settings.get("n_ctx")


def _ollama_context(get: Get, model: str, entry: Fields) -> int | None:
    loaded = (get("/api/ps") or {}).get("models") or []
    return next((entry.get("context_length") for entry in loaded if entry.get("name") == model), None) or OLLAMA_CONTEXT


OLLAMA = ServerKind(
    name="Ollama",
    owner="library",
    always={"reasoning_effort": "none"},
    constrain=json_fields,
    patterns=_AS_JSON,
    context=_ollama_context,
)
UNKNOWN = ServerKind(name="a server")
SERVERS = (
    OLLAMA,
    ServerKind(
        name="vLLM",
        owner="vllm",
        always=_NO_THINKING | _NO_PENALTY_OF_VLLM,
        constrain=_vllm_pattern,
        patterns=_ENFORCED,
        counting=Counting(
            path="/tokenize",
            body=lambda model, text: {"model": model, "prompt": text, "add_special_tokens": False},
            read=lambda reply: int(reply["count"]),
        ),
        context=lambda get, model, entry: entry.get("max_model_len"),
    ),
    ServerKind(
        name="llama-server",
        owner="llamacpp",
        always=_NO_THINKING | _NO_PENALTY,
        constrain=_llama_pattern,
        patterns=_ENFORCED,
        counting=Counting(
            path="/tokenize", body=lambda model, text: {"content": text}, read=lambda reply: len(reply["tokens"])
        ),
        context=_llama_context,
    ),
    ServerKind(
        name="llama-cpp-python",
        owner="me",
        always=_NO_PENALTY,
        constrain=_llama_pattern,
        patterns=_ENFORCED,
        counting=Counting(
            path="/extras/tokenize/count",
            body=lambda model, text: {"model": model, "input": text},
            read=lambda reply: int(reply["count"]),
        ),
    ),
    ServerKind(
        name="LM Studio",
        owner="organization_owner",
        always=_NO_PENALTY,
        constrain=json_fields,
        patterns=_AS_JSON,
    ),
)


def recognize(entry: Fields, get: Get) -> ServerKind:
    """The kind of server, by its entry for a model. Ollama's entry names an uploader, so its version is asked for."""
    for server in SERVERS:
        if entry.get("owned_by") == server.owner:
            return server
    return OLLAMA if "version" in (get("/api/version") or {}) else UNKNOWN


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many.

    One for up to three English letters, one for each digit, mark and line, and one for two bytes of other scripts.
    """
    words = sum(math.ceil(len(word) / 3) for word in _ENGLISH.findall(text))
    return words + len(_MARKS.findall(text)) + math.ceil(len(_ASCII.sub("", text).encode(errors="replace")) / 2)
