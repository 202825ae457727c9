"""Data sets that can be run through once: their iterator is made with the object.

Question: does `__iter__` hand out one iterator that the constructor has made, or the object itself,
which comes to an end and begins nothing anew? And which loop runs a loader again while the object
stays the same? Silent where `__iter__` writes to the object, or calls a method of it that may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_call_to
from dlint.analyses.repetition import contains
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Jump, Loop, Scope, Store
from dlint.library_facts.streams import ITERATORS
from dlint.model.loops.epochs import EpochLoop, repeating_loops
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import Container, Generated, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


class OneShot(NamedTuple):
    """Where `__iter__` stands, and where the one iterator is made; None where it is the object."""

    place: Place
    source: Place | None
    attribute: str


def one_shot(dataset: DatasetClass) -> OneShot | None:
    """Why objects of a data set's class give their samples only once."""
    context, cls = dataset.context, dataset.cls
    method = context.solver.classes.method(cls, "__iter__")
    if method is None or _changes_object(method):
        return None
    place = Place(method.module.path, *method.span)
    if not method.yields and method.returns and all(is_self(r, method) for r in method.returns):
        return OneShot(place, None, "") if _ends(context, cls) else None
    for expression in _run_through(method):
        store = _made_once(context, cls, expression, method)
        if store is not None and isinstance(expression, ex.Attribute):
            source = Place(store.scope.module.path, *store.span)
            return OneShot(place, source, expression.name)
    return None


def _changes_object(method: Scope) -> bool:
    """Whether `__iter__` writes to the object, or calls a method of it that may."""
    written = any(is_self(store.target.value, method) for store in method.stores)
    return written or _calls_itself(method)


def _calls_itself(method: Scope) -> bool:
    return any(
        isinstance(call.function, ex.Attribute) and is_self(call.function.value, method)
        for call in method.calls
    )


def _run_through(method: Scope) -> list[ex.Expression]:
    """What `__iter__` returns or loops over, where that is all it does."""
    if method.yields:
        loops = [s.iterable for s in walk.statements(method.body) if isinstance(s, Loop)]
        delegated = [y.value for y in method.yields if y.delegates]
        found = [_iterated(e) for e in (*loops, *delegated) if e is not None]
    else:
        found = [_iterated(result) for result in method.returns]
    return found if len(found) == 1 else []


def _iterated(result: ex.Expression) -> ex.Expression:
    """`iter(x)` of an iterator is the iterator itself; a name is left for what it is bound to."""
    made = origin_of(result)
    given = positional(made) if isinstance(made, ex.Call) and made.name == "iter" else []
    return origin_of(given[0]) if len(given) == 1 else made


def _made_once(
    context: AnalysisContext, cls: Class, expression: ex.Expression, method: Scope
) -> Store | None:
    """The one write of an iterator to an attribute, in the constructor."""
    if not isinstance(expression, ex.Attribute) or not is_self(expression.value, method):
        return None
    lineage = context.solver.classes.ancestors(cls)
    written = [
        store
        for store in context.project.writing(expression.name)
        if attributes.written_on_self(store) in lineage or attributes.written_on_self(store) is None
    ]
    if len(written) != 1 or written[0].scope.name != "__init__":
        return None
    store = written[0]
    if isinstance(store.value, ex.Call) and is_call_to(context, store.value, ITERATORS):
        return store
    values = context.values(store.value, store.scope)
    return store if values and all(map(_is_iterator, values)) else None


def _is_iterator(value: Value) -> bool:
    """Whether a value is a generator."""
    if isinstance(value, Container):
        origin = value.origin
        return isinstance(origin, ex.Comprehension) and origin.kind == "generator"
    return isinstance(value, Generated)


def _ends(context: AnalysisContext, cls: Class) -> bool:
    """Whether `__next__` comes to an end and leaves the object there."""
    method = context.solver.classes.method(cls, "__next__")
    if method is None or _calls_itself(method):
        return False
    ends = [s for s in walk.statements(method.body) if isinstance(s, Jump) and _stops(s)]
    return bool(ends) and not any(_resets(end, method) for end in ends)


def _stops(statement: Jump) -> bool:
    raised = statement.value.function if isinstance(statement.value, ex.Call) else statement.value
    named = isinstance(raised, ex.Reference) and raised.name == "StopIteration"
    return statement.kind == "raise" and named


def _resets(end: Jump, method: Scope) -> bool:
    """Whether something is written to the object right before the end."""
    spans = [s.span for s in end.block.statements]
    return any(contains(span, store.span) for span in spans for store in method.stores)


def epochs_on_one_object(loader: Loader) -> EpochLoop | None:
    """A loop that runs the loader again, on the same object of the data set."""
    if not (loader.workers_absent or _keeps_workers(loader)):
        return None
    for epoch in repeating_loops(loader):
        if not epoch.makes(loader.made):
            return epoch
    return None


def _keeps_workers(loader: Loader) -> bool:
    kept = loader.argument("persistent_workers")
    return loader.workers_present is not None and any(a.truth is True for a in kept)
