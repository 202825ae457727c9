"""Lists in which collate functions gather a part of each sample, and what that part is.

Question: does a list hold, of all samples of a batch, a part that is certainly an array? Followed:
lists that a loop or a comprehension over the batch makes, `zip(*batch)`; the part by its position
or key, to what `__getitem__` of the data set returns there. Given up on: data sets whose class is
not known or that return in several ways, and what is made of a part before it is gathered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward_views import is_array
from dlint.analyses.lists import list_behind
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.ir import expressions as ex
from dlint.model.samples.collation import sample_sources
from dlint.model.samples.list_fields import field
from dlint.semantics.calls import attributes, calls

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

Key = int | str


def gathers_arrays(loader: Loader, gathered: ex.Expression, function: Scope) -> bool:
    """Whether a list in a collate function certainly holds an array of each sample."""
    key = _gathered_key(loader, gathered, function)
    sources = sample_sources(loader) if key is not None else frozenset()
    classes = {attributes.project_class(value) for value in sources}
    methods = [
        None if cls is None else loader.context.solver.classes.method(cls, "__getitem__")
        for cls in classes
    ]
    return bool(methods) and all(
        m is not None and key is not None and _gives_array(loader, m, key) for m in methods
    )


def _gives_array(loader: Loader, method: Scope, key: Key) -> bool:
    part = field(loader.context, method, key)
    return part is not None and is_array(loader.context, *part)


def _gathered_key(loader: Loader, gathered: ex.Expression, function: Scope) -> Key | None:
    """The position or key of the part of each sample that a list holds."""
    context, root = loader.context, loader.context.solver.root(function)
    made = origin_of(gathered)
    if isinstance(made, ex.Item) and _is_turned(context, made.value, root):
        return made.position
    whole, frame = list_behind(context, gathered, root) or (None, root)
    if isinstance(whole, ex.Binary) and _is_empty(whole.left):
        whole = whole.right
    if not isinstance(whole, ex.Comprehension) or len(whole.iterables) != 1:
        return None
    is_batch = _is_batch(context, whole.iterables[0], frame, function)
    return _part_of(whole.element, whole.iterables[0]) if is_batch else None


def _is_empty(made: ex.Expression) -> bool:
    return isinstance(made, ex.Sequence) and not made.items


def _part_of(element: ex.Expression, iterable: ex.Expression) -> Key | None:
    """The position or key by which a part is taken of what an iterable gives."""
    part = origin_of(element)
    if not isinstance(part, ex.Item | ex.Subscript):
        return None
    sample = origin_of(part.value)
    if not isinstance(sample, ex.Element) or sample.iterable is not iterable:
        return None
    if isinstance(part, ex.Item):
        return part.position
    constant = ex.constant(part.index)
    key = None if constant is None else constant.value
    return key if isinstance(key, int | str) else None


def _is_turned(context: AnalysisContext, made: ex.Expression, frame: CallContext) -> bool:
    """`zip(*batch)`."""
    call = origin_of(made)
    if not isinstance(call, ex.Call) or call.name != "zip" or len(call.arguments) != 1:
        return False
    return all(
        a.star == "*" and _is_batch(context, a.value, frame, frame.scope) for a in call.arguments
    )


def _is_batch(
    context: AnalysisContext, value: ex.Expression, frame: CallContext, function: Scope
) -> bool:
    """Whether a value is what a collate function is given: the list of samples."""
    names = [parameter.name for parameter in function.parameters]
    names = names[1:] if calls.takes_receiver(function) else names
    made, where = origin_over_calls(context, value, frame)
    if where.scope is not function or not isinstance(made, ex.Parameter):
        return False
    return made.name in names[:1]
