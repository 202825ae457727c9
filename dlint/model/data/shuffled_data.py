"""Data that comes in a random order before a data set is made of it.

Questions: was some of what a data set is made of put into a random order by scikit-learn; are the
tensors of a `TensorDataset` drawn at random, so that no order says anything? Followed: names,
parameters as calls give them, and what functions of the project return; no more than `_MOST`
expressions. Of tensors, the first must be numbers that torch or NumPy draws alike, converted and
scaled at most, and all others made of such.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of, parts_behind
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.mutations import TENSORS
from dlint.library_facts.samplers import DRAWN, SHUFFLED
from dlint.library_facts.seeding import ALIKE, SPREAD
from dlint.model.samples.grad_samples import tensors_of
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader

_CONVERTING = frozenset({"tensor", "as_tensor", "from_numpy", "FloatTensor", "Tensor"})
_OF_ALL = frozenset({"float", "long", "int", "to", "astype", "type", "reshape", "view", "clone"})
_OF_ALL |= {"cuda", "unsqueeze", "squeeze", "abs", "double", "half", "detach", "requires_grad_"}
"""Methods that leave each sample in its place."""
_MOST = 60
"""How many expressions are followed."""


def comes_shuffled(loader: Loader) -> bool:
    """Whether some of what the dataset is made of was shuffled once, before it was kept."""
    given = loader.given("dataset")
    queue = [] if given is None else [given]
    seen: set[tuple[ex.Expression, CallContext]] = set()
    while queue and len(seen) < _MOST:
        found = queue.pop(0)
        if found in seen:
            continue
        seen.add(found)
        expression, frame = found
        for part in walk.walk(expression):
            if isinstance(part, ex.Call) and _shuffles(loader.context, part):
                return True
            queue += _behind(loader.context, part, frame)
    return False


def is_drawn_at_random(loader: Loader) -> bool:
    """Whether its samples are rows of tensors that are drawn, each like the other."""
    made = loader.values("dataset")
    tensors = [list(tensors_of(loader, value)) for value in made]
    return bool(tensors) and all(
        bool(rows)
        and _is_drawn(loader.context, *rows[0])
        and all(any(_draws(loader.context, p) for p in _parts(loader.context, r)) for r in rows[1:])
        for rows in tensors
    )


def _parts(context: AnalysisContext, row: tuple[ex.Expression, CallContext]) -> Iterator[ex.Call]:
    tensor, frame = _bound(row[0]), row[1]
    return (part for part in parts_behind(context, tensor, frame) if isinstance(part, ex.Call))


def _bound(tensor: ex.Expression) -> ex.Expression:
    """What a name is bound to, alone or with others: `a, b = x, y`."""
    return origin_of(ex.unpacked(origin_of(tensor)))


def _is_drawn(context: AnalysisContext, tensor: ex.Expression, frame: CallContext) -> bool:
    """Whether a tensor is one that is drawn, or such a one converted, reshaped or scaled."""
    for _ in range(_MOST):
        tensor = _bound(tensor)
        given = frame.given(tensor.name) if isinstance(tensor, ex.Parameter) else None
        if isinstance(tensor, ex.Binary) and isinstance(tensor.right, ex.Constant):
            tensor = tensor.left
        elif given is not None:
            tensor, frame = given
        elif not isinstance(tensor, ex.Call):
            return False
        elif _draws(context, tensor):
            return True
        else:
            inner = _converted(context, tensor)
            if inner is None:
                return False
            tensor = inner
    return False


def _converted(context: AnalysisContext, call: ex.Call) -> ex.Expression | None:
    """What `torch.from_numpy(x)` and `x.float()` are given."""
    if any(path in TENSORS for path in library_callees(context, call)):
        return written(call, 0) if call.name in _CONVERTING else None
    callee = call.function
    return callee.value if isinstance(callee, ex.Attribute) and call.name in _OF_ALL else None


def _draws(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call draws an array of numbers from one distribution."""
    paths, first = library_callees(context, call), written(call, 0)
    plain = first is None or isinstance(first, ex.Constant)
    return any(path in ALIKE or (path in SPREAD and plain) for path in paths)


def _shuffles(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a function of scikit-learn returns its data in a random order."""
    if bind(context, call).may_be("shuffle", False):
        return False
    paths = library_callees(context, call)
    return any(path in SHUFFLED or path.startswith(DRAWN) for path in paths)


def _behind(
    context: AnalysisContext, part: ex.Expression, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What a name is bound to, what a parameter is given, and what a function returns."""
    match part:
        case ex.Reference(definition=None):
            for definition in _free(context, part.name, frame.scope):
                yield definition.value, context.solver.root(definition.scope)
        case ex.Reference(definition=definition):
            if definition is not None:
                yield definition.value, frame
        case ex.Parameter():
            frames = [frame] if frame.call is not None else context.evaluator.callers(frame.scope)
            yield from (g for f in frames if (g := f.given(part.name)) is not None)
        case ex.Call():
            for scope in callees_of(context, part):
                root = context.solver.root(scope)
                yield from ((result, root) for result in scope.returns)


def _free(context: AnalysisContext, name: str, scope: Scope) -> list[ex.Definition]:
    """The definitions of a free name, in the next scope around that has some."""
    outer = scope.parent
    while outer is not None:
        found = list(context.solver.bindings(outer, name))
        if found:
            return found
        outer = outer.parent
    return []
