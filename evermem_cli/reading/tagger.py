"""The tagger: an encoder of a few layers with one linear head, which reads each message once."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.engines.onnx import readable, silence_onnxruntime
from evermem_cli.errors import ModelError
from evermem_cli.languages.language import language
from evermem_cli.memory import Statement
from evermem_cli.reading.decode import Calibration, Outputs, Passage, Settings, decode

WEIGHTS = Path(__file__).parent / "weights"
# Tokens that run through the model together, padding counted in. Messages of like length go together.
BATCH_TOKENS = 2048
# Of a long message the first tokens are read; of the turn before it the last, which hold its question.
MOST_TOKENS = 256
BEFORE_TOKENS = 24
# Its vocabulary has no Chinese; messages in other languages than these it leaves unread.
LANGUAGES = ("en",)


class _Tokens(NamedTuple):
    """The tokens of one passage; those from `first` on are the message's own, and `offsets` are theirs."""

    ids: list[int]
    first: int
    offsets: list[tuple[int, int]]


@dataclass(frozen=True)
class Tagger:
    """Reads statements with the weights in `folder`, which the first use loads. `threads` 0 is all cores.

    Raises ModelError where the weights cannot be loaded or are not those that `tagger.json` describes.
    """

    folder: Path = WEIGHTS
    threads: int = 0

    @property
    def name(self) -> str:
        """Identifies the weights: a message that other weights have read is read anew."""
        return str(self._settings["name"])

    def read(self, passages: Sequence[Passage]) -> list[list[Statement]]:
        """The statements of each passage, in order."""
        found: list[list[Statement]] = [[] for _ in passages]
        readable_ones = [index for index, passage in enumerate(passages) if language(passage.text) in LANGUAGES]
        tokens = {index: self._tokens(passages[index]) for index in readable_ones}
        for batch in _batches({index: len(each.ids) for index, each in tokens.items()}):
            logits = self._run([tokens[index] for index in batch])
            for row, index in enumerate(batch):
                _, first, offsets = tokens[index]
                outputs = Outputs.of(logits[row, first : first + len(offsets)])
                found[index] = list(decode(passages[index], offsets, outputs, self._decoding))
        return found

    @cached_property
    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = json.loads((self.folder / "tagger.json").read_text(encoding="utf-8"))
        return settings

    @cached_property
    def _decoding(self) -> Settings:
        calibration = Calibration(*self._settings["calibration"])
        threshold, telling = self._settings["threshold"], self._settings["telling"]
        return Settings(threshold=threshold, telling=telling, calibration=calibration)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self.folder / "tokenizer.json"))

    @cached_property
    def _model(self) -> Any:
        silence_onnxruntime()
        import onnxruntime

        weights = (self.folder / "tagger.onnx").read_bytes()
        if hashlib.sha256(weights).hexdigest() != self._settings["sha256"]:
            raise ModelError("the reader's weights are damaged", "install evermem again")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    def _tokens(self, passage: Passage) -> _Tokens:
        before = self._tokenizer.encode(readable(passage.before), add_special_tokens=False).ids[-BEFORE_TOKENS:]
        own = self._tokenizer.encode(readable(passage.text), add_special_tokens=False)
        begin, end = self._settings["begin_token"], self._settings["end_token"]
        room = MOST_TOKENS - len(before) - 3
        lead = [begin, *before, end]
        return _Tokens([*lead, *own.ids[:room], end], len(lead), own.offsets[:room])

    def _run(self, batch: Sequence[_Tokens]) -> np.ndarray[Any, np.dtype[np.float32]]:
        longest = max(len(each.ids) for each in batch)
        ids, mask, side = np.zeros((3, len(batch), longest), dtype=np.int64)
        for row, (tokens, first, _) in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
            side[row, first : len(tokens)] = 1
        logits: np.ndarray[Any, np.dtype[np.float32]] = self._model.run(
            None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": side}
        )[0]
        return logits


def _batches(lengths: Mapping[int, int]) -> Iterator[list[int]]:
    """The keys of `lengths`, together at most `BATCH_TOKENS` with padding, the like of length together."""
    batch: list[int] = []
    for index in sorted(lengths, key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
