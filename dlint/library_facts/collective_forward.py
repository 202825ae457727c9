"""Forward passes that all ranks must make together.

Read in torch 2.13.0 (torch/nn/parallel/distributed.py, torch/distributed/fsdp).
"""

from __future__ import annotations

from dlint.findings.regexes import lazily

SHARDING = frozenset({"FullyShardedDataParallel", "fully_shard"})
"""Wrappers whose models gather their parameters from all ranks in each forward pass."""

SYNCING = frozenset({"DistributedDataParallel"})
"""Wrappers whose models send their buffers from rank 0 to the others, first in a forward pass."""

SWITCHES = ("broadcast_buffers", "forward_sync_buffers")
"""Arguments by which a wrapper leaves the buffers alone."""

BUFFERED = lazily(
    r"^torch\.nn\.(modules\.batchnorm\.)?(Lazy|Sync)?BatchNorm(\dd)?(\.\w+)?$"
    r"|^torchvision\.models\.(\w+\.)?(wide_)?(resnet|resnext|densenet|mobilenet|efficientnet|regnet"
    r"|mnasnet|shufflenet|googlenet|inception|vgg\d+_bn)\w*$"
    r"|^torch\.nn\.Module\(\)\.register_buffer$"
)
"""Paths of what makes modules with buffers."""

PLAIN = frozenset(f"torch.nn.{name}" for name in ("Linear", "Embedding", "Conv1d", "Conv2d"))
"""Single layers without buffers."""
