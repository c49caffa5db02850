"""The models that evermem knows by name: their files, digests, licences and sources."""

from collections.abc import Sequence
from pathlib import Path

from evermem_cli.engines.catalog.encoders import EMBEDDERS, RERANKERS
from evermem_cli.engines.catalog.language_models import LANGUAGE_MODELS
from evermem_cli.engines.catalog.model import Embedding, HubFile, Model, ModelKind, Pooling, WeightFile, Wheel
from evermem_cli.errors import UsageError

__all__ = [
    "DEFAULT_EMBEDDER",
    "MODELS",
    "Embedding",
    "HubFile",
    "Model",
    "ModelKind",
    "Pooling",
    "WeightFile",
    "Wheel",
    "find",
    "find_embedder",
    "find_llm",
    "find_reranker",
]

# The ranking, the boundaries of topics and several thresholds were learned on its vectors.
DEFAULT_EMBEDDER = "all-minilm-l6-v2"
MODELS = (*LANGUAGE_MODELS, *EMBEDDERS, *RERANKERS)


def find(name: str) -> Model:
    """The model called `name`.

    Raises UsageError, listing the names, when there is none.
    """
    return _named(name, MODELS)


def find_llm(setting: str) -> Model | Path:
    """The language model that `setting` means: a name of the catalog, or the path of a GGUF file.

    Raises UsageError, listing the names, when it is neither.
    """
    if "/" in setting or setting.lower().endswith(".gguf"):
        return Path(setting).expanduser()
    return _named(
        setting,
        [model for model in MODELS if model.kind is ModelKind.LLM],
        "the path of a GGUF file, or the address of a server",
    )


def find_embedder(setting: str) -> Model:
    """The embedder that `setting` means: a name of the catalog, or one of fastembed's, as BAAI/bge-small-en-v1.5.

    fastembed fetches its own models, so those have no files here. Raises UsageError, listing the names, when `setting`
    is neither.
    """
    if "/" in setting:
        known = next((model for model in EMBEDDERS if model.hosted.lower() == setting.lower()), None)
        return known or Model(
            name=setting,
            kind=ModelKind.EMBEDDER,
            description="one of fastembed's",
            license="",
            files=(),
            hosted=setting,
        )
    return _named(setting, [model for model in MODELS if model.kind is ModelKind.EMBEDDER], "a model name of fastembed")


def find_reranker(setting: str) -> Model:
    """The reranker that `setting` means: a name of the catalog. Raises UsageError, listing the names, otherwise."""
    return _named(setting, [model for model in MODELS if model.kind is ModelKind.RERANKER])


def _named(name: str, models: Sequence[Model], otherwise: str = "") -> Model:
    for model in models:
        if model.name == name:
            return model
    known = [model.name for model in models]
    raise UsageError(
        f"unknown model: {name}", f"known names: {', '.join(known)}" + (f", or {otherwise}" if otherwise else "")
    )
