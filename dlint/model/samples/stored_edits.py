"""Samples that workers may change where their data set keeps them.

Question: may a second visit of a sample find another one than the first did, as code that workers
run edits what the data set keeps: a row, the array in a record, the elements of a list? Workers
that each epoch starts anew begin with the data of the main process; in those that live on the edits
add up. The weaker question beside `sample_edits`, which tells of what is certain: here values are
followed over all paths (`stored_parts`). No such edit is what writes the same on each visit: the
key of a record that comes of other keys, what a cache is filled with; nor a counter, nor what a
name adds to itself that may be a number or a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.control.completions import is_dead
from dlint.analyses.value_parts import alternatives_of, origin_of, parts_in_function, table_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind
from dlint.library_facts.seeding import drawn_by
from dlint.model.data.datasets import DatasetClass
from dlint.model.data.given_datasets import dataset_uses, given_datasets
from dlint.model.samples.array_rows import array_uses
from dlint.model.samples.edit_forms import augmented_name, changed_by_call, is_alike
from dlint.model.samples.kept_arrays import keeps_arrays, keeps_tensors, lists_arrays
from dlint.model.samples.stored_parts import Parts, StoredParts, is_stored, is_table
from dlint.model.workers.worker_code import COLLATE, Entry, WorkerCode
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values.values import UNKNOWN

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope, Store
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext


def may_edit_stored(loader: Loader) -> bool:
    """Whether what its workers run may edit the samples that its data set keeps, in place."""
    return loader.context[_StoredEdits].of(loader)


class _StoredEdits:
    """The answers of classes and of loaders, each found once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._classes: dict[Class, bool] = {}
        self._loaders: dict[Loader, bool] = {}

    def of(self, loader: Loader) -> bool:
        if loader not in self._loaders:
            self._loaders[loader] = self._found(loader)
        return self._loaders[loader]

    def _found(self, loader: Loader) -> bool:
        classes = list(dict.fromkeys(_classes(loader)))
        if any(map(self._of_class, classes)):
            return True
        collating = [e for e in _entries(self._context, COLLATE) if loader in e.loaders]
        return any(_in_collate(self._context, cls, e) for cls in classes for e in collating)

    def _of_class(self, cls: Class) -> bool:
        if cls not in self._classes:
            parts = StoredParts(self._context, cls)
            frames = (f for e in self._context[WorkerCode].of_class(cls) for f in e.activations)
            self._classes[cls] = _any_edit(self._context, cls, parts, frames)
        return self._classes[cls]


def _classes(loader: Loader) -> Iterator[Class]:
    """The classes of a loader's data sets; where one is not known, also those of which no loader
    is known to be given one."""
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if cls is not None:
            yield cls
        elif value == UNKNOWN:
            yield from (u.cls for u in loader.context[dataset_uses] if not u.own_loaders)


def _entries(context: AnalysisContext, role: str) -> Iterator[Entry]:
    return (entry for entry in context[WorkerCode].entries if entry.role == role)


def _in_collate(context: AnalysisContext, cls: Class, entry: Entry) -> bool:
    """Whether a collate function edits samples of a class that are what the data set keeps."""
    scope = entry.scope
    own = scope.parameters[1 if calls.takes_receiver(scope) else 0 :]
    free = [spec.name for spec in own if entry.frame.given(spec.name) is None]
    if not free:
        return False
    parts = StoredParts(context, cls, {scope: free[0]})
    return _any_edit(context, cls, parts, iter(entry.activations))


def _any_edit(
    context: AnalysisContext, cls: Class, parts: StoredParts, frames: Iterator[CallContext]
) -> bool:
    edits = _Edits(context, DatasetClass(context, cls, ()), parts)
    return any(edits.has(frame) for frame in frames)


class _Edits:
    """Edits of what objects of one class keep, in the functions that workers run."""

    def __init__(self, context: AnalysisContext, dataset: DatasetClass, parts: StoredParts) -> None:
        self._context = context
        self._dataset = dataset
        self._parts = parts

    def has(self, frame: CallContext) -> bool:
        """Whether an activation may edit such a thing."""
        binds = (s for s in walk.statements(frame.scope.body) if isinstance(s, Bind))
        if any(self._is_edit(statement, frame) for statement in binds if not is_dead(statement)):
            return True
        changed = ((c, changed_by_call(self._context, c)) for c in frame.scope.calls)
        return any(
            one is not None and not is_dead(call.statement) and self._is_stored(one, frame)
            for call, one in changed
        )

    def _is_stored(self, changed: ex.Expression, frame: CallContext) -> bool:
        return is_stored(self._parts.of(changed, frame))

    def _is_edit(self, statement: Bind, frame: CallContext) -> bool:
        named = augmented_name(statement)
        if named is not None:
            found = self._parts.of(named, frame)
            return is_stored(found) and self._is_array(statement, named, found, frame)
        return any(self._is_edit_by(store, frame) for store in statement.stores)

    def _is_edit_by(self, store: Store, frame: CallContext) -> bool:
        if _counts(store, frame.scope) or own_attribute(store.target, frame.scope) is not None:
            return False
        found = self._parts.of(store.target.value, frame)
        if is_table(found):
            return _replaces(store)
        if is_stored(found):
            return not self._is_settled(store, frame.scope)
        return _adds_in_place(store) and self._is_stored(store.target, frame)

    def _is_array(
        self, statement: Bind, named: ex.Expression, found: Parts, frame: CallContext
    ) -> bool:
        """Whether what a name adds to itself is an array or a list, not a number or a text."""
        if isinstance(statement.value, ex.Binary) and _is_list(statement.value.right):
            return True
        kept = {stored.attribute for stored in found}
        if any(lists_arrays(self._dataset, a) or keeps_tensors(self._dataset, a) for a in kept):
            return True
        used = array_uses(frame.scope)
        if any(isinstance(u, ex.Reference) and _is_of_name(u, named) for u in used):
            return True
        return any(keeps_arrays(self._dataset, a) for a in kept) and not _shifts(statement.value)

    def _is_settled(self, store: Store, scope: Scope) -> bool:
        """Whether each visit writes the same, whatever the visits before it have written."""
        target, value = store.target, store.value
        if _fills(store):
            return True
        if any(_is_same_part(part, target) for part in parts_in_function(value)):
            return False
        if isinstance(target, ex.Attribute) or _key(target) is not None:
            return not (self._is_by_chance(store) and _reads(scope, target))
        made = origin_of(value)
        is_new = isinstance(made, ex.Call) and not self._draws(made)
        holds_slice = any(isinstance(part, ex.Slice) for part in walk.walk(target.index))
        return is_new and not holds_slice and not _reads_whole(made, target)

    def _is_by_chance(self, store: Store) -> bool:
        tests = (test for test, _ in walk.tests(store.statement))
        return any(map(self._draws, tests))

    def _draws(self, expression: ex.Expression) -> bool:
        found = (part for part in walk.walk(expression) if isinstance(part, ex.Call))
        paths = (path for call in found for path in library_callees(self._context, call))
        return any(drawn_by(path) is not None for path in paths)


