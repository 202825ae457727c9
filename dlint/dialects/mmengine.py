"""MMEngine configs: `train_dataloader = dict(…)`, of which the runner makes a DataLoader.

What a file does not say is looked up in those that its `_base_` names. The runner builds the
dataset, the sampler and the functions from their own dicts and hands the other keys on
(mmengine/runner/runner.py, `build_dataloader`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dlint.dialects import records
from dlint.index import expressions as ex
from dlint.index.model import Bind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dlint.index.model import ModuleIndex

    Load = Callable[[str], ModuleIndex | None]

DIALECT = "MMEngine"
_NAMES = frozenset({"train_dataloader", "val_dataloader", "test_dataloader"})
_BUILT = frozenset({"dataset", "worker_init_fn", "collate_fn"})
_OWN = frozenset({"_delete_", "num_batch_per_epoch"})
_LOADER = "torch.utils.data.DataLoader"
_SAMPLER = "mmengine.dataset.DefaultSampler"
_DEPTH = 6

Settings = dict[str, ex.Argument]


def add_loaders(index: ModuleIndex, load: Load) -> None:
    """Add a call of DataLoader for each loader that a module's dicts describe."""
    for statement in list(_described(index)):
        name = statement.definitions[0].name
        given = _settings(index, name, load, _DEPTH)
        if given is None or not {"dataset", "sampler"} <= given.keys():
            continue
        if _is_changed(index, name):
            continue
        index.dialect = DIALECT
        span = statement.value.span
        arguments = list(_passed(index, statement, given))
        records.add_call(_LOADER, span, arguments, index.body, statement)


def _described(index: ModuleIndex) -> Iterator[Bind]:
    for statement in index.body.body.statements:
        if not isinstance(statement, Bind) or len(statement.definitions) != 1:
            continue
        if statement.definitions[0].name in _NAMES and _is_dict(statement.value):
            yield statement


def _is_dict(value: ex.Expression) -> bool:
    return isinstance(value, ex.Call) and value.name == "dict"


def _settings(index: ModuleIndex, name: str, load: Load, depth: int) -> Settings | None:
    """The keys of a dict, those of the base files included; None where one is not known."""
    if depth == 0:
        return None
    last = [s for s in _described(index) if s.definitions[0].name == name]
    own: Settings = {}
    if last:
        call = last[-1].value
        assert isinstance(call, ex.Call)
        if any(argument.keyword is None for argument in call.arguments):
            return None
        own = {str(argument.keyword): argument for argument in call.arguments}
        if "_delete_" in own:
            return own
    elif any(d.name == name for d in index.body.definitions):
        return None
    inherited: Settings = {}
    for base in _bases(index):
        module = None if base is None else load(base)
        given = None if module is None else _settings(module, name, load, depth - 1)
        if given is None:
            return None
        inherited.update(given)
    return {**inherited, **own}


def _bases(index: ModuleIndex) -> Iterator[str | None]:
    """The files that `_base_` names; None for one that cannot be told."""
    for definition in index.body.definitions:
        if definition.name != "_base_":
            continue
        value = definition.value
        for item in value.items if isinstance(value, ex.Sequence) else (value,):
            text = item.value if isinstance(item, ex.Constant) else None
            known = isinstance(text, str) and text.endswith(".py") and "::" not in text
            folder = os.path.dirname(index.path)  # noqa: PTH120
            yield os.path.normpath(f"{folder}/{text}") if known else None


def _is_changed(index: ModuleIndex, name: str) -> bool:
    """Whether the module changes the dict after it has been written."""
    touched = [store.target.value for store in index.body.stores]
    for call in index.body.calls:
        if isinstance(call.function, ex.Attribute) and call.name in ("update", "pop"):
            touched.append(call.function.value)
    return any(isinstance(value, ex.Reference) and value.name == name for value in touched)


def _passed(index: ModuleIndex, statement: Bind, given: Settings) -> Iterator[ex.Argument]:
    """What DataLoader is given: what the runner builds is not looked into."""
    batches = given.get("batch_sampler")
    batched = batches is not None and not _is_none(batches.value)
    for name, argument in given.items():
        if name in _OWN or (batched and name in ("batch_size", "sampler")):
            continue
        value = argument.value
        if name in ("sampler", "batch_sampler") and _is_dict(value):
            value = records.add_call(_SAMPLER, value.span, (), index.body, statement)
        elif name in _BUILT or not isinstance(value, ex.Constant):
            value = ex.Opaque(value.span)
        yield ex.Argument(argument.span, value, name)


def _is_none(value: ex.Expression) -> bool:
    return isinstance(value, ex.Constant) and value.value is None
