"""Samplers that give the same indices in the same order whenever they are begun.

Questions: is the order of a loader's samples certainly the same in every epoch, whatever sampler it
is given; is it in a run of one process? Followed: torch's `SequentialSampler`, in batches too;
classes of the project whose `__iter__` goes through an attribute that `__init__` alone writes,
however that was drawn, or through numbers in order. An order within a batch may change. Given up
on: samplers that draw, or whose attributes are written, in any other method, and those of
libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind_to
from dlint.analyses.callees import is_self
from dlint.analyses.calls import calls_anywhere, certainly_calls, library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.samplers import (
    BATCHING,
    DISTRIBUTED,
    DISTRIBUTED_ARGUMENTS,
    IN_ORDER,
    REORDERING,
)
from dlint.model.ranks.distributed import asks_for_ranks
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.values.conditional_value import (
    Absent,
    ConditionalValue,
    ConditionalValues,
)
from dlint.semantics.values.values import (
    FALSE,
    AllocationSite,
    Value,
    is_of_library,
    library_path,
)

_BEGINNING = ("builtins.iter",)
_COUNTING = frozenset({"builtins.range", "builtins.len", "builtins.min", "builtins.int"})
_ARITHMETIC = (ex.Constant, ex.Binary, ex.Unary)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader


def is_sampled_alike(loader: Loader) -> bool:
    """Whether no sampler is given, or such as certainly give one order, on any path."""
    return all(a.is_nothing or _is_fixed(loader, a) for a in _samplers(loader))


def has_fixed_sampler(loader: Loader) -> bool:
    """Whether a sampler is given that certainly gives one order."""
    return any(_is_fixed(loader, a) for a in _samplers(loader))


def is_drawn_by_ranks_alone(loader: Loader) -> bool:
    """Whether torch's distributed sampler is given where tests ask for ranks, and else nothing.

    One that is told not to shuffle draws nothing.
    """
    found = _samplers(loader)
    given = [a for a in found if not a.is_nothing]
    if not given or not any(a.is_nothing for a in loader.argument("sampler")):
        return False
    return all(
        library_path(a.value) in DISTRIBUTED
        and any(asks_for_ranks(condition.test) for condition in a.path_condition)
        and not _is_told_not_to_shuffle(loader.context, a.value)
        for a in given
        if not isinstance(a.value, Absent)
    )


def _is_told_not_to_shuffle(context: AnalysisContext, sampler: Value) -> bool:
    passed = context.solver.passed.get(sampler) if isinstance(sampler, AllocationSite) else None
    if passed is None:
        return True
    return FALSE in bind_to(context, passed, library_signature(DISTRIBUTED_ARGUMENTS)).values(
        "shuffle"
    )


def _samplers(loader: Loader) -> ConditionalValues:
    return [*loader.argument("sampler"), *loader.argument("batch_sampler")]


def _is_fixed(loader: Loader, sampler: ConditionalValue) -> bool:
    value = sampler.value
    return not isinstance(value, Absent) and keeps_order(loader.context, value)


def keeps_order(context: AnalysisContext, sampler: Value) -> bool:
    """Whether a sampler certainly gives one order, each time it is begun."""
    if is_of_library(sampler):
        return _is_in_order(context, sampler, library_path(sampler))
    cls = attributes.project_class(sampler)
    method = None if cls is None else context.solver.classes.method(cls, "__iter__")
    if cls is None or method is None or "set_epoch" in cls.methods:
        return False
    source = _gone_through(context, method)
    names = None if source is None else _read_by(context, source, method)
    if names is None or not all(_is_made_once(context, cls, name) for name in names):
        return False
    return not _draws(context, cls)


def _is_in_order(context: AnalysisContext, sampler: AllocationSite, path: str) -> bool:
    if path in IN_ORDER:
        return True
    passed = context.solver.passed.get(sampler)
    if path not in BATCHING or passed is None:
        return False
    inner = bind_to(context, passed, library_signature(("sampler",))).values("sampler")
    return bool(inner) and all(library_path(v) in IN_ORDER for v in inner)


def _gone_through(context: AnalysisContext, method: Scope) -> ex.Expression | None:
    """What an iterator gives the elements of, one by one, and nothing else."""
    loops = [s for s in walk.statements(method.body) if isinstance(s, Loop)]
    if not loops and not method.yields and len(method.returns) == 1:
        return _begun(context, method.returns[0])
    if not loops and not method.returns and [y.delegates for y in method.yields] == [True]:
        whole = method.yields[0].value
        return None if whole is None else _begun(context, whole) or whole
    if len(loops) != 1 or method.returns or len(method.yields) != 1:
        return None
    loop, given = loops[0], method.yields[0].value
    if not isinstance(given, ex.Reference) or given.definition not in loop.definitions:
        return None
    return loop.source


def _begun(context: AnalysisContext, iterator: ex.Expression) -> ex.Expression | None:
    """What `iter` is called on; None where an iterator is made in another way."""
    begun = origin_of(iterator)
    is_begun = isinstance(begun, ex.Call) and library_callees(context, begun) == _BEGINNING
    return written(begun, 0) if is_begun and isinstance(begun, ex.Call) else None


def _read_by(context: AnalysisContext, source: ex.Expression, method: Scope) -> set[str] | None:
    """The attributes of `self` that some elements depend on; None where anything else counts."""
    parts = list(walk.walk(source))
    calls = [part for part in parts if isinstance(part, ex.Call)]
    if not all(certainly_calls(context, call, _COUNTING) for call in calls):
        return None
    own = {p: p.name for p in parts if isinstance(p, ex.Attribute) and is_self(p.value, method)}
    known = {*calls, *own, *(call.function for call in calls), *(p.value for p in own)}
    rest = (p for p in parts if p not in known)
    return set(own.values()) if all(isinstance(p, _ARITHMETIC) for p in rest) else None


def _is_made_once(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether nothing but constructors writes an attribute of this name, on objects of a class.

    Classes that are not related to it write attributes of their own.
    """
    stores = [(attributes.written_on_self(store), store) for store in context.project.writing(name)]
    own = [store for by, store in stores if by is None or _are_related(context, cls, by)]
    return bool(own) and all(
        attributes.written_on_self(store) is not None and store.scope.name == "__init__"
        for store in own
    )


def _are_related(context: AnalysisContext, cls: Class, other: Class) -> bool:
    ancestors = context.solver.classes.ancestors
    return other in ancestors(cls) or cls in ancestors(other)


def _draws(context: AnalysisContext, cls: Class) -> bool:
    """Whether a method that may run later draws an order, other than that within a batch."""
    others = [m for m in cls.methods.values() if m.name != "__init__"]
    later = [m for m in others if not _serves(context, cls, m)]
    return any(
        call.name in REORDERING and not _is_within(call)
        for method in later
        for call in method.calls
    )


def _serves(context: AnalysisContext, cls: Class, method: Scope) -> bool:
    """Whether a method is called by the constructor, and by nothing else: no other method, where
    its name says that it is private, and no call of that name in the program otherwise.
    """
    if method.name.startswith("__"):
        return False
    methods = {m for m in cls.methods.values() if any(c.name == method.name for c in m.calls)}
    if not method.name.startswith("_"):
        methods |= {call.scope for call in calls_anywhere(context, method.name)}
    return methods == {cls.methods.get("__init__")}


def _is_within(call: ex.Call) -> bool:
    """Whether a call in a loop reorders what the loop takes."""
    given = written(call, 0)
    loops = walk.enclosing_loops(call.statement)
    return isinstance(given, ex.Reference) and any(
        given.definition in loop.definitions for loop in loops
    )
