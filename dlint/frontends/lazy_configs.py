"""detectron2's LazyConfig: `L(build_detection_train_loader)(…)` is a call that is made later.

Its builders hand what they do not take themselves to torch's DataLoader
(detectron2/data/build.py, `build_batch_data_loader`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.frontends import records
from dlint.ir import expressions as ex
from dlint.library_facts.config_keys import DETECTRON2_BUILDERS
from dlint.library_facts.loaders import ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.ir.module import ModuleIndex

DIALECT = "LazyConfig"
_LAZY = "LazyCall"
_LOADER = "torch.utils.data.DataLoader"
_OWN = frozenset({"dataset", "sampler", "batch_size", "collate_fn"})
"""What the builders themselves make something of."""


def add_loaders(index: ModuleIndex) -> None:
    """Add a call of DataLoader for each loader that a module says to make later."""
    targets = (store.target for store in index.body.stores)
    written = {t.name for t in targets if isinstance(t, ex.Attribute)}
    for call in list(index.body.calls):
        made = _made_later(call)
        if made is None:
            continue
        hidden = written | (_OWN if made in DETECTRON2_BUILDERS else frozenset())
        arguments = list(_passed(call, hidden))
        index.dialect = DIALECT
        arguments.append(records.rest(call.span))
        records.add_call(_LOADER, call.span, arguments, index.body, call.statement)


def _made_later(call: ex.Call) -> str | None:
    """The name of the loader, or of its builder, in `LazyCall(…)(…)`."""
    lazy = call.function
    if not isinstance(lazy, ex.Call) or len(lazy.arguments) != 1:
        return None
    if _imported(lazy.function) != _LAZY:
        return None
    made = lazy.arguments[0].value
    name = made.name if isinstance(made, ex.Reference | ex.Attribute) else None
    if name in DETECTRON2_BUILDERS:
        return name
    return name if name == "DataLoader" and _is_torch(made) else None


def _imported(expression: ex.Expression) -> str | None:
    """The name that an import gives to what is called."""
    if isinstance(expression, ex.Attribute):
        return expression.name
    value = _value(expression)
    return value.name if isinstance(value, ex.Imported) else None


def _is_torch(expression: ex.Expression) -> bool:
    while isinstance(expression, ex.Attribute):
        expression = expression.value
    value = _value(expression)
    return isinstance(value, ex.Imported) and value.module.partition(".")[0] == "torch"


def _value(expression: ex.Expression) -> ex.Expression | None:
    definition = expression.definition if isinstance(expression, ex.Reference) else None
    return None if definition is None else definition.value


def _passed(call: ex.Call, hidden: set[str] | frozenset[str]) -> Iterator[ex.Argument]:
    """What torch is given; what is written to later, or made by the builder, is not known."""
    for argument in call.arguments:
        name = argument.keyword
        if name in ARGUMENTS and name is not None:
            known = isinstance(argument.value, ex.Constant) and name not in hidden
            value = argument.value if known else ex.Opaque(argument.value.span)
            yield ex.Argument(argument.span, value, name)
