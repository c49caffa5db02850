"""The tagger: for each language an encoder of a few layers with one linear head.

It reads each message once for its statements, and each question once for what it asks about a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from evermem_cli.engines.onnx import batches
from evermem_cli.languages.language import language
from evermem_cli.memory import Statement
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, TokenPair
from evermem_cli.reading.statements.asked import AskedFor, MarkedFrom, decode_question
from evermem_cli.reading.statements.calibration import Calibration
from evermem_cli.reading.statements.decode import DecodingSettings, Passage, decode
from evermem_cli.reading.statements.edges import Edges
from evermem_cli.reading.statements.outputs import Outputs, QuestionOutputs

# The model of each language that `language` tells apart. English also reads what is in other languages.
MODELS = {"en": "tagger", "zh": "tagger-zh"}
# Tokens of one batch, padding included. Messages of similar length share a batch. Larger ones take longer per token.
BATCH_TOKENS = 256
# Maximum tokens read: the first ones of a message, and the last ones of the turn before it, which contain the question.
MOST_TOKENS = 256
BEFORE_TOKENS = 24


class _Tokens(NamedTuple):
    """The tokens of one passage, and the position in the message of each of the message's own tokens."""

    pair: TokenPair
    offsets: list[tuple[int, int]]


@dataclass(frozen=True)
class Tagger:
    """Reads statements with the weights in `folder`, each language with a model of its own. `threads` 0 is all cores.

    Raises ModelError where the weights cannot be loaded or are not those that their settings describe.
    """

    folder: Path = WEIGHTS
    threads: int = 0

    @property
    def name(self) -> str:
        """Identifies the weights. A message that was read with other weights is read anew."""
        return " ".join(model.name for model in self._models.values())

    def read(self, passages: Sequence[Passage]) -> list[list[Statement]]:
        """The statements of each passage, in order."""
        statements: list[list[Statement]] = [[] for _ in passages]
        for tongue, model in self._models.items():
            indices = [index for index, passage in enumerate(passages) if language(passage.text) == tongue]
            for index, read in zip(indices, model.read([passages[index] for index in indices]), strict=True):
                statements[index] = read
        return statements

    def read_question(self, text: str) -> AskedFor:
        """What a question asks for."""
        return self._models[language(text)].read_question(text)

    @cached_property
    def _models(self) -> dict[str, "LanguageTagger"]:
        return {tongue: LanguageTagger(name, self.folder, self.threads) for tongue, name in MODELS.items()}


SHIPPED = Tagger()


@dataclass(frozen=True)
class LanguageTagger:
    """Reads statements with the model `model` in `folder`, which the first use loads, whatever the language.

    `decoding` and `marked_from` replace the settings that belong to the weights. Raises ModelError as `Tagger` does.
    """

    model: str
    folder: Path = WEIGHTS
    threads: int = 0
    decoding: DecodingSettings | None = None
    marked_from: MarkedFrom | None = None

    @property
    def name(self) -> str:
        """Identifies the weights."""
        return str(self._model.settings["name"])

    def read(self, passages: Sequence[Passage]) -> list[list[Statement]]:
        """The statements of each passage, in order."""
        statements: list[list[Statement]] = [[] for _ in passages]
        tokens = [self._tokens(passage) for passage in passages]
        for batch in batches({index: len(token.pair.ids) for index, token in enumerate(tokens)}, BATCH_TOKENS):
            logits = self._model.run([tokens[index].pair for index in batch])
            for row, index in enumerate(batch):
                pair, offsets = tokens[index]
                outputs = Outputs.of(logits[row, pair.second : pair.second + len(offsets)])
                statements[index] = list(decode(passages[index], offsets, outputs, self._decoding))
        return statements

    def read_question(self, text: str) -> AskedFor:
        """What a question asks for."""
        pair, offsets = self._tokens(Passage("", text, ""))
        [logits] = self._model.run([pair])
        end = pair.second + len(offsets)
        outputs = QuestionOutputs.of(logits[:end], pair.second)
        return decode_question(text, offsets, outputs, self.marked_from or MarkedFrom(*self._model.settings["marked"]))

    @cached_property
    def _model(self) -> ShippedModel:
        return ShippedModel(self.model, self.folder, self.threads)

    @cached_property
    def _decoding(self) -> DecodingSettings:
        if self.decoding:
            return self.decoding
        settings = self._model.settings
        *weights, constant = settings["calibration"]
        edges = Edges.load(self.folder / settings["edges"])
        return DecodingSettings(
            settings["threshold"], settings["telling"], Calibration(tuple(weights), constant), edges
        )

    def _tokens(self, passage: Passage) -> _Tokens:
        before = self._model.encode(passage.before).ids[-BEFORE_TOKENS:]
        own = self._model.encode(passage.text)
        room = MOST_TOKENS - len(before) - 3
        return _Tokens(self._model.pair(before, own.ids[:room]), own.offsets[:room])