def _is_list(expression: ex.Expression) -> bool:
    made = ex.unnamed(expression)
    return isinstance(made, ex.Sequence | ex.Comprehension) and made.kind == "list"


def _is_of_name(one: ex.Reference, other: ex.Expression) -> bool:
    return isinstance(other, ex.Reference) and one.name == other.name


def _shifts(value: ex.Expression) -> bool:
    """Whether a whole number is added or taken away, as from a label."""
    if not isinstance(value, ex.Binary) or value.operator not in _SHIFTS:
        return False
    number = ex.constant(value.right)
    return number is not None and isinstance(number.value, int)


_SHIFTS = frozenset({"+", "-"})


def _counts(store: Store, scope: Scope) -> bool:
    """Whether a counter of the object goes on: `self.visits[index] += 1`."""
    root = table_of(store.target)
    value = store.value
    is_own = own_attribute(root, scope) is not None
    is_augmented = isinstance(value, ex.Binary) and value.left is store.target
    return is_own and is_augmented and _shifts(value)


def _adds_in_place(store: Store) -> bool:
    """Whether a part is changed itself where the whole is a copy: `copied["box"] *= 2`, unless it
    may be a text."""
    value = store.value
    if not isinstance(value, ex.Binary) or value.left is not store.target:
        return False
    return _is_list(value.right) if value.operator == "+" else not _shifts(value)


def _replaces(store: Store) -> bool:
    """Whether what keeps the items gets what is made of the item itself: `rows[i] = f(rows[i])`."""
    made = [one for one in alternatives_of(store.value) if not is_alike(one, store.target)]
    return ex.constant(getattr(store.target, "index", None)) is None and any(
        _is_same_part(part, store.target)
        for one in made
        if not isinstance(one, ex.Boolean)
        for part in parts_in_function(one)
    )


def _is_same_part(part: ex.Expression, target: ex.Attribute | ex.Subscript) -> bool:
    """Whether a part of a value reads what an assignment writes."""
    if isinstance(part, ex.Attribute) and isinstance(target, ex.Attribute):
        return part.name == target.name and _is_one(part.value, target.value)
    if not isinstance(part, ex.Subscript) or not isinstance(target, ex.Subscript):
        return False
    if not _is_one(part.value, target.value):
        return False
    mine, other = _key(part), _key(target)
    return mine is None or other is None or mine == other


def _is_one(one: ex.Expression, other: ex.Expression) -> bool:
    """Whether two expressions of a function denote one thing, by local names and as written."""
    one, other = origin_of(one), origin_of(other)
    if isinstance(one, ex.Attribute) and isinstance(other, ex.Attribute):
        return one.name == other.name and _is_one(one.value, other.value)
    if isinstance(one, ex.Subscript) and isinstance(other, ex.Subscript):
        return _is_one(one.value, other.value) and _is_one(one.index, other.index)
    return one is other or is_alike(one, other)


def _key(target: ex.Subscript) -> str | None:
    key = ex.constant(target.index)
    return key.value if key is not None and isinstance(key.value, str) else None


def _fills(store: Store) -> bool:
    """Whether a place is filled that was empty: with an empty container, or behind a test that
    nothing stands there."""
    value, target = ex.unnamed(store.value), store.target
    if isinstance(value, ex.Sequence | ex.Mapping) and not value.items:
        return True
    return any(_asks_for(test, target) for test, _ in walk.tests(store.statement))


def _asks_for(test: ex.Expression, target: ex.Attribute | ex.Subscript) -> bool:
    """Whether a test asks if something stands where an assignment writes."""
    for part in walk.walk(test):
        match part:
            case ex.Comparison(operator="in" | "not in") if isinstance(target, ex.Subscript):
                if _is_one(part.right, target.value) and _is_one(part.left, target.index):
                    return True
            case ex.Comparison(operator="is" | "is not", left=left):
                if _is_same_part(origin_of(left), target):
                    return True
    return False


def _reads(scope: Scope, target: ex.Attribute | ex.Subscript) -> bool:
    parts = walk.parts(scope.body)
    return any(part is not target and _is_same_part(part, target) for part in parts)


def _reads_whole(value: ex.Expression, target: ex.Subscript) -> bool:
    """Whether a value is made of the thing that an assignment writes into."""
    return any(_is_one(part, target.value) for part in parts_in_function(value))
