"""The tagger: an encoder of a few layers with one linear head, which reads each message once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from evermem_cli.engines.onnx import batches
from evermem_cli.languages.language import language
from evermem_cli.memory import Statement
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, TokenPair
from evermem_cli.reading.statements.calibration import Calibration
from evermem_cli.reading.statements.decode import DecodingSettings, Passage, decode
from evermem_cli.reading.statements.edges import Edges
from evermem_cli.reading.statements.outputs import Outputs

NAME = "tagger"
# Tokens of one batch, padding included. Messages of similar length share a batch. Larger ones take longer per token.
BATCH_TOKENS = 256
# Maximum tokens read: the first ones of a message, and the last ones of the turn before it, which contain the question.
MOST_TOKENS = 256
BEFORE_TOKENS = 24
# What `language` tells apart: the model's vocabulary has no Chinese, so the tagger skips that, and reads all else.
LANGUAGES = ("en",)


class _Tokens(NamedTuple):
    """The tokens of one passage, and the position in the message of each of the message's own tokens."""

    pair: TokenPair
    offsets: list[tuple[int, int]]


@dataclass(frozen=True)
class Tagger:
    """Reads statements with the weights in `folder`, which the first use loads. `threads` 0 is all cores.

    `decoding` replaces the settings that belong to the weights.

    Raises ModelError where the weights cannot be loaded or are not those that `tagger.json` describes.
    """

    folder: Path = WEIGHTS
    threads: int = 0
    decoding: DecodingSettings | None = None

    @property
    def name(self) -> str:
        """Identifies the weights. A message that was read with other weights is read anew."""
        return str(self._model.settings["name"])

    def read(self, passages: Sequence[Passage]) -> list[list[Statement]]:
        """The statements of each passage, in order."""
        statements: list[list[Statement]] = [[] for _ in passages]
        readable_ones = [index for index, passage in enumerate(passages) if language(passage.text) in LANGUAGES]
        tokens = {index: self._tokens(passages[index]) for index in readable_ones}
        for batch in batches({index: len(token.pair.ids) for index, token in tokens.items()}, BATCH_TOKENS):
            logits = self._model.run([tokens[index].pair for index in batch])
            for row, index in enumerate(batch):
                pair, offsets = tokens[index]
                outputs = Outputs.of(logits[row, pair.second : pair.second + len(offsets)])
                statements[index] = list(decode(passages[index], offsets, outputs, self._decoding))
        return statements

    @cached_property
    def _model(self) -> ShippedModel:
        return ShippedModel(NAME, self.folder, self.threads)

    @cached_property
    def _decoding(self) -> DecodingSettings:
        if self.decoding:
            return self.decoding
        settings = self._model.settings
        *weights, constant = settings["calibration"]
        calibration = Calibration(tuple(weights), constant)
        return DecodingSettings(settings["threshold"], settings["telling"], calibration, Edges.load(self.folder))

    def _tokens(self, passage: Passage) -> _Tokens:
        before = self._model.encode(passage.before).ids[-BEFORE_TOKENS:]
        own = self._model.encode(passage.text)
        room = MOST_TOKENS - len(before) - 3
        return _Tokens(self._model.pair(before, own.ids[:room]), own.offsets[:room])
