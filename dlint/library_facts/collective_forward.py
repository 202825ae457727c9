"""Forward passes that all ranks must make together.

Read in torch 2.13.0 (torch/nn/parallel/distributed.py, torch/distributed/fsdp).
"""

from __future__ import annotations

from dlint.findings.regexes import lazily

SHARDING = frozenset({"FullyShardedDataParallel", "fully_shard"})
"""Wrappers whose models gather their parameters from all ranks in each forward pass."""

SYNCING = frozenset({"DistributedDataParallel"})
"""Wrappers whose models send their buffers from rank 0 to the others, first in a forward pass."""

SENDING_NOTHING = ("apex.",)
"""Where wrappers of such a name lie whose forward pass is that of the module inside.

`apex.parallel.DistributedDataParallel.forward` calls the module, and looks at parameters; what it
sends, it sends in the constructor and in the backward pass.
"""

SWITCHES = ("broadcast_buffers", "forward_sync_buffers")
"""Arguments by which a wrapper leaves the buffers alone."""

BUFFERED = lazily(
    r"^torch\.nn\.(modules\.batchnorm\.)?(Lazy|Sync)?BatchNorm(\dd)?(\.\w+)?$"
    r"|^torchvision\.models\.(\w+\.)?(wide_)?(resnet|resnext|densenet|mobilenet|efficientnet|regnet"
    r"|mnasnet|shufflenet|googlenet|inception|vgg\d+_bn)\w*$"
    r"|^torch\.nn\.Module\(\)\.register_buffer$"
)
"""Paths of what makes modules with buffers."""

_OF_TORCH = (
    "all_reduce all_gather all_gather_object all_gather_into_tensor all_to_all reduce gather "
    "gather_object broadcast broadcast_object_list reduce_scatter reduce_scatter_tensor barrier "
    "monitored_barrier"
)
_OF_ACCELERATE = "gather gather_for_metrics reduce pad_across_processes wait_for_everyone"
_OF_FABRIC = "all_gather all_reduce barrier broadcast"
_ACCELERATORS = ("accelerate.Accelerator()", "accelerate.accelerator.Accelerator()")
_FABRICS = ("lightning.Fabric()", "lightning.fabric.Fabric()", "lightning_fabric.Fabric()")
COLLECTIVES = frozenset(
    f"{owner}.{name}"
    for owners, names in {
        ("torch.distributed",): _OF_TORCH,
        (*_ACCELERATORS, "accelerate.utils"): _OF_ACCELERATE,
        _FABRICS: _OF_FABRIC,
    }.items()
    for owner in owners
    for name in names.split()
)
"""Calls that return in one process when all others have made them too (accelerate 1.15,
lightning 2.6): where there is one process alone they return at once."""

GROUP = "group"
"""The argument that names those who take part, of functions of torch."""

_PLAIN = """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d Bilinear CELU ConstantPad1d
    ConstantPad2d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
    CosineSimilarity Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag Flatten
    Fold GELU GLU GRU GRUCell GroupNorm Hardsigmoid Hardswish Hardtanh Identity LSTM LSTMCell
    LayerNorm LeakyReLU Linear LocalResponseNorm LogSigmoid LogSoftmax MaxPool1d MaxPool2d
    MaxPool3d Mish ModuleDict ModuleList MultiheadAttention PReLU ParameterDict ParameterList
    PixelShuffle PixelUnshuffle RMSNorm RNN RNNCell ReLU ReLU6 ReflectionPad1d ReflectionPad2d
    ReplicationPad2d SELU Sequential SiLU Sigmoid Softmax Softmax2d Softplus Softsign Tanh
    Transformer TransformerDecoderLayer TransformerEncoderLayer Unfold Upsample
    ZeroPad2d
"""
PLAIN = frozenset(f"torch.nn.{name}" for name in _PLAIN.split())
"""Modules of torch without buffers, as an object of each has shown (torch 2.13.0)."""

MODULES = frozenset(
    {"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"}
)
"""What the modules of a project derive from."""

BARE = lazily(
    r"^builtins\.|^math\.|^torch\.nn\.init\.|^torch\.nn\.Parameter$|^torch\.[a-z]\w*$"
    r"|^torch\.nn\.Module\(\)\.(add_module|apply|modules|parameters)$"
)
"""Paths of what a constructor of a module may call besides, and that makes no buffers."""

MOVING = frozenset({"cuda", "to", "cpu", "float", "half", "train", "eval"})
"""Methods of a module that give the module itself."""
