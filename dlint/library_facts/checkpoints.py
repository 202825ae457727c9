"""What gives a program the weights of a model that was trained before."""

from __future__ import annotations

READING = frozenset({"torch.load", "torch.jit.load", "safetensors.torch.load_file"})
"""Functions that read what was saved, by their paths."""

GIVING = frozenset({"load_state_dict", "load_from_checkpoint", "from_pretrained"})
"""Methods by which a model gets its weights, by their names (torch, Lightning, transformers)."""
