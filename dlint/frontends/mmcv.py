"""Configs of mmcv 1: `data = dict(workers_per_gpu=…, train=dict(…))`, of which a loader is made.

The builders of mmdetection 2 and its siblings hand the keys beside the datasets on to torch's
DataLoader (mmdet/datasets/builder.py, `build_dataloader`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.frontends import dicts, records
from dlint.ir import expressions as ex
from dlint.library_facts.config_keys import MMCV

if TYPE_CHECKING:
    from dlint.frontends.dicts import Load
    from dlint.ir.module import ModuleIndex

DIALECT = "mmcv"
_DATA = frozenset({"data"})
_LOADER = "torch.utils.data.DataLoader"


def add_loaders(index: ModuleIndex, load: Load) -> None:
    """Add a call of DataLoader for what a module's `data` says of loaders."""
    for statement in list(dicts.described(index, _DATA)):
        given = dicts.settings(index, "data", load)
        if given is None or "workers_per_gpu" not in given or dicts.is_changed(index, "data"):
            continue
        index.dialect = DIALECT
        span = statement.value.span
        arguments = [_renamed(key, given[key]) for key in MMCV if key in given]
        arguments.append(records.rest(span))
        records.add_call(_LOADER, span, arguments, index.body, statement)


def _renamed(key: str, argument: ex.Argument) -> ex.Argument:
    value = argument.value
    if ex.constant(value) is None:
        value = ex.Opaque(value.span)
    return records.Renamed(argument.span, value, MMCV[key], own=key)
