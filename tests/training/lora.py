"""Low-rank adapters (Hu et al. 2021) of a model that stays as it is: their layers, and their file for llama.cpp."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

RANK = 8
ALPHA = 16.0  # what an adapter adds is ALPHA / RANK of its product
# What llama.cpp calls the matrices of a layer.
MATRICES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_TENSOR = re.compile(r"model\.layers\.(?P<layer>\d+)\.(?P<matrix>\w+\.\w+)\.(?P<half>[ab])")


class Adapted(nn.Module):
    """A matrix that is not trained, and two of rank RANK that are; their product begins as zero."""

    def __init__(self, matrix: nn.Linear) -> None:
        super().__init__()
        self.matrix = matrix
        self.a = nn.Parameter(torch.randn(RANK, matrix.in_features) / math.sqrt(matrix.in_features))
        self.b = nn.Parameter(torch.zeros(matrix.out_features, RANK))

    def forward(self, x: Tensor) -> Tensor:
        """Shape (…, out_features), in the type of `x`."""
        low = functional.linear(x, self.a.to(x.dtype)) * (ALPHA / RANK)
        whole: Tensor = self.matrix(x) + functional.linear(low, self.b.to(x.dtype))
        return whole


def adapt(model: Any, first_layer: int) -> list[nn.Parameter]:
    """Gives the layers from `first_layer` on adapters, and freezes the rest; what is to be trained."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for layer in model.model.layers[first_layer:]:
        for name in MATRICES:
            block, _, matrix = name.partition(".")
            setattr(getattr(layer, block), matrix, Adapted(layer.get_submodule(name)))
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def read_adapter(model: Any, path: Path) -> None:
    """Gives a model that has adapters those of a file by `write_adapter`."""
    import gguf

    known = {tensor.name: tensor.data for tensor in gguf.GGUFReader(str(path)).tensors}
    with torch.no_grad():
        for name, parameter in _trained(model):
            parameter.copy_(torch.from_numpy(known[name].astype(np.float32)))


def write_adapter(model: Any, architecture: str, path: Path) -> None:
    """The adapters of a model as a GGUF file, in 16 bits."""
    import gguf

    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    for name, parameter in _trained(model):
        writer.add_tensor(name, parameter.detach().float().cpu().numpy().astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _trained(model: Any) -> Iterator[tuple[str, nn.Parameter]]:
    """The matrices of the adapters, each with what llama.cpp calls it."""
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and (part := _TENSOR.fullmatch(name)):
            yield f"blk.{part['layer']}.{MATRICES[part['matrix']]}.weight.lora_{part['half']}", parameter
