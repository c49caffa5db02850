"""One GGUF file in llama.cpp: its vocabulary and one context in which many token sequences share a pool of cells."""

import ctypes
import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.errors import ModelError
from evermem_cli.whole_files import REINSTALL

# Tokens per call into llama.cpp. Ctrl-C waits for a call: half a second with a 1.5B model on two cores. The speed is
# 97 % of that of calls ten times as long. A multiple of 16, the number of rows that the matrix kernels process at once.
CALL_TOKENS = 48

# How long a thread of llama.cpp waits busily for the others before it sleeps. With OpenMP's default (some ms) the speed
# of two threads on two cores falls from 100 tokens/s to 1 while another program is busy; with this value it falls to
# 12.
SPIN_COUNT = "1000"

Logits = NDArray[np.float32]


class PlacedToken(NamedTuple):
    """A token to read: its sequence, its position in the sequence, and whether the logits after the token are
    wanted."""

    id: int
    position: int
    sequence: int
    wanted: bool


class Gguf:
    """A model in memory, with room for `cells` tokens in all sequences together; a shared cell counts once.

    `gpu_layers` of it are on a GPU if llama.cpp finds one; -1 is all. `adapter` is the file of one that can be
    switched on (see `adapt`). Raises ModelError when a file is missing, damaged or too large for the memory.
    """

    def __init__(
        self,
        path: Path,
        *,
        cells: int,
        sequences: int,
        threads: int,
        gpu_layers: int = -1,
        adapter: Path | None = None,
    ) -> None:
        _check_file(path)
        os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)  # read when llama.cpp's threads are loaded
        import llama_cpp

        self._llama: Any = llama_cpp
        _silence(llama_cpp)
        llama_cpp.llama_backend_init()
        with ExitStack() as resources:
            self._model = llama_cpp.llama_model_load_from_file(os.fsencode(path), model_params(llama_cpp, gpu_layers))
            if not self._model:
                raise ModelError(
                    f"{path}: llama.cpp cannot load this model: it is damaged, or of a kind that it does not know",
                    "check it with `evermem models verify`, or name another model",
                )
            resources.callback(llama_cpp.llama_model_free, self._model)
            self._adapter = self._load_adapter(adapter) if adapter else None
            self.cells = min(cells, llama_cpp.llama_model_n_ctx_train(self._model) or cells)
            self._context = llama_cpp.llama_init_from_model(self._model, self._context_params(sequences, threads))
            if not self._context:
                raise ModelError(f"{path}: no memory for {self.cells} tokens", "lower the setting context_tokens")
            resources.callback(llama_cpp.llama_free, self._context)
            self._batch = llama_cpp.llama_batch_init(CALL_TOKENS, 0, 1)
            resources.callback(llama_cpp.llama_batch_free, self._batch)
            self.close = resources.pop_all().close
        self._memory = llama_cpp.llama_get_memory(self._context)
        self.vocab = llama_cpp.llama_model_get_vocab(self._model)
        self.vocabulary_size: int = llama_cpp.llama_vocab_n_tokens(self.vocab)

    def _load_adapter(self, path: Path) -> Any:
        """An adapter, which is freed with the model."""
        adapter = self._llama.llama_adapter_lora_init(self._model, os.fsencode(path))
        if not adapter:
            raise ModelError(f"{path}: llama.cpp cannot load this adapter", REINSTALL)
        return adapter

    def _context_params(self, sequences: int, threads: int) -> Any:
        params = self._llama.llama_context_default_params()
        params.n_ctx = self.cells
        params.kv_unified = True  # one pool: a single sequence may use all of it, and a shared prefix is held once
        # Models with a sliding window keep all tokens, so that a sequence can be cut back to a shared prefix.
        params.swa_full = True
        params.n_seq_max = sequences
        params.n_batch = params.n_ubatch = CALL_TOKENS
        params.n_threads = params.n_threads_batch = threads
        return params

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Tokens of `text`; a control token spelled in it is plain text unless `special`."""
        data = text.encode("utf-8", errors="replace")  # some chat exports contain lone surrogates
        tokens = (self._llama.llama_token * (len(data) + 4))()
        count = self._llama.llama_tokenize(self.vocab, data, len(data), tokens, len(tokens), False, special)
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """The bytes that `token` stands for, perhaps a part of a character; empty for a control token."""
        buffer = ctypes.create_string_buffer(256)
        length = self._llama.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(length, 0)]

    def decode(self, tokens: Sequence[PlacedToken]) -> list[Logits]:
        """Reads at most CALL_TOKENS tokens; one row of logits per wanted token, in order, valid until the next call.

        Raises ModelError when llama.cpp fails.
        """
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index], batch.logits[index] = token.id, token.position, token.wanted
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, token.sequence
        if code := self._llama.llama_decode(self._context, batch):
            raise ModelError(f"llama.cpp failed to decode (code {code})", "try again with a smaller batch")
        return [self._logits(index) for index, token in enumerate(tokens) if token.wanted]

    def _logits(self, index: int) -> Logits:
        row = self._llama.llama_get_logits_ith(self._context, index)
        return np.ctypeslib.as_array(row, shape=(self.vocabulary_size,))

    def adapt(self, *, adapted: bool) -> None:
        """Switches the adapter on or off; the content of a sequence is valid for one of the two states only.

        Raises ModelError when llama.cpp fails.
        """
        chosen = [self._adapter] if adapted else []
        adapters = (self._llama.llama_adapter_lora_p_ctypes * len(chosen))(*chosen)
        scales = (ctypes.c_float * len(chosen))(*[1.0] * len(chosen))
        if code := self._llama.llama_set_adapters_lora(self._context, adapters, len(chosen), scales):
            raise ModelError(f"llama.cpp failed to switch the adapter (code {code})", REINSTALL)

    def clear(self) -> None:
        """Forgets all sequences. Later ones are then laid out, and rounded, as in a new context."""
        self._llama.llama_memory_clear(self._memory, False)

    def cut(self, sequence: int, length: int) -> int:
        """Drops all but the first `length` tokens; returns how many are left: 0 if the model cannot cut a sequence."""
        if self._llama.llama_memory_seq_rm(self._memory, sequence, length, -1):
            return length
        self._llama.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return 0

    @property
    def shares_cells(self) -> bool:
        """Whether sequences can begin with the same cells; a recurrent model holds each sequence in one state."""
        llama = self._llama
        return not (llama.llama_model_is_recurrent(self._model) or llama.llama_model_is_hybrid(self._model))

    def share(self, source: int, target: int, length: int) -> None:
        """Makes the empty sequence `target` begin with the first `length` tokens of `source`, in the same cells."""
        self._llama.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def save(self, sequence: int) -> bytes:
        """The model's state of a sequence."""
        size = self._llama.llama_state_seq_get_size(self._context, sequence)
        state = (ctypes.c_uint8 * size)()
        written = self._llama.llama_state_seq_get_data(self._context, state, size, sequence)
        return bytes(memoryview(state)[:written])

    def restore(self, sequence: int, state: bytes) -> bool:
        """Restores a saved state into the empty `sequence`; returns whether there was room for it."""
        data = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        return bool(self._llama.llama_state_seq_set_data(self._context, data, len(state), sequence))

    @property
    def begin_token(self) -> int | None:
        """The token that the model wants before every text, if any."""
        return self._llama.llama_vocab_bos(self.vocab) if self._llama.llama_vocab_get_add_bos(self.vocab) else None

    def ends_reply(self, token: int) -> bool:
        """Whether `token` is one of those with which the model ends a reply."""
        return bool(self._llama.llama_vocab_is_eog(self.vocab, token))

    def render_chat(self, messages: Sequence[dict[str, str]]) -> str:
        """`messages` (role, content) in the model's own Jinja template, up to where the reply begins.

        Raises ModelError for a model without a template, ValueError when the template refuses the messages.
        """
        from jinja2 import TemplateError
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        template = self._llama.llama_model_chat_template(self._model, None)
        if not template:
            raise ModelError("the model has no chat template: it is not an instruct model", "name an instruct model")
        try:
            formatter = Jinja2ChatFormatter(
                template.decode(),
                bos_token=self._token_text(self._llama.llama_vocab_bos(self.vocab)),
                eos_token=self._token_text(self._llama.llama_vocab_eos(self.vocab)),
            )
            prompt: str = formatter(messages=messages, enable_thinking=False).prompt
        except (TemplateError, TypeError) as error:
            raise ValueError(f"the chat template failed: {error}") from error
        return prompt

    def _token_text(self, token: int) -> str:
        return self._llama.llama_vocab_get_text(self.vocab, token).decode() if token >= 0 else ""


