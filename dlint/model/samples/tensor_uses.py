"""Where a program takes a part of a batch for a tensor, so that a list in its place would raise.

Question: which parts of a loader's batches are copied to a device, have methods of tensors called
on them, or are given to losses of torch and models of transformers? Known are those calls alone,
in loops over the loader; what other functions do with a part is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.library_facts.tensors import ONLY_OF_TENSORS
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.loss_calls import is_loss_call, is_made_by
from dlint.model.samples.batch_parts import is_batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_MODELS = "transformers."
_MADE_BY = ("from_pretrained", "from_config")


class TensorUse(NamedTuple):
    """A call that takes `part` of a batch for a tensor."""

    part: ex.Expression
    call: ex.Call

    def key(self, context: AnalysisContext) -> str | int | None:
        """The key, or the position, of the part; None where it is no part of a batch by itself."""
        part, frame = ex.unnamed(self.part), context.solver.root(self.call.scope)
        if isinstance(part, ex.Item) and not part.starred:
            return part.position if is_batch(context, part.value, frame) else None
        if not isinstance(part, ex.Subscript) or not is_batch(context, part.value, frame):
            return None
        key = ex.constant(part.index)
        return key.value if key is not None and isinstance(key.value, str | int) else None


def tensor_uses(loader: Loader) -> Iterator[TensorUse]:
    """The calls that take parts of a loader's batches for tensors, copies to a device first."""
    yield from (TensorUse(transfer.source, transfer.call) for transfer in loader.transfers)
    bodies = [loop.body for loop in loader.loops if loop.body is not None]
    for call in dict.fromkeys(call for body in bodies for call in calls_in(body)):
        yield from _of_call(loader.context, call)


def _of_call(context: AnalysisContext, call: ex.Call) -> Iterator[TensorUse]:
    callee = call.function
    if isinstance(callee, ex.Attribute) and call.name in ONLY_OF_TENSORS:
        yield TensorUse(callee.value, call)
    elif is_loss_call(context, call) or is_model(context, call):
        yield from (TensorUse(a.value, call) for a in call.arguments if not a.star)


def is_model(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call certainly runs a model of transformers."""
    return is_made_by(context, call, lambda path: path.startswith(_MODELS) and _is_model(path))


def _is_model(path: str) -> bool:
    *_, cls, method = path.split(".")
    return method in _MADE_BY and ("Model" in cls or "For" in cls)
