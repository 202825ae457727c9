"""Evaluations that need full batches, so that the last one has to go where it is not full.

Question: does code speak of the size of a batch that was not taken from the batch itself, or ask
that it can be divided? Followed: the body of the loop over the batches, products with the size and
tensors of it that were made before it, in its function or by its only caller, what its function
calls; models of the project that are made for one size; losses that compare the samples of a batch,
by their names in the module; outputs that are stacked batch on batch (`stacked_outputs`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.backward import steps
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.value_parts import origin_over_calls, parts_in_function
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import ModuleIndex
from dlint.model.loops.stacked_outputs import are_outputs_stacked
from dlint.semantics.values.values import ClassObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.semantics.calls.call_contexts import CallContext

_SIZE = lazily(r"^(n_?)?(val_?|test_?|eval_?)?batch_?size$|^bs$", re.I)
"""Names of the number of samples in a batch."""

_SHAPING = frozenset(
    {"expand", "repeat", "tile", "broadcast_to", "zeros", "ones", "full", "new_zeros", "new_ones"}
)
"""Calls whose arguments are the shape of the tensor that they make."""

_COUNTING = _SHAPING | {"range", "view", "reshape", "randn", "empty"}
"""Calls that need as many samples as they are told."""

_COMPARING = lazily(
    rb"contrastiv|contrast_loss|info_?nce|nce_loss|nt_?xent|triplet|sup_?con|barlow|vic_?reg", re.I
)
"""Words of losses that compare the samples of a batch with one another, or take statistics of it
(Barlow Twins, VICReg)."""


def takes_full_batches(loader: Loader) -> bool:
    """Whether an evaluation counts by the size of a batch, or its loss depends on that size."""
    project = loader.context.project
    modules = {loader.call.scope.module, *(loop.scope.module for loop in loader.loops)}
    if any(map(_counts_by_size, loader.loops)) or are_outputs_stacked(loader):
        return True
    return any(
        project.says(module.path, _COMPARING) or _builds_by_size(loader, module)
        for module in modules
    )


def _builds_by_size(loader: Loader, module: ModuleIndex) -> bool:
    """Whether a model of the project is made for batches of one size."""
    context, given = loader.context, loader.given("batch_size")
    same = frozenset[ex.Expression]() if given is None else _bound(context, *given)
    calls = [call for scope in module.scopes for call in scope.calls]
    sized = (
        call
        for call in calls
        if any(
            _is_size(a) or _is_filled(a.value) or _is_same(context, a.value, call, same)
            for a in call.arguments
        )
    )
    return any(_is_model(context, call) for call in sized)


def _is_same(
    context: AnalysisContext, value: ex.Expression, call: ex.Call, same: frozenset[ex.Expression]
) -> bool:
    """Whether a name is bound to what the loader's batch size is bound to."""
    return bool(same) and _bound(context, value, context.solver.root(call.scope)) == same


def _bound(
    context: AnalysisContext, value: ex.Expression, frame: CallContext
) -> frozenset[ex.Expression]:
    """What a name stands for; nothing for other expressions."""
    found = steps(context, value, frame) if isinstance(value, ex.Reference) else ()
    return frozenset(bound for bound, _ in found)


def _is_model(context: AnalysisContext, call: ex.Call) -> bool:
    classes = context.solver.classes
    found = context.values(call.function, call.scope)
    bases = [b for v in found if isinstance(v, ClassObject) for b in classes.externals(v.cls)]
    return any(base.startswith("torch.nn.") for base in bases)


def _is_size(argument: ex.Argument) -> bool:
    return any(name and _SIZE.search(name) for name in (argument.keyword, _named(argument.value)))


def _named(part: ex.Expression) -> str:
    """The name of what is read, or its key: `args.batch_size`, `config["batch_size"]`."""
    match part:
        case ex.Reference() | ex.Attribute():
            return part.name
        case ex.Subscript(index=ex.Constant(value=str(key))):
            return key
    return ""


def _counts_by_size(loop: BatchLoop) -> bool:
    """Whether a loop speaks of the size of a batch that was not taken from the batch itself."""
    if loop.body is None:
        return False
    own = any(_is_given(part, loop) or _is_divided(part) for part in walk.parts(loop.body))
    entered = entered_by(loop.context, loop.scope.calls)
    return own or any(
        _is_kept(part) or _is_divided(part) for scope in entered for part in walk.parts(scope.body)
    )


def _is_given(part: ex.Expression, loop: BatchLoop) -> bool:
    """Whether a part names the size, as it was before the loop, or a number made of it there."""
    made = part.definition if isinstance(part, ex.Reference) else None
    if made is not None and made.span >= loop.statement.span:
        return False
    if _SIZE.search(_named(part)):
        return True
    if made is None:
        return False
    context = loop.context
    origin, _ = origin_over_calls(context, part, context.solver.root(loop.scope))
    return _is_product(origin) or _is_filled(origin)


def _is_filled(made: ex.Expression) -> bool:
    """Whether a tensor was made for batches of one size: `target.expand(batch_size, -1)`."""
    made = ex.unnamed(made)
    while isinstance(made, ex.Call) and made.name not in _SHAPING:
        moved = made.function.value if isinstance(made.function, ex.Attribute) else made.function
        made = ex.unnamed(moved)
    if not isinstance(made, ex.Call):
        return False
    given = (argument.value for argument in made.arguments)
    return any(_SIZE.search(_named(p)) for value in given for p in parts_in_function(value))


def _is_product(made: ex.Expression) -> bool:
    """Whether a number is a product with the size of a batch: `args.batch_size * pixels`."""
    made = ex.unnamed(made)
    if not isinstance(made, ex.Binary) or made.operator != "*":
        return False
    return any(_SIZE.search(_named(part)) for part in walk.walk(made))


def _is_kept(part: ex.Expression) -> bool:
    """Whether an object, or an option, keeps a number of rounds or the length of a tensor:
    `range(self.batch_size)`, `x.view(self.batch_size, -1)`.
    """
    if not isinstance(part, ex.Call) or part.name not in _COUNTING:
        return False
    return any(
        isinstance(kept := ex.unnamed(a.value), ex.Attribute)
        and (_is_size(a) or _SIZE.search(kept.name) is not None)
        for a in part.arguments
    )


def _is_divided(part: ex.Expression) -> bool:
    """`assert batch_size % devices == 0`, where the size may be that of a tensor's first axis."""
    if not isinstance(part, ex.Binary) or part.operator != "%":
        return False
    return bool(_SIZE.search(_named(part.left))) or _is_first_axis(ex.unnamed(part.left))


def _is_first_axis(size: ex.Expression) -> bool:
    """`images.size(0)`, `images.shape[0]`."""
    match size:
        case ex.Call(name="size", arguments=(ex.Argument(value=axis),)):
            pass
        case ex.Subscript(value=ex.Attribute(name="shape"), index=axis):
            pass
        case _:
            return False
    number = ex.constant(axis)
    return number is not None and number.value == 0
