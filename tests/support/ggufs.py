"""Tiny GGUF files: the metadata of a model without its weights, with a vocabulary of bytes and control tokens."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.engines import gguf
from evermem_cli.engines.gguf import Gguf

_INT, _UINT, _BOOL, _TEXT, _ARRAY = 5, 4, 7, 8, 9  # types of values
_NORMAL, _CONTROL = 1, 3  # types of tokens
# The characters with which vocabularies of byte pairs spell the bytes: printable ones as they are, others from U+0100.
BYTES = 0x100  # tokens before the control tokens: one for each byte
_PLAIN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_BYTES = {byte: chr(byte) for byte in _PLAIN} | {
    byte: chr(0x100 + place) for place, byte in enumerate(sorted(set(range(0x100)) - set(_PLAIN)))
}


def write(path: Path, template: str, control: Sequence[str] = (), *, architecture: str = "qwen3") -> Path:
    """A model with this chat template and these control tokens; the first begins a text, the last ends a reply."""
    tokens = [*_BYTES.values(), *control]
    types = [_NORMAL] * len(_BYTES) + [_CONTROL] * len(control)
    values: dict[str, tuple[int, Any]] = {
        "general.architecture": (_TEXT, architecture),
        "tokenizer.ggml.model": (_TEXT, "gpt2"),
        "tokenizer.ggml.pre": (_TEXT, "qwen2"),
        "tokenizer.ggml.tokens": (_ARRAY, (_TEXT, tokens)),
        "tokenizer.ggml.token_type": (_ARRAY, (_INT, types)),
        "tokenizer.ggml.merges": (_ARRAY, (_TEXT, ["a b"])),
        "tokenizer.ggml.bos_token_id": (_UINT, len(_BYTES)),
        "tokenizer.ggml.eos_token_id": (_UINT, len(tokens) - 1),
        "tokenizer.ggml.add_bos_token": (_BOOL, False),
        "tokenizer.chat_template": (_TEXT, template),
    }
    written = [
        _packed(_TEXT, key) + struct.pack("<I", kind) + _packed(kind, value) for key, (kind, value) in values.items()
    ]
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + b"".join(written))
    return path


def _packed(kind: int, value: Any) -> bytes:
    if kind == _TEXT:
        data = str(value).encode()
        return struct.pack("<Q", len(data)) + data
    if kind == _ARRAY:
        of, items = value
        return struct.pack("<IQ", of, len(items)) + b"".join(_packed(of, item) for item in items)
    return struct.pack({_INT: "<i", _UINT: "<I", _BOOL: "<?"}[kind], value)


def opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> Gguf:
    """The model of a file without its weights: its vocabulary, its template and what follows from its architecture."""
    complete = gguf.model_params

    def without_weights(llama_cpp: Any, gpu_layers: int = -1) -> Any:
        params = complete(llama_cpp, gpu_layers)
        params.vocab_only = True
        return params

    monkeypatch.setattr(gguf, "model_params", without_weights)
    return Gguf(path, cells=64, sequences=2, threads=1)
