"""What loaders are given as their data sets: classes of the project, and who is given each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import steps
from dlint.analyses.callees import is_self, method_scope, own_attribute
from dlint.analyses.guards import is_never_reached
from dlint.analyses.object_state.parts import annotated_classes
from dlint.analyses.object_state.sample_access import (
    TAKES,
    parts_of_scope,
    sample_methods,
    takes_by_index,
)
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.value_parts import names_of, origin_of, origin_over_calls
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.readers import is_dataset_base
from dlint.library_facts.sample_work import is_dataset
from dlint.model.loading.loaders import Loaders
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.conditional_value import Absent, ordered
from dlint.semantics.values.contents import contents
from dlint.semantics.values.values import (
    UNKNOWN,
    Container,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

from typing import NamedTuple, TypeGuard

_DEPTH = 5
_WRAPPED = ("dataset", "datasets")
"""What library data sets call the data sets that they take their samples from."""


class DatasetUse(NamedTuple):
    """A class whose objects loaders are given; `own_loaders` are given just this class."""

    cls: Class
    loaders: tuple[Loader, ...]
    own_loaders: tuple[Loader, ...]


def dataset_uses(context: AnalysisContext) -> tuple[DatasetUse, ...]:
    """The dataset classes of the project that loaders are given, in the order of places."""
    return tuple(_dataset_uses(context))


def _dataset_uses(context: AnalysisContext) -> Iterator[DatasetUse]:
    given, unknown = _given(context)
    classes = context.solver.classes
    for facts in context.modules:
        for cls in facts.module.classes:
            family = [cls, *classes.descendants(cls)]
            loaders = tuple(dict.fromkeys(x for c in family for x in given.get(c, ())))
            derives = any(map(is_dataset_base, classes.externals(cls)))
            if (derives and (loaders or unknown)) or (loaders and _gives_samples(context, cls)):
                yield DatasetUse(cls, loaders, tuple(dict.fromkeys(given.get(cls, ()))))


def _gives_samples(context: AnalysisContext, cls: Class) -> bool:
    return any(context.solver.classes.method(cls, name) is not None for name in TAKES)


def _given(context: AnalysisContext) -> tuple[dict[Class, list[Loader]], bool]:
    """The loaders of each class, and whether some loader is given nobody knows what."""
    given: dict[Class, list[Loader]] = {}
    unknown = False
    for loaders in context[Loaders].by_call().values():
        for loader in loaders:
            for value in given_datasets(loader):
                if value == UNKNOWN:
                    unknown = True
                    for annotated in _annotated(loader):
                        given.setdefault(annotated, []).append(loader)
                elif (cls := attributes.project_class(value)) is not None:
                    given.setdefault(cls, []).append(loader)
    return given, unknown


def _annotated(loader: Loader) -> Iterator[Class]:
    """The classes that annotations say the dataset of a loader is of."""
    expression = loader.written("dataset")
    for named in () if expression is None else names_of(expression):
        for name, scope in _parameters(loader.context, named, loader.call):
            yield from annotated_classes(loader.context, name, scope)


def _parameters(
    context: AnalysisContext, expression: ex.Expression, call: ex.Call
) -> Iterator[tuple[str, Scope]]:
    """The parameter that an expression reads, at once or by an attribute of the object."""
    if isinstance(expression, ex.Attribute) and is_self(expression.value, call.scope):
        for store in context.project.writing(expression.name):
            owner = attributes.written_on_self(store)
            if owner is not None and owner is _owner(call.scope):
                yield from _parameter(store.value, store.scope)
    yield from _parameter(expression, call.scope)


def _owner(scope: Scope) -> Class | None:
    method = method_scope(scope)
    return None if method is None else method.owner


def _parameter(expression: ex.Expression, scope: Scope) -> Iterator[tuple[str, Scope]]:
    definition = expression.definition if isinstance(expression, ex.Reference) else None
    if definition is not None and isinstance(definition.value, ex.Parameter):
        yield definition.name, scope


def given_datasets(loader: Loader) -> Iterator[Value]:
    """What a loader is given as its data set, and what that wraps, each once: level by level, in
    the order of places."""
    unmade = _unmade(loader)
    given = ordered(loader.values("dataset") | set(_joined(loader)))
    level = dict.fromkeys(v for v in given if v not in unmade)
    seen = dict(level)
    for _ in range(_DEPTH):
        inner = {v for value in level for v in _inside(loader.context, value)}
        level = dict.fromkeys(ordered(inner))
        level = {value: None for value in level if value not in seen}
        seen |= level
    return iter(seen)


def _joined(loader: Loader) -> Iterator[Value]:
    """What is joined by `a + b`: torch's data sets make a `ConcatDataset` of both."""
    waiting = [located] if (located := loader.given("dataset")) is not None else []
    while waiting:
        expression, frame = waiting.pop()
        whole = origin_of(expression)
        if isinstance(whole, ex.Binary) and whole.operator == "+":
            sides = [whole.left, whole.right]
            waiting += [(side, frame) for side in sides]
            for side in sides:
                yield from loader.context.solver.values(side, frame)


