"""Encoders in torch, with weights to begin with: all-MiniLM-L6-v2's, which the embedder runs, or a cross-encoder's."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from torch import Tensor, nn

WIDTH, WIDE, HEADS, WORDS, POSITIONS = 384, 1536, 12, 30522, 512
BEGIN, END = 101, 102  # the vocabulary's [CLS] and [SEP]
_EPSILON = 1e-12
_NAMES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
_HAS_HALF = any(torch.cpu.get_capabilities().get(name) for name in ("avx512_bf16", "amx_bf16"))


def half_precision() -> torch.autocast:
    """Computes in bfloat16 where the hardware has it. Elsewhere bfloat16 takes twenty times as long as float32."""
    if torch.cuda.is_available():
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=_HAS_HALF)


class Layer(nn.Module):
    """Attention and a feed-forward network, each followed by a sum and a norm (Devlin et al. 2019)."""

    def __init__(self, dropped: float) -> None:
        super().__init__()
        self.dropped = dropped
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, WIDE), nn.Linear(WIDE, WIDTH)
        self.attended, self.fed = (nn.LayerNorm(WIDTH, eps=_EPSILON) for _ in range(2))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Shape (n, tokens, WIDTH) in and out; `mask` tells which tokens are none of the padding."""
        texts, tokens, _ = states.shape

        def heads(projected: Tensor) -> Tensor:
            return projected.view(texts, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = heads(self.query(states)), heads(self.key(states)), heads(self.value(states))
        # By hand: with torch's own attention the way back takes eight times as long on a processor.
        scores = (query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)).masked_fill(~mask, -torch.inf)
        mixed = scores.softmax(-1).to(value.dtype) @ value
        attended = self.output(mixed.transpose(1, 2).reshape(texts, tokens, WIDTH))
        states = self.attended(states + F.dropout(attended, self.dropped, self.training))
        fed: Tensor = self.fed(states + F.dropout(self.down(F.gelu(self.up(states))), self.dropped, self.training))
        return fed


class Encoder(nn.Module):
    """BERT without a pooler. The embeddings of words stay as they are, so that rare words are read like common ones.

    While learning, the shares `dropped` of what a layer adds and `unread` of the words' vectors are zero.
    """

    def __init__(self, layers: int, words: int = WORDS, *, dropped: float = 0.0, unread: float = 0.0) -> None:
        super().__init__()
        self.unread = unread
        self.word = nn.Embedding(words, WIDTH)
        self.position = nn.Embedding(POSITIONS, WIDTH)
        self.side = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer(dropped) for _ in range(layers))
        self.word.weight.requires_grad_(False)

    def forward(self, ids: Tensor, mask: Tensor, side: Tensor) -> Tensor:
        """Ids, mask and sides of the shape (n, tokens) to states of the shape (n, tokens, WIDTH)."""
        place = torch.arange(ids.shape[1], device=ids.device)
        words = self.word(ids)
        if self.training and self.unread:
            words = words * (torch.rand(ids.shape, device=ids.device) >= self.unread).unsqueeze(-1)
        states = self.norm(words + self.position(place) + self.side(side))
        attend = mask[:, None, None, :].bool()
        for layer in self.layers:
            states = layer(states, attend)
        return states


def pretrained(path: Path) -> Encoder:
    """The encoder with the weights of `path`, an ONNX file with one scale for each column of an int8 matrix."""
    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(path)).graph.initializer}
    encoder = Encoder(6)
    embeddings = "inner.embeddings"
    for table, name in ((encoder.word, "word_embeddings"), (encoder.position, "position_embeddings")):
        _put(table.weight, _scaled(stored, f"{embeddings}.{name}.weight"))
    _put(encoder.side.weight, stored[f"{embeddings}.token_type_embeddings.weight"])
    _put_norm(encoder.norm, stored, f"{embeddings}.LayerNorm")
    matrices = iter(sorted((name[:-2] for name in stored if _is_matrix(name)), key=lambda name: int(name[4:])))
    for number, layer in enumerate(encoder.layers):
        inner = f"inner.encoder.layer.{number}"
        for linear, name in linears(layer, _NAMES):
            _put(linear.weight, _scaled(stored, next(matrices)).T)
            _put(linear.bias, stored[f"{inner}.{name}.bias"])
        _put_norm(layer.attended, stored, f"{inner}.attention.output.LayerNorm")
        _put_norm(layer.fed, stored, f"{inner}.output.LayerNorm")
    return encoder


def pretrained_pair(path: Path) -> tuple[Encoder, nn.Linear, nn.Linear]:
    """The encoder, pooler and classifier of ms-marco-MiniLM-L12-v2, of an ONNX file with one scale for each matrix."""
    graph = onnx.load(str(path)).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    matrices = {node.name: name for node in graph.node for name in node.input if name.endswith("_quantized")}

    def whole(name: str) -> Any:
        base = name.removesuffix("_quantized")
        return (stored[name].astype(np.float32) - np.float32(stored[f"{base}_zero_point"])) * stored[f"{base}_scale"]

    encoder, pooler, classifier = Encoder(12), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
    embeddings = "bert.embeddings"
    for table, name in (
        (encoder.word, "word_embeddings"),
        (encoder.position, "position_embeddings"),
        (encoder.side, "token_type_embeddings"),
    ):
        _put(table.weight, whole(f"{embeddings}.{name}.weight_quantized"))
    _put_norm(encoder.norm, stored, f"{embeddings}.LayerNorm")
    for number, layer in enumerate(encoder.layers):
        inner = f"bert.encoder.layer.{number}"
        for linear, name in linears(layer, _NAMES):
            place = f"/bert/encoder/layer.{number}/{name.replace('.', '/')}/MatMul_quant"
            _put(linear.weight, whole(matrices[place]).T)
            _put(linear.bias, stored[f"{inner}.{name}.bias"])
        _put_norm(layer.attended, stored, f"{inner}.attention.output.LayerNorm")
        _put_norm(layer.fed, stored, f"{inner}.output.LayerNorm")
    for linear, name in ((pooler, "bert.pooler.dense"), (classifier, "classifier")):
        _put(linear.weight, whole(f"{name}.weight_quantized").T)
        _put(linear.bias, stored[f"{name}.bias"])
    return encoder, pooler, classifier


def tokenizer_of(folder: Path) -> Any:
    """The tokenizer of a model of the catalog, without padding and without a limit."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def linears(layer: Layer, names: tuple[str, ...]) -> Iterator[tuple[nn.Linear, str]]:
    """A layer's matrices by their names in a file: query, key, value, output, up and down."""
    yield from zip((layer.query, layer.key, layer.value, layer.output, layer.up, layer.down), names, strict=True)


def _is_matrix(name: str) -> bool:
    return name.startswith("val_") and name.endswith("_q")


def _scaled(stored: dict[str, Any], name: str) -> Any:
    return stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"]


def _put_norm(norm: nn.LayerNorm, stored: dict[str, Any], name: str) -> None:
    _put(norm.weight, stored[f"{name}.weight"])
    _put(norm.bias, stored[f"{name}.bias"])


def _put(parameter: Tensor, values: Any) -> None:
    parameter.data.copy_(torch.from_numpy(np.array(values, dtype=np.float32)))
