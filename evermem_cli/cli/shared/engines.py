"""The models of a command or server, each downloaded and loaded on first use and then kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evermem_cli.config import Doer, Settings, TaskName, config_file
from evermem_cli.engines import Embedder, Llm, Reranker, catalog, weights
from evermem_cli.engines.adapters import adapter_of
from evermem_cli.engines.catalog import Model
from evermem_cli.engines.embedder import AskedEmbed, CatalogEmbed, PassageEmbedder, QuickEmbed
from evermem_cli.engines.endpoint import Address, is_address
from evermem_cli.errors import EngineMissing, EvermemError, ModelError, UsageError
from evermem_cli.extras import Extra

if TYPE_CHECKING:
    from rich.console import Console

    from evermem_cli.engines.endpoint.llm import Endpoint
    from evermem_cli.reading.answerability import Answerability
    from evermem_cli.reading.statements.tagger import Tagger

NO_ENGINE = "no language model runs here: llama.cpp is not installed"


def add_engine() -> str:
    """How to add the engine of language models."""
    return f"add it with `{Extra.LLM.command}`"


@dataclass
class Engines:
    """The models that the settings name. `console` shows downloads, `note` prints a line.

    `made_by` tells the embedder of the memory's vectors, None where there is no memory.
    """

    settings: Settings
    console: Callable[[], Console]
    note: Callable[[str], None]
    made_by: Callable[[], str | None] = field(default=lambda: None, repr=False)
    _loading: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _llm: Llm | None = None
    _loaded: ExitStack = field(default_factory=ExitStack, repr=False)  # closes what llama.cpp holds
    _said: set[str] = field(default_factory=set, repr=False)
    _embedders: dict[str, PassageEmbedder] = field(default_factory=dict, repr=False)
    _asked: dict[str, Embedder] = field(default_factory=dict, repr=False)

    @property
    def embedder_name(self) -> str:
        """The embedder that the settings name, or that of the memory's vectors where they name the default.

        A memory that cannot be read is reported by whoever uses it.
        """
        named = self.settings.embedder
        if named == catalog.DEFAULT_EMBEDDER:
            with suppress(EvermemError):
                return self.made_by() or named
        return named

    @property
    def embedder(self) -> PassageEmbedder:
        """The embedder for many texts, downloaded on first use. Raises ModelError, UsageError."""
        name = self.embedder_name
        with self._of_memory(name):
            return self.load_embedder(name)

    @property
    def question_embedder(self) -> Embedder:
        """The embedder for questions: the same vectors, loaded faster. Raises ModelError, UsageError."""
        name = self.embedder_name
        with self._of_memory(name):
            if name not in self._asked:
                model = catalog.find_embedder(name)
                if not model.files:  # QuickEmbed reads files of the catalog only
                    self._asked[name] = AskedEmbed(self.load_embedder(name))
                else:
                    self._asked[name] = QuickEmbed(self._ensure(model), model.name, self.settings.threads)
        return self._asked[name]

    @contextmanager
    def _of_memory(self, name: str) -> Iterator[None]:
        """Says what else can be done where the memory's embedder cannot be had, and the settings name another."""
        try:
            yield
        except (ModelError, UsageError) as error:
            if name == self.settings.embedder:
                raise
            other = f"or `evermem embed --model {self.settings.embedder}` embeds the memory again"
            hint = f"{error.hint}; {other}" if error.hint else other
            raise type(error)(f"the memory's embedder cannot be used: {error.message}", hint) from error

    def load_embedder(self, name: str) -> PassageEmbedder:
        """An embedder by its name, downloaded on first use. Raises EngineMissing, ModelError, UsageError."""
        if name not in self._embedders:
            settings, model = self.settings, catalog.find_embedder(name)
            if model.extra:
                self._embedders[name] = self._packaged(model)
            elif model.files:
                self._embedders[name] = CatalogEmbed(self._ensure(model), name, settings.threads)
            else:
                self._embedders[name] = self._hosted(name)
        return self._embedders[name]

    def _hosted(self, name: str) -> PassageEmbedder:
        from evermem_cli.engines.hosted import FastEmbed

        return FastEmbed(self.settings.models_dir, name, self.settings.threads, offline=self.settings.offline)

    def _packaged(self, model: Model) -> PassageEmbedder:
        _require_extra(model)
        from evermem_cli.engines.packaged import PackagedE5

        dimension = model.embedding.dimension if model.embedding else 0
        return PackagedE5(model.name, dimension, self.settings.threads)

    @property
    def tasks(self) -> dict[TaskName, Doer]:
        """Who does each task: the user's word, else what a trial of the language model found."""
        from evermem_cli.trial.trial import decided

        return decided(self.settings.llm, self.settings.tasks, self.settings.models_dir)

    @cached_property
    def reranker(self) -> Reranker:
        """The reranker, downloaded on first use. Raises ModelError, UsageError."""
        from evermem_cli.engines.reranker import CrossEncoder, HostedReranker

        settings, model = self.settings, catalog.find_reranker(self.settings.reranker)
        if model.hosted:
            return HostedReranker(settings.models_dir, model.name, settings.threads, offline=settings.offline)
        return CrossEncoder(self._ensure(model), model.name, settings.threads)

    @cached_property
    def tagger(self) -> Tagger:
        """The tagger, which is shipped."""
        from evermem_cli.reading.statements.tagger import Tagger

        return Tagger(threads=self.settings.threads)

    @property
    def has_llm(self) -> bool:
        """Whether a language model is available: by an address, or by the optional engine."""
        return is_address(self.settings.llm) or self.has_local_llm

    @property
    def has_local_llm(self) -> bool:
        """Whether the optional engine is installed."""
        return Extra.LLM.is_here

    def lacks_llm(self, effect: str) -> bool:
        """Whether no language model is available; says once what follows from that, and how to add one."""
        if self.has_llm:
            return False
        self.note_once(f"{NO_ENGINE}, so {effect}; {add_engine()}")
        return True

    def note_once(self, line: str) -> None:
        """Notes a line unless it was noted before."""
        if line not in self._said:
            self._said.add(line)
            self.note(line)

    @cached_property
    def answerability(self) -> Answerability:
        """The check for answerability, which ships with evermem; loaded for the first question."""
        from evermem_cli.reading import answerability
        from evermem_cli.reading.shipped import ShippedModel

        return answerability.Answerability(ShippedModel(answerability.NAME, threads=self.settings.threads))

    @property
    def llm(self) -> Llm:
        """The language model, downloaded on first use. Raises EngineMissing, ModelError, UsageError."""
        with self._loading:  # two threads of a server would load it twice
            self._llm = self._llm or self._load_llm()
            return self._llm

    @property
    def llm_for_answers(self) -> Llm:
        """The language model. Raises EngineMissing also where it failed its trial of answers, and the rest as `llm`."""
        if self.tasks["answers"] == "code":
            raise EngineMissing(f"{self.settings.llm} failed its trial of answers", "see `evermem doctor`")
        return self.llm

    def _load_llm(self) -> Llm:
        if self.endpoint:
            return self.endpoint
        if not self.has_llm:
            raise EngineMissing(NO_ENGINE, f"{add_engine()}, or name a server's address with --llm")
        from evermem_cli.engines.llm import LlamaCpp

        settings = self.settings
        return self._loaded.enter_context(
            LlamaCpp(
                self._ensure(catalog.find_llm(settings.llm)),
                name=settings.llm,
                context_tokens=settings.context_tokens,
                batch=settings.batch,
                threads=settings.threads,
                gpu_layers=settings.gpu_layers,
                adapter=adapter_of(settings.llm),
            )
        )

    def close(self) -> None:
        """Frees the memory of the language model after the replies that it writes; it is loaded again when needed."""
        with self._loading:
            self._llm = None
            self._loaded.close()

    @cached_property
    def endpoint(self) -> Endpoint | None:
        """The language model behind an address; None where the settings name none. Raises ModelError, UsageError.

        If it is on another machine, a note says so before anything is sent.
        """
        settings = self.settings
        if not is_address(settings.llm):
            return None
        address = Address.read(settings.llm)
        if not address.is_loopback:
            _require_remote(address, settings)
            way = "" if address.is_encrypted else ", unencrypted: anyone on the way can read them"
            self.note(f"requests to the language model go to {address.url} on another machine{way}")
        from evermem_cli.engines.endpoint.connection import Connection
        from evermem_cli.engines.endpoint.llm import Endpoint
        from evermem_cli.store.file import keychain

        return Endpoint(
            address,
            Connection(address, kept=lambda: keychain.api_key(address.url)),
            name=settings.llm,
            context_tokens=settings.context_tokens,
            batch=settings.batch,
        )

    def models_in_use(self) -> list[Model]:
        """The models of the catalog that the settings name and that can run here."""
        runs_here = self.has_llm and not is_address(self.settings.llm)
        llm = (catalog.find_llm(self.settings.llm),) if runs_here else ()
        named = (catalog.find_embedder(self.embedder_name), *llm)
        return [model for model in named if isinstance(model, Model)]

    def known_models(self) -> list[tuple[Model, bool | None]]:
        """All models of the catalog, and whether each is installed; None where only fastembed can tell."""
        return [(model, self._is_here(model)) for model in catalog.MODELS]

    def _is_here(self, model: Model) -> bool | None:
        if model.extra:
            return model.extra.is_here
        return None if model.hosted else not weights.missing(model, self.settings.models_dir)

    def pull(self, model: Model) -> Path:
        """Downloads a model's weights with a progress bar. Raises EngineMissing, ModelError, UsageError."""
        _require_extra(model)
        from evermem_cli.cli.shared.progress import download

        with download(self.console()) as progress:
            return weights.pull(model, self.settings.models_dir, progress, self.note, offline=self.settings.offline)

    def take(self, model: Model, path: Path) -> Path:
        """Copies a model's weights from a file."""
        return weights.from_file(model, path, self.settings.models_dir)

    def _ensure(self, model: Model | Path) -> Path:
        if isinstance(model, Path) or not weights.missing(model, self.settings.models_dir):
            return weights.locate(model, self.settings.models_dir)
        from evermem_cli.cli.shared.progress import download

        with download(self.console()) as progress:
            return weights.ensure(model, self.settings.models_dir, progress, self.note, offline=self.settings.offline)


def _require_extra(model: Model) -> None:
    if model.extra and not model.extra.is_here:
        raise EngineMissing(f"{model.name} is not installed", f"add it with `{model.extra.command}`")


def _require_remote(address: Address, settings: Settings) -> None:
    """Raises UsageError where chats may not go to another machine, ModelError where nothing may now."""
    if not settings.allow_remote:
        raise UsageError(
            f"{address.url} is not on this machine, and chats would go there",
            f"if they may, write allow_remote = true into {config_file()}",
        )
    if settings.offline:
        raise ModelError(
            f"{address.url} is not on this machine, and evermem is offline",
            "EVERMEM_OFFLINE forbids it, and `evermem mcp` always does",
        )