def _unmade(loader: Loader) -> set[Value | Absent]:
    """Those of several data sets that are only made where a test lets no run of the project come:
    behind `else` of `if dataset is not None`, where each call gives one."""
    given = loader.argument("dataset") if len(loader.values("dataset")) > 1 else []
    if len({alternative.value for alternative in given}) < 2:
        return set()
    made = {a.value for a in given if not _is_unreached(loader.context, a.source)}
    return {a.value for a in given} - made


def _is_unreached(context: AnalysisContext, made: ex.Expression | None) -> bool:
    if not isinstance(made, ex.Call):
        return False
    return is_never_reached(context, context.solver.root(made.scope), made.span)


def _is_of_one(part: ex.Expression) -> TypeGuard[ex.Subscript]:
    """Whether an item of a name, or of an item (`self.inners[which][index]`), is taken."""
    return isinstance(part, ex.Subscript) and not isinstance(part.value, ex.Attribute)


def _has_samples(context: AnalysisContext, value: Value) -> bool:
    """Whether a value is a data set of the project, which gives samples by their indexes."""
    cls = attributes.project_class(value)
    return cls is not None and bool(sample_methods(context, cls))


def parts_of(context: AnalysisContext, dataset: Value) -> Iterator[Value]:
    """A data set of a library, and what it is a part of: behind subsets and splits."""
    waiting, seen = [dataset], {dataset}
    while waiting:
        value = waiting.pop()
        yield value
        if is_of_library(value):
            new = [v for v in _inside(context, value) if v not in seen]
            seen.update(new)
            waiting += new


def _inside(context: AnalysisContext, value: Value) -> Iterator[Value]:
    """What a value wraps: subsets, concatenations, lists, project wrappers."""
    solver = context.solver
    if isinstance(value, Container):
        node = contents(solver, value, None)
        solver.settle()
        yield from node.values
    elif is_of_library(value):
        if library_path(value) in TENSOR_DATASETS:
            return
        passed = solver.passed.get(value)
        given = [] if passed is None else [argument_for(passed, 0, name) for name in _WRAPPED]
        first = next((bound.expression for bound in given if bound.expression is not None), None)
        if first is not None:
            yield from solver.values(*first)
    elif (cls := attributes.project_class(value)) is not None:
        yield from _wrapped(context, cls)


def _wrapped(context: AnalysisContext, cls: Class) -> Iterator[Value]:
    """What a data set takes its samples from: `self.inner[index]`, given to its constructor, or
    one of several: `[inner[index] for inner in self.inners]`."""
    for method in sample_methods(context, cls):
        for part in filter(_is_of_one, parts_of_scope(method)):
            found = context.values(part.value, method)
            yield from (value for value in found if _has_samples(context, value))
    for write in context[ObjectStates].of(cls).stores:
        if not takes_by_index(context, cls, write.attribute):
            continue
        values = context.values(write.value, write.frame.scope) - {UNKNOWN}
        if isinstance(write.value, ex.Reference):
            yield from values
        elif _is_always_taken(context, cls, write.attribute):
            yield from (value for value in values if _gives_items(context, value))


def _is_always_taken(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether an attribute is written once, and each sample is taken of it whatever a test says."""
    writes = [w for w in context[ObjectStates].of(cls).stores if w.attribute == attribute]
    taking = [
        statement
        for method in sample_methods(context, cls)
        for statement in walk.statements(method.body)
        for whole in walk.expressions(statement)
        for part in walk.walk(whole)
        if isinstance(part, ex.Subscript) and own_attribute(part.value, method) == attribute
    ]
    return len(writes) == 1 and not any(any(walk.tests(one)) for one in taking)


def _gives_items(context: AnalysisContext, value: Value) -> bool:
    """Whether a value that a constructor makes is a data set of its own, no mere table."""
    return _has_samples(context, value) or is_dataset(library_path(value))


def is_handed_in(loader: Loader) -> bool:
    """Whether nobody is seen to make a loader's data set: a parameter, or a name from elsewhere.

    An item of such a thing is one as well.
    """
    given = loader.given("dataset")
    if given is None:
        return False
    behind = [given]
    for _ in range(_DEPTH):
        if len(behind) != 1:
            return False
        origin, frame = origin_over_calls(loader.context, *behind[0])
        if isinstance(origin, ex.Parameter | ex.Imported):
            return True
        whole = origin.value if isinstance(origin, ex.Subscript) else None
        is_name = isinstance(origin, ex.Reference)
        outside = [*steps(loader.context, origin, frame)] if is_name else []
        behind = outside if whole is None else [(whole, frame)]
    return False
