"""Lengths: a number that is written out for those of a list, and those that nobody gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import calls_to
from dlint.analyses.control.path_tests import is_tried
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, If, Scope, Statement, Try
from dlint.ir.walk import bindings_of
from dlint.library_facts.streams import BASES as ITERABLE
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import Value


class WrittenLength(NamedTuple):
    """A length that is a number, of a data set that takes its samples from an attribute.

    `held` is how many samples there are; None where that is not known.
    """

    place: Place
    number: int
    attribute: str
    held: int | None


def written_lengths(dataset: DatasetClass) -> Iterator[WrittenLength]:
    """A `__len__` that gives a number, beside a `__getitem__` that indexes an attribute."""
    context, cls = dataset.context, dataset.cls
    classes = context.solver.classes
    length, getter = classes.method(cls, "__len__"), classes.method(cls, "__getitem__")
    if length is None or getter is None or len(length.returns) != 1 or getter.owner is not cls:
        return
    sizes = context[DatasetSizes].sizes
    number = _number(context, length.returns[0], sizes.frame(length, cls))
    taken = _taken(getter)
    if taken is None or number is None or number <= 1 or length.owner is not cls:
        return
    held = sizes.length(taken, sizes.frame(getter, cls))
    exact = int(held.low) if held is not None and held.is_exact else None
    if exact != number:
        place = Place(length.module.path, *length.returns[0].span)
        yield WrittenLength(place, number, taken.name, exact)


def _number(context: AnalysisContext, length: ex.Expression, frame: CallContext) -> int | None:
    """The number that is written for a length: there, or as a constant of the class or module."""
    if isinstance(length, ex.Attribute) and any(context.project.writing(length.name)):
        return None
    found = context.evaluator.of(length, frame)
    values = {a.value.value if isinstance(a.value, Literal) else None for a in found}
    number = values.pop() if len(values) == 1 else None
    plain = isinstance(ex.unnamed(length), ex.Constant | ex.Attribute | ex.Reference)
    return number if plain and isinstance(number, int) and not isinstance(number, bool) else None


def _taken(getter: Scope) -> ex.Attribute | None:
    """The one attribute that a method indexes with its index as it is."""
    found: dict[str, ex.Attribute] = {}
    if len(getter.parameters) != 2 or any(True for s in walk.statements(getter.body) if _tests(s)):
        return None
    index = getter.parameters[1].name
    for part in parts_of(getter):
        if isinstance(part, ex.Subscript) and isinstance(part.value, ex.Attribute):
            by = ex.unnamed(part.index)
            own = is_self(part.value.value, getter)
            if own and isinstance(by, ex.Parameter) and by.name == index:
                found[part.value.name] = part.value
    return next(iter(found.values())) if len(found) == 1 else None


def _tests(statement: Statement) -> bool:
    """Whether a statement chooses: samples may then come from elsewhere."""
    return isinstance(statement, If | Try)


class StreamLength(NamedTuple):
    """Where the length of a stream is asked for; `name` is the class of the stream."""

    place: Place
    name: str


def lengths_of_streams(context: AnalysisContext) -> Iterator[StreamLength]:
    """`len(…)` of a stream of the project, or of its loader, that has no `__len__`."""
    made = {
        loader.made: loader for loaders in context[Loaders].by_call().values() for loader in loaders
    }
    for call in calls_to(context, "builtins.len"):
        if not context.told(call.scope.module.path):
            continue
        given = written(call, 0, "obj")
        if given is None or is_tried(call.statement):
            continue
        values: list[Value] = []
        for value in context.values(given, call.scope):
            loader = made.get(value) if isinstance(value, AllocationSite) else None
            values += [value] if loader is None else loader.values("dataset")
        found = {attributes.project_class(value) for value in values}
        cls = found.pop() if len(found) == 1 else None
        if cls is not None and _is_endless_stream(context, cls):
            yield StreamLength(context.place_of(call), cls.name)


def _is_endless_stream(context: AnalysisContext, cls: Class) -> bool:
    """Whether a class is a stream of torch whose length nobody gives."""
    classes = context.solver.classes
    paths = set(classes.externals(cls))
    names = ("__len__", "__getattr__", "__getattribute__")
    given = any(
        name in ancestor.methods or bool(bindings_of(ancestor.body, name))
        for ancestor in classes.ancestors(cls)
        for name in names
    )
    known = {p for p in paths if p in ITERABLE or p in ("typing.Generic", "builtins.object")}
    return not given and classes.is_whole(cls) and paths == known and bool(paths & set(ITERABLE))
