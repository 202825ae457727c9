"""MMEngine configs: `train_dataloader = dict(…)`, of which the runner makes a DataLoader.

What a file does not say is looked up in those that its `_base_` names. The runner builds the
dataset, the sampler and the functions from their own dicts and hands the other keys on
(mmengine/runner/runner.py, `build_dataloader`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.frontends import dicts, records
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.frontends.dicts import Load, Settings
    from dlint.ir.module import Bind, ModuleIndex

DIALECT = "MMEngine"
_NAMES = frozenset({"train_dataloader", "val_dataloader", "test_dataloader"})
_BUILT = frozenset({"dataset", "worker_init_fn", "collate_fn"})
_OWN = frozenset({"_delete_", "num_batch_per_epoch"})
_LOADER = "torch.utils.data.DataLoader"
_SAMPLER = "mmengine.dataset.DefaultSampler"


def add_loaders(index: ModuleIndex, load: Load) -> None:
    """Add a call of DataLoader for each loader that a module's dicts describe."""
    for statement in list(dicts.described(index, _NAMES)):
        name = statement.definitions[0].name
        given = dicts.settings(index, name, load)
        if given is None or not {"dataset", "sampler"} <= given.keys():
            continue
        if dicts.is_changed(index, name):
            continue
        index.dialect = DIALECT
        span = statement.value.span
        arguments = list(_passed(index, statement, given))
        records.add_call(_LOADER, span, arguments, index.body, statement)


def _passed(index: ModuleIndex, statement: Bind, given: Settings) -> Iterator[ex.Argument]:
    """What DataLoader is given: what the runner builds is not looked into."""
    batches = given.get("batch_sampler")
    batched = batches is not None and not _is_none(batches.value)
    for name, argument in given.items():
        if name in _OWN or (batched and name in ("batch_size", "sampler")):
            continue
        value = argument.value
        if name in ("sampler", "batch_sampler") and dicts.is_dict(value):
            value = records.add_call(_SAMPLER, value.span, (), index.body, statement)
        elif name in _BUILT or ex.constant(value) is None:
            value = ex.Opaque(value.span)
        yield ex.Argument(argument.span, value, name)


def _is_none(value: ex.Expression) -> bool:
    known = ex.constant(value)
    return known is not None and known.value is None