def processors() -> str:
    """What llama.cpp was compiled for and found here, as "CPU" or "CUDA, CPU"; what it uses is left out."""
    import llama_cpp

    _silence(llama_cpp)
    llama_cpp.llama_backend_init()
    return ", ".join(re.findall(r"(\w+) : ", llama_cpp.llama_print_system_info().decode()))


def uses_gpu() -> bool:
    """Whether llama.cpp was compiled for a GPU and finds one."""
    import llama_cpp

    return bool(llama_cpp.llama_supports_gpu_offload())


def model_params(llama_cpp: Any, gpu_layers: int = -1) -> Any:
    """The parameters for loading a model: llama.cpp's defaults, but without its kernels for AMX (of Xeons).

    If gcc 12 compiled these kernels, they configure the tiles from uninitialised stack memory, which ends the process
    (llama.cpp, pull request 26954). The same switch also disables the faster layout of weights for other processors.
    """
    params = llama_cpp.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    if b"AMX_INT8 = 1" in llama_cpp.llama_print_system_info():
        params.use_extra_bufts = False
    return params


def _check_file(path: Path) -> None:
    """Raises ModelError for a file that llama.cpp would only complain about in its log."""
    hint = "see `evermem models list`, or give the path of a GGUF file"
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}", hint) from error
    if magic != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file", hint)


def _silence(llama_cpp: Any) -> None:
    """Keeps llama.cpp off stderr.

    The callback is a C function that ignores its arguments. A Python function would run during a load, and a Ctrl-C
    during that function would be lost.
    """
    nothing = ctypes.cast(llama_cpp.llama_cpp._lib.llama_time_us, llama_cpp.llama_log_callback)
    llama_cpp.llama_log_set(nothing, None)
