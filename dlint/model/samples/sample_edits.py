"""Changes that code of samples makes to what a data set keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.object_state import hdf5
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Scope
from dlint.library_facts import mutations as known
from dlint.library_facts.seeding import EVERYTHING, SEEDERS, drawn_by
from dlint.model.samplers.asked_indices import asks_for_numbers
from dlint.model.samples.array_rows import array_uses, is_array_row
from dlint.model.samples.composed import stages
from dlint.model.samples.edit_forms import (
    augmented_name,
    changed_by_call,
    is_alike,
    is_by_chance,
    is_computed,
    is_keyed,
    is_made_of,
    is_same,
    is_tested,
    settled_part,
)
from dlint.model.samples.kept_arrays import holds_items, keeps_arrays, keeps_tensors, lists_arrays
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import TRUE, AllocationSite

if TYPE_CHECKING:
    from dlint.model.data.datasets import DatasetClass


Located = tuple[ex.Expression, CallContext]


_MOST = 60
"""Activations, and steps to where a value was taken, that are looked at."""


_SEEDING = frozenset(SEEDERS) | EVERYTHING


class Taken(NamedTuple):
    """`self.rows[index]`, and whether what is changed is a view of that, as an array has."""

    row: ex.Subscript
    attribute: str
    is_view: bool
    is_inside: bool
    """Whether it is something that a record holds, of which the kinds may differ."""


class SampleEdit(NamedTuple):
    """A change of a stored sample: where, of which attribute, and where it was taken."""

    place: Place
    attribute: str
    taken: Place
    is_array: bool


def sample_edits(dataset: DatasetClass) -> Iterator[SampleEdit]:
    """The changes that the `__getitem__` of a data set makes to what it keeps."""
    method = dataset.context.solver.classes.method(dataset.cls, "__getitem__")
    if method is None or len(method.parameters) < 2:
        return
    for frame in _activations(dataset, method):
        for span, changed, by_name in _changes(dataset, frame.scope):
            taken = taken_from(dataset, changed, frame, method)
            if taken is None or not shares_stored(dataset, taken, method):
                continue
            if by_name and not _is_array(dataset, changed, frame, taken):
                continue
            place = Place(frame.scope.module.path, *span)
            yield _edit(dataset, place, taken, method)
    for place, given, frame in _given_in_place(dataset):
        taken = taken_from(dataset, given, frame, method)
        if taken is not None and shares_stored(dataset, taken, method):
            yield _edit(dataset, place, taken, method)


def _edit(dataset: DatasetClass, place: Place, taken: Taken, method: Scope) -> SampleEdit:
    row = Place(method.module.path, *taken.row.span)
    arrays = taken.is_view or bool(keeps_arrays(dataset, taken.attribute))
    return SampleEdit(place, taken.attribute, row, arrays)


def _given_in_place(dataset: DatasetClass) -> Iterator[tuple[Place, ex.Expression, CallContext]]:
    """What transforms of torchvision are given that change it themselves, and where they stand."""
    context = dataset.context
    for stage in context[stages]:
        made = stage.value
        if not isinstance(made, AllocationSite) or stage.path not in known.IN_PLACE:
            continue
        flag = argument_for(context.solver.passed[made], known.IN_PLACE[stage.path], "inplace")
        if flag.expression is not None and context.solver.values(*flag.expression) == {TRUE}:
            yield from ((context.place_of(made.call), *one) for one in stage.inputs)


def shares_stored(dataset: DatasetClass, taken: Taken, method: Scope) -> bool:
    """Whether what was taken, or the view of it, is what the attribute keeps, and no copy."""
    arrays = keeps_arrays(dataset, taken.attribute)
    by_number = _is_index(taken.row.index, method) and all(
        map(asks_for_numbers, dataset.own_loaders)
    )
    if arrays is None and not taken.is_view and by_number:
        return holds_items(dataset, taken.attribute)
    if arrays is None or _is_part(taken.row):
        return bool(arrays)
    if arrays:
        return by_number
    return not taken.is_view or lists_arrays(dataset, taken.attribute)


def _activations(dataset: DatasetClass, method: Scope) -> Iterator[CallContext]:
    """`__getitem__`, the functions of the project that it calls, and transforms that it holds."""
    found = {dataset.context.solver.root(method): None}
    waiting = list(found)
    while waiting and len(found) < _MOST:
        frame = waiting.pop(0)
        for call in frame.scope.calls:
            entered = [f for f in dataset.state.targets.entered(call, frame) if f not in found]
            found.update(dict.fromkeys(entered))
            waiting += entered
    for entry in dataset.context[WorkerCode].of_class(dataset.cls):
        own = entry.activations[:_MOST] if entry.scope is method else ()
        found.update(dict.fromkeys(f for f in own if _is_of_project(dataset, f)))
    for stage in dataset.context[stages]:
        found.update(dict.fromkeys(stage.activations))
    return iter(found)


def _is_of_project(dataset: DatasetClass, frame: CallContext) -> bool:
    """Whether a call enters an object of the project, not what a library composes."""
    call = frame.call
    values = () if call is None else dataset.context.values(call.function, call.scope)
    return bool(values) and all(attributes.project_class(value) is not None for value in values)


def _changes(dataset: DatasetClass, method: Scope) -> Iterator[tuple[Span, ex.Expression, bool]]:
    """Where something is changed in place, what is, and whether a name is (`x += 1`).

    A number has that done to it, too, and is none the worse.
    """
    for statement in walk.statements(method.body):
        if isinstance(statement, Bind) and not is_dead(statement):
            named, part = augmented_name(statement), _assigned(dataset, statement, method)
            if named is not None:
                yield statement.span, named, True
            elif part is not None:
                yield statement.span, part, False
    for call in method.calls:
        changed = changed_by_call(dataset.context, call)
        if changed is not None and not is_dead(call.statement):
            yield call.span, changed, False


def _assigned(dataset: DatasetClass, statement: Bind, method: Scope) -> ex.Expression | None:
    """What an assignment to a part changes so that a second one would change it again."""
    value = statement.value
    for store in statement.stores:
        target = store.target
        if not isinstance(target, ex.Subscript):
            continue
        if isinstance(value, ex.Binary) and value.left is target:
            return target.value
        if is_computed(value, target) or _is_drawn(dataset, store.value, target, method):
            return target.value
        if _is_elsewhere_each_time(dataset, target, method) and not any(walk.tests(statement)):
            return target.value
        if is_keyed(target) and is_made_of(store.value, target):
            settled = _is_converted(dataset, store.value, target)
            settled = settled or is_tested(statement, store.value, target)
            return None if settled else target.value
        if is_keyed(target) and is_by_chance(dataset.context, statement, target, method):
            return target.value
    return None


def _is_converted(dataset: DatasetClass, value: ex.Expression, target: ex.Subscript) -> bool:
    """Whether a part becomes what a second time leaves as it is: `x["a"] = np.asarray(x["a"])`."""
    part = settled_part(dataset.context, value)
    return part is not None and (is_same(part, target) or is_same(origin_of(part), target))


def _is_drawn(
    dataset: DatasetClass, value: ex.Expression, target: ex.Subscript, method: Scope
) -> bool:
    """Whether a part is assigned what a random function makes of it: `x[:3] = jitter(x[:3])`."""
    if not isinstance(value, ex.Call):
        return False
    if not any(is_alike(origin_of(argument.value), target) for argument in value.arguments):
        return False
    frame = dataset.context.solver.root(method)
    entered = dataset.state.targets.entered(value, frame)
    return bool(entered) and all(_draws(dataset, inner.scope) for inner in entered)


def _is_elsewhere_each_time(dataset: DatasetClass, target: ex.Subscript, method: Scope) -> bool:
    """Whether it is drawn which part is written, so that each run writes another: `x[mask] = 0`.

    Not so by a generator of its own, or where the function seeds: both may draw the same each time.
    """
    frame = dataset.context.solver.root(method)
    if any(is_call_to(dataset.context, call, _SEEDING) for call in method.calls):
        return False
    calls = (part for part in parts_in_function(target.index) if isinstance(part, ex.Call))
    return any(_is_drawn_anew(dataset, call, frame) for call in calls)


def _is_drawn_anew(dataset: DatasetClass, call: ex.Call, frame: CallContext) -> bool:
    if any(drawn_by(path) is not None for path in library_callees(dataset.context, call)):
        return written(call, None, "generator") is None
    entered = dataset.state.targets.entered(call, frame)
    return bool(entered) and all(_draws(dataset, one.scope) for one in entered)


def _draws(dataset: DatasetClass, scope: Scope) -> bool:
    """Whether a function certainly draws random numbers itself."""
    return any(
        any(drawn_by(path) is not None for path in library_callees(dataset.context, call))
        and call_always_runs(call, scope.body)
        for call in scope.calls
    )


def taken_from(
    dataset: DatasetClass, changed: ex.Expression, frame: CallContext, method: Scope
) -> Taken | None:
    """`self.rows[index]` in `__getitem__`, where that, or a view of it, is what changes."""
    located: Located | None = (changed, frame)
    inside = is_view = False
    for _ in range(_MOST):
        if located is None:
            return None
        origin, where = ex.unnamed(located[0]), located[1]
        attribute = _stored_in(origin, method) if where.scope is method else None
        if attribute is not None:
            assert isinstance(origin, ex.Subscript)
            return Taken(origin, attribute, is_view, inside)
        held, viewed = _holder(dataset, origin, inside), _viewed(origin)
        inside, is_view = inside or held is not None, is_view or viewed is not None
        whole = viewed if held is None else held
        located = _behind(dataset, origin, where) if whole is None else (whole, where)
    return None


def _viewed(origin: ex.Expression) -> ex.Expression | None:
    """The array of which `x[:, a:b]` is a view, if it is one: a list has none."""
    index = ex.unnamed(origin.index) if isinstance(origin, ex.Subscript) else None
    is_tuple = isinstance(index, ex.Sequence) and index.kind == "tuple"
    parts = index.items if isinstance(index, ex.Sequence) and is_tuple else (index,)
    plain = all(isinstance(part, ex.Slice | ex.Constant) for part in parts)
    sliced = plain and any(isinstance(part, ex.Slice) for part in parts)
    return origin.value if sliced and isinstance(origin, ex.Subscript) else None


def _holder(dataset: DatasetClass, origin: ex.Expression, inside: bool) -> ex.Expression | None:
    """The record that `record["boxes"]` is a part of, and what that is a shallow copy of.

    A copy is another record: only what lies `inside` one is shared.
    """
    if isinstance(origin, ex.Subscript):
        key = ex.constant(origin.index)
        return origin.value if key is not None and isinstance(key.value, str) else None
    if not inside or not isinstance(origin, ex.Call):
        return None
    if is_call_to(dataset.context, origin, known.SHALLOW):
        return written(origin, 0)
    callee = origin.function if origin.name == "copy" and not origin.arguments else None
    return callee.value if isinstance(callee, ex.Attribute) else None


def _stored_in(origin: ex.Expression, method: Scope) -> str | None:
    """The attribute of `self.rows[index]`, by an index that comes of that of the sample."""
    if not isinstance(origin, ex.Subscript) or not isinstance(origin.value, ex.Attribute):
        return None
    parts = parts_in_function(origin.index)
    by_index = is_self(origin.value.value, method) and any(_is_index(p, method) for p in parts)
    return origin.value.name if by_index else None


def _is_index(part: ex.Expression, method: Scope) -> bool:
    """Whether it is the index itself that `__getitem__` is given."""
    part = ex.unnamed(part)
    return isinstance(part, ex.Parameter) and part.name == method.parameters[1].name


def _is_part(taken: ex.Subscript) -> bool:
    """Whether what is taken is several rows, such as a window: a view, if of an array."""
    return isinstance(ex.unnamed(taken.index), ex.Slice)


def _behind(dataset: DatasetClass, expression: ex.Expression, frame: CallContext) -> Located | None:
    """What a parameter is given, or the array that something is a view of."""
    if isinstance(expression, ex.Parameter):
        return frame.given(expression.name)
    if not isinstance(expression, ex.Call):
        return None
    typed = written(expression, 1, "dtype")
    if is_call_to(dataset.context, expression, known.SHARING) and typed is None:
        first = written(expression, 0, "data")
        return None if first is None else (first, frame)
    entered = dataset.state.targets.entered(expression, frame)
    results = [(result, inner) for inner in entered for result in inner.scope.returns]
    return results[0] if len(results) == 1 else None


def _is_array(
    dataset: DatasetClass, changed: ex.Expression, frame: CallContext, taken: Taken
) -> bool:
    """Whether what is changed is an array, not a number, by what is kept or how it is used."""
    of_arrays = lists_arrays(dataset, taken.attribute) and not taken.is_inside
    if _is_part(taken.row) or taken.is_view or of_arrays:
        return True
    if hdf5.is_index(taken.attribute) or not isinstance(changed, ex.Reference):
        return False
    if keeps_tensors(dataset, taken.attribute) and not taken.is_inside:
        return True
    named = any(_is_name(used, changed) for used in array_uses(frame.scope))
    return named or (not taken.is_inside and is_array_row(dataset, taken.row))


def _is_name(part: ex.Expression, changed: ex.Reference) -> bool:
    return isinstance(part, ex.Reference) and part.name == changed.name
