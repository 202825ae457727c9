"""What among the arguments of a loader cannot be sent to a worker that starts afresh.

Question: which collate function, init function or data set does pickle refuse, and why. Followed:
what displays and constructors hold, what objects store, a few levels deep. Given up on: values of
which one is unknown, attributes that are written twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.constructions import construction
from dlint.analyses.control.path_tests import call_always_runs, is_under_main_guard
from dlint.analyses.object_state.kinds import HeldKind
from dlint.analyses.object_state.state import ObjectState, ObjectStates
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.library_facts import pickling as known
from dlint.library_facts.passthrough import SPLITS
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import given_to_rest
from dlint.semantics.values import containers
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    Container,
    FunctionObject,
    Generated,
    Method,
    Partial,
    Value,
    VarArgs,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_DEPTH = 5
NOTEBOOK = "which is defined in a notebook"
NESTED = "which is defined in a function of a notebook"
LOCAL = "which is defined in a function"
GUARDED = "which is defined under the main guard"
_SENT = ("collate_fn", "worker_init_fn", "dataset")


class Beside(NamedTuple):
    """Another thing that pickle refuses: what it is, where it is made, which attribute holds it."""

    what: str
    place: Place
    attribute: str


class Unpicklable(NamedTuple):
    """One thing that pickle refuses: what it is, where it is made, and which argument holds it."""

    what: str
    place: Place
    argument: str
    attribute: str = ""
    beside: Beside | None = None
    """What such an object holds beside, where its class is refused already."""

    @property
    def in_notebook(self) -> bool:
        """Whether it is refused because a notebook defines it, where no worker finds it."""
        return self.what.endswith(NOTEBOOK) or self.is_nested

    @property
    def is_nested(self) -> bool:
        """Whether a function of a notebook defines it: pickle refuses it in any other file, too."""
        return self.what.endswith(NESTED)


def unpicklable(loader: Loader) -> Unpicklable | None:
    """The first thing among the arguments of a loader that cannot be sent to a worker."""
    for argument in _SENT:
        values = loader.values(argument) - {NONE}
        found = _refused_datasets(loader) if argument == "dataset" else []
        found = found or [_refused(loader.context, value, _DEPTH) for value in values]
        if found and None not in found:
            what, place, attribute = min(one for one in found if one is not None)
            held = _beside(loader.context, values) if what.endswith(LOCAL) else iter(())
            beside = None if attribute else next(held, None)
            return Unpicklable(what, place, argument, attribute, beside)
    return None


def _beside(context: AnalysisContext, values: Iterable[Value]) -> Iterator[Beside]:
    """What objects of classes hold that no other process finds by their names."""
    for cls in filter(None, map(attributes.project_class, values)):
        held = _first(_stored(context[ObjectStates].of(cls), None, _DEPTH))
        if _is_local(cls) and held is not None and held[2]:
            yield Beside(*held)


_Refused = tuple[str, Place, str]


def _refused(context: AnalysisContext, value: Value, depth: int) -> _Refused | None:
    """Why a value cannot be pickled, where it is made, and the attribute that holds it."""
    if depth == 0:
        return None
    answers = context[_answers]
    asked = attributes.project_class(value) or value
    if (asked, depth) not in answers:
        answers[asked, depth] = _why_refused(context, value, depth)
    return answers[asked, depth]


def _why_refused(context: AnalysisContext, value: Value, depth: int) -> _Refused | None:
    match value:
        case FunctionObject():
            return _of_function(value.scope)
        case Method():
            return _of_method(value.scope.owner)
        case Generated():
            return "a generator", Place(value.scope.module.path, *value.scope.span), ""
        case Container() if isinstance(value.origin, ex.Comprehension):
            return _of_comprehension(value.origin, value)
        case Container():
            return _of_display(context, value, depth)
        case VarArgs() | Partial():
            return _of_arguments(context, value, depth)
        case AllocationSite() if is_of_library(value):
            path = library_path(value)
            if path in known.OBJECTS:
                return known.OBJECTS[path], context.place_of(value.call), ""
            holds = known.holds_arguments(path) or path in SPLITS
            return _of_arguments(context, value, depth) if holds else None
    cls = attributes.project_class(value)
    return None if cls is None else _of_object(context, cls, None, depth)


def _answers(_: AnalysisContext) -> dict[tuple[Class | Value, int], _Refused | None]:
    """What is known of objects, those of a project by class: many hold one of each other."""
    return {}


def _refused_datasets(loader: Loader) -> list[_Refused | None]:
    """Why each data set of a loader is refused, by what its own call gives; none if not known."""
    context, origins = loader.context, loader.context[DatasetOrigins]
    found = []
    for part in origins.of_loader(loader) or ():
        made = origins.whole(part) if origins.is_part(part) else frozenset({part})
        if not made:
            return []
        for origin in made:
            cls = origins.project_class(origin)
            if cls is None:
                return []
            making = construction(context, cls, origin.call, origin.frame)
            found.append(_of_object(context, cls, making, _DEPTH))
    return found


def _of_function(scope: Scope) -> _Refused | None:
    place = Place(scope.module.path, *scope.span)
    if scope.kind == "lambda":
        return "a lambda", place, ""
    is_nested = scope.parent is not None and scope.parent.kind in ("function", "lambda")
    if scope.module.is_notebook:
        return f"the function `{scope.name}`, {NESTED if is_nested else NOTEBOOK}", place, ""
    if _is_guarded(scope.parent, scope.span):
        return f"the function `{scope.name}`, {GUARDED}", place, ""
    return (f"the nested function `{scope.name}`", place, "") if is_nested else None


def _is_local(cls: Class) -> bool:
    """Whether no other process finds the class by its name."""
    in_notebook = cls.body.module.is_notebook
    return in_notebook or _is_in_function(cls) or _is_guarded(cls.body.parent, cls.header)


def _is_in_function(cls: Class) -> bool:
    outer = cls.body.parent
    while outer is not None and outer.kind == "class":
        outer = outer.parent
    return outer is not None and outer.kind == "function"


def _is_guarded(parent: Scope | None, span: Span) -> bool:
    """Whether code of a module runs only where the module is the program, so in no worker."""
    is_script = parent is not None and parent.kind == "module" and not parent.module.is_notebook
    return is_script and parent is not None and is_under_main_guard(parent, span)


def _of_class(cls: Class) -> _Refused:
    module = cls.body.module
    where = LOCAL
    if module.is_notebook:
        where = NESTED if _is_in_function(cls) else NOTEBOOK
    if _is_guarded(cls.body.parent, cls.header):
        where = GUARDED
    what = f"an object of the class `{cls.name}`, {where}"
    return what, Place(module.path, *cls.header), ""


def _of_method(owner: Class | None) -> _Refused | None:
    """A bound method is sent with its object."""
    if owner is None or not _is_local(owner):
        return None
    what, place, attribute = _of_class(owner)
    return f"a method of {what}", place, attribute


def _of_comprehension(origin: ex.Comprehension, value: Container) -> _Refused | None:
    if origin.kind != "generator":
        return None
    return "a generator", Place(value.frame.scope.module.path, *origin.span), ""


def _of_display(context: AnalysisContext, value: Container, depth: int) -> _Refused | None:
    items: tuple[ex.Expression, ...] = ()
    if isinstance(value.origin, ex.Sequence):
        items = value.origin.items
    elif isinstance(value.origin, ex.Mapping):
        items = tuple(item for _, item in value.origin.items)
    kept = [item for item in items if not isinstance(item, ex.Starred)]
    held = (*kept, *_added(context, value))
    return _first(_all_refused(context, item, value.frame, depth) for item in held)


def _added(context: AnalysisContext, value: Container) -> Iterator[ex.Call | ex.FunctionValue]:
    """What the function that makes a list puts into it on every path, or into one it unpacks."""
    held = containers.elements(context.solver, value)
    context.solver.settle()
    lambdas = {one.scope for one in tuple(held.values) if isinstance(one, FunctionObject)}
    for call in value.frame.scope.calls:
        added = written(call, 0) if call.name == "append" else None
        is_held = isinstance(added, ex.FunctionValue) and added.function in lambdas
        if is_held and call_always_runs(call, call.scope.body, unless_left=True):
            assert isinstance(added, ex.FunctionValue)
            yield added
    for made in [one.call for one in tuple(held.values) if is_of_library(one)]:
        is_own = made.scope is value.frame.scope
        if is_own and call_always_runs(made, made.scope.body, unless_left=True):
            yield made


def _of_arguments(
    context: AnalysisContext, value: AllocationSite | Partial | VarArgs, depth: int
) -> _Refused | None:
    if isinstance(value, VarArgs):
        given = tuple(given_to_rest(value.frame))
    else:
        passed = context.solver.passed.get(value)
        given = () if passed is None else passed.arguments
    return _first(_all_refused(context, a.value, frame, depth) for a, frame in given)


def _all_refused(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, depth: int
) -> _Refused | None:
    """Why no value of an expression can be pickled."""
    values = context.solver.values(expression, frame) - {NONE}
    found = [_refused(context, value, depth - 1) for value in values]
    kept = [one for one in found if one is not None]
    return min(kept) if kept and len(kept) == len(found) else None


def _of_object(
    context: AnalysisContext, cls: Class, making: CallContext | None, depth: int
) -> _Refused | None:
    """An object of the project: its class, and what its constructor stores."""
    classes = context.solver.classes
    if cls.body.module.is_notebook:
        return _of_class(cls)
    if any(classes.method(cls, name) for name in known.HOOKS):
        return None
    if any(map(known.pickles_itself, classes.externals(cls))):
        return None
    if _is_local(cls):
        return _of_class(cls)
    return _first(_stored(context[ObjectStates].of(cls), making, depth))


def _stored(
    state: ObjectState, making: CallContext | None, depth: int
) -> Iterator[_Refused | None]:
    """What the constructor stores, attribute by attribute; those written twice are left alone.

    By what one call gives it, where that call is known, otherwise by what all calls give.
    """
    for write in state.stores:
        if len(state.written_to(write.attribute)) == 1:
            scope = write.frame.scope
            known = making is not None and making.scope is scope
            frame = making if known and making else state.context.solver.root(scope)
            found = _all_refused(state.context, write.value, frame, depth)
            yield None if found is None else (found[0], found[1], write.attribute)
    for held in state.held(HeldKind.UNPICKLABLE):
        if len(state.written_to(held.attribute)) == 1:
            yield held.what, state.context.place_of(held.call), held.attribute


def _first(found: Iterator[_Refused | None]) -> _Refused | None:
    return next((one for one in found if one is not None), None)
