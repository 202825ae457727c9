"""Whether a data set takes a list for an index, as a `BatchSampler` that is given as sampler asks.

Question: does taking a sample by a list certainly raise? Known are the data sets of torchvision
and classes of the project whose `__getitem__` looks the index up in a list, or computes with it,
on every path. Subsets hand a list on. Everything else may take it: tensors and tables do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.calls import certainly_calls
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.torchvision import dataset_facts
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import (
    AllocationSite,
    Container,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader

_NUMERIC = frozenset({"%", "-", "//", "/", "**", "+", ">>", "<<"})
_ORDERS = frozenset({"<", "<=", ">", ">="})
_ROWS = frozenset({"builtins.list", "builtins.tuple", "builtins.sorted"})
_SUBSET = ("dataset", "indices")
_HANDING_ON = ("torch.utils.data.Subset", "torch.utils.data.dataset.Subset")


def refuses_lists(loader: Loader) -> bool:
    """Whether every data set that a loader reads certainly raises for a list of indices."""
    given = list(_taken_from(loader))
    return bool(given) and all(_refuses(loader.context, value) for value in given)


def _taken_from(loader: Loader) -> Iterator[Value]:
    """The data sets of a loader, and those behind subsets."""
    waiting = list(loader.values("dataset"))
    seen = set(waiting)
    while waiting:
        value = waiting.pop()
        passed = None
        if isinstance(value, AllocationSite) and _hands_on(value):
            passed = loader.context.solver.passed.get(value)
        whole = None if passed is None else passed.written(_SUBSET, "dataset")
        if whole is None:
            yield value
            continue
        inner = [v for v in loader.context.solver.values(*whole) if v not in seen]
        seen.update(inner)
        waiting += inner


def _hands_on(value: Value) -> bool:
    path = library_path(value)
    return path in _HANDING_ON or path.endswith(".random_split")


def _refuses(context: AnalysisContext, value: Value) -> bool:
    cls = attributes.project_class(value)
    if cls is None:
        return dataset_facts(library_path(value)) is not None
    method = context.solver.classes.method(cls, "__getitem__")
    batched = context.solver.classes.method(cls, "__getitems__")
    if method is None or batched is not None or len(method.parameters) != len(("self", "index")):
        return False
    index = method.parameters[-1].name
    return any(_needs_number(context, cls, method, p, index) for p in _always_evaluated(method))


def _always_evaluated(method: Scope) -> Iterator[ex.Expression]:
    """The expressions that every call of a method evaluates, as far as its own body says."""
    for statement in walk.statements(method.body):
        if always_runs(statement, method.body):
            for expression in walk.expressions(statement):
                yield from walk.walk(expression)


def _needs_number(
    context: AnalysisContext, cls: Class, method: Scope, part: ex.Expression, index: str
) -> bool:
    match part:
        case ex.Subscript():
            return _is_index(part.index, index) and _is_list(context, cls, method, part.value)
        case ex.Binary() if part.operator in _NUMERIC:
            sides = (part.left, part.right)
        case ex.Comparison() if part.operator in _ORDERS:
            sides = (part.left, part.right)
        case _:
            return False
    numbers = [s for s in sides if isinstance(s, ex.Constant) and isinstance(s.value, int | float)]
    return bool(numbers) and any(_is_index(side, index) for side in sides)


def _is_index(expression: ex.Expression, index: str) -> bool:
    definition = expression.definition if isinstance(expression, ex.Reference) else None
    value = None if definition is None else definition.value
    return isinstance(value, ex.Parameter) and value.name == index


def _is_list(
    context: AnalysisContext, cls: Class, method: Scope, expression: ex.Expression
) -> bool:
    """Whether an attribute of the data set is certainly a list or a tuple of Python."""
    if not isinstance(expression, ex.Attribute) or not is_self(expression.value, method):
        return False
    writes = [w for w in context[ObjectStates].of(cls).writes if w.attribute == expression.name]
    others = [w for w in writes if not w.inside and not _makes_row(context, w.value)]
    values = [v for w in others for v in context.values(w.value, w.frame.scope)]
    return bool(writes) and all(isinstance(v, Container) and _is_row_of(v) for v in values)


def _makes_row(context: AnalysisContext, value: ex.Expression) -> bool:
    """Whether it is a list or a tuple, whatever it is made of: `sorted(names)`."""
    made = origin_of(value)
    return isinstance(made, ex.Call) and certainly_calls(context, made, _ROWS)


def _is_row_of(value: Container) -> bool:
    origin = value.origin
    if isinstance(origin, ex.Sequence | ex.Comprehension):
        return origin.kind in ("list", "tuple")
    return isinstance(origin, ex.Call) and origin.name in ("list", "tuple", "sorted")
