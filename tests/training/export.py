"""Weights for the product: an ONNX file with matrices of 8 or 4 bits in blocks, and what goes with it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import HQQWeightOnlyQuantConfig, MatMulNBitsQuantizer
from torch import nn

from evermem_cli.reading.shipped import TOKENIZER, WORDS
from tests.training.encoder import BEGIN, END

# Measured on 200 messages, on one core: 99.4 % of the tags of 32 bits; scales for whole matrices instead of blocks are
# faster (2.5 for 4.7 ms a message), and lose one tag of eight that are part of a statement.
_BLOCK = 32
_TABLE = "encoder.word.weight_quantized"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def export(
    name: str, network: nn.Module, tokenizer: Any, folder: Path, settings: Mapping[str, Any], bits: int = 8
) -> None:
    """Writes NAME.onnx, NAME.json and the tokenizer into `folder`; `settings` go into the second of them.

    They may name another file for the tokenizer than the one that the English models share, and its marks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole, target = folder / "whole.onnx", folder / f"{name}.onnx"
    ids = torch.ones((2, 9), dtype=torch.int64)
    torch.onnx.export(
        network.eval(),
        (ids, ids, torch.zeros_like(ids)),
        str(whole),
        input_names=list(_INPUTS),
        output_names=["logits"],
        dynamic_axes={each: {0: "texts", 1: "tokens"} for each in (*_INPUTS, "logits")},
        opset_version=17,
        dynamo=False,
    )
    how = {"algo_config": HQQWeightOnlyQuantConfig(_BLOCK, bits=4)} if bits == 4 else {"bits": 8, "block_size": _BLOCK}
    blocks = MatMulNBitsQuantizer(onnx.load(str(whole)), is_symmetric=bits == 8, accuracy_level=4, **how)
    blocks.process()
    onnx.save(blocks.model.model, str(whole))
    quantize_dynamic(
        str(whole),
        str(target),
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["Gather"],
        nodes_to_exclude=_packed(onnx.load(str(whole)).graph),
    )
    whole.unlink()
    slim(target, unused_of(tokenizer))
    words = share_words(target)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(folder / settings.get("tokenizer", TOKENIZER)))
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    made = {"name": f"evermem-{name}-{digest[:12]}", "sha256": digest, "begin_token": BEGIN, "end_token": END} | words
    (folder / f"{name}.json").write_text(json.dumps(made | dict(settings), indent=2) + "\n", encoding="utf-8")


def unused_of(tokenizer: Any) -> list[int]:
    """The pieces of BERT's vocabulary that stand for nothing."""
    return [number for piece, number in tokenizer.get_vocab().items() if piece.startswith("[unused")]


def slim(target: Path, unused: Sequence[int]) -> None:
    """Makes the file smaller when it is compressed: scales of bfloat16, and zeros as the vectors of unused pieces.

    That moves a weight by at most a five-hundredth, and the vectors of 994 pieces that no text has.
    """
    graph = onnx.load(str(target), load_external_data=False)
    scales = {node.input[2] for node in graph.graph.node if node.op_type == "MatMulNBits"}
    for each in graph.graph.initializer:
        if each.name in scales:
            bits = onnx.numpy_helper.to_array(each).view(np.uint32)
            rounded = ((bits + np.uint32(0x8000)) & np.uint32(0xFFFF0000)).view(np.float32)
            each.CopyFrom(onnx.numpy_helper.from_array(rounded, each.name))
        elif each.name == _TABLE and unused:
            table = onnx.numpy_helper.to_array(each).copy()
            table[list(unused)] = 0
            each.CopyFrom(onnx.numpy_helper.from_array(table, each.name))
    target.write_bytes(graph.SerializeToString())


def _packed(graph: onnx.GraphProto) -> list[str]:
    """The names of the nodes that gather from what has fewer bits than 32 already."""
    narrow = {each.name for each in graph.initializer if each.data_type != onnx.TensorProto.FLOAT}
    return [node.name for node in graph.node if node.op_type == "Gather" and node.input[0] in narrow]


def share_words(target: Path) -> dict[str, str]:
    """Moves the model's vectors of words into the file that all models share; nothing where theirs are others."""
    shared, graph = target.with_name(WORDS), onnx.load(str(target))
    table = next((each for each in graph.graph.initializer if each.name == _TABLE), None)
    if table is None or (shared.exists() and shared.read_bytes() != table.raw_data):
        return {}
    shared.write_bytes(table.raw_data)
    set_external_data(table, WORDS, offset=0, length=len(table.raw_data))
    table.ClearField("raw_data")
    target.write_bytes(graph.SerializeToString())
    return {"words_sha256": hashlib.sha256(shared.read_bytes()).hexdigest()}
