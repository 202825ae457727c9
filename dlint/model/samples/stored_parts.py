"""What a data set keeps of its samples, and what shares memory with that.

Question: may a value be an item that an object of the class keeps in what its constructor wrote
(`self.rows[index]`), a part or a view of one, or hold such things, and how deep? Lattice: sets of
`Stored`, united where paths meet; what is not known adds none. Followed: the steps of a backward
slice, parts of records and views of arrays, shallow copies and displays (which are new, and hold
what is old), loops, methods of the object, the samples of a data set that it holds, the samples
that a collate function is given. A deep copy, arithmetic, an index that copies (a mask, a list)
and any other call of a library make something new. So do attributes that hold what reads anew: an
open file, an object of a library. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.callees import method_scope, own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.object_state.sample_access import sample_methods
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.library_facts import mutations as known
from dlint.library_facts.handles import HANDLES, HOLDING
from dlint.library_facts.passthrough import ZIPPED
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import NONE, Value, is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext


class Stored(NamedTuple):
    """What an attribute keeps, `depth` steps inside a value: 0 is the kept thing itself.

    `is_table`: the attribute itself, or a column of it, of which an index takes a sample.
    `has_keys`: a copy that is of a record or of an array; only of a record do keys take parts.
    """

    attribute: str
    depth: int
    is_table: bool = False
    has_keys: bool = False


Parts = frozenset[Stored]
_NONE: Parts = frozenset()
_DEEPEST = 4


def _union(found: Iterable[Parts]) -> Parts:
    return _NONE.union(*found)


class StoredParts:
    """What values may be of what an object of one class keeps.

    `batches` are functions that are given the samples as a list, each with its parameter.
    """

    def __init__(
        self, context: AnalysisContext, cls: Class, batches: Mapping[Scope, str] | None = None
    ) -> None:
        self._context = context
        self._cls = cls
        self._lineage = context.solver.classes.ancestors(cls)
        self._getters = sample_methods(context, cls)
        self._state = context[ObjectStates].of(cls)
        self._batches = batches or {}
        self._tables: dict[str, bool] = {}
        table: dict[type, Callable[[Slice[Parts], Any, CallContext], Parts | None]] = {
            ex.Attribute: self._of_attribute,
            ex.Subscript: self._of_subscript,
            ex.Item: self._of_item,
            ex.Element: self._of_element,
            ex.Parameter: self._of_parameter,
            ex.Sequence: self._of_display,
            ex.Mapping: self._of_mapping,
            ex.Comprehension: self._of_comprehension,
            ex.Call: self._of_call,
        }
        self._question = Question(_NONE, _union, table)

    def of(self, expression: ex.Expression, frame: CallContext) -> Parts:
        """What a value may be or hold, in one activation."""
        return Slice(self._context, self._question).of(expression, frame)

    # -- the transfer table

    def _of_attribute(
        self, slice_: Slice[Parts], attribute: ex.Attribute, frame: CallContext
    ) -> Parts | None:
        own = own_attribute(attribute, frame.scope)
        if own is not None:
            method = method_scope(frame.scope)
            if method is None or method.owner not in self._lineage:
                return _NONE
            return frozenset({Stored(own, 1, is_table=True)}) if self._keeps(own) else None
        if attribute.name in known.COPYING_INDEXERS:
            return _NONE
        return _parts(slice_.of(attribute.value, frame), by_key=True)

    def _of_subscript(
        self, slice_: Slice[Parts], subscript: ex.Subscript, frame: CallContext
    ) -> Parts | None:
        key = ex.constant(subscript.index)
        shown = list(steps(self._context, subscript, frame)) if key is not None else []
        if shown:
            return slice_.joined(shown)
        if _copies(subscript.index):
            return _NONE
        found = slice_.of(subscript.value, frame)
        if not found:
            return self._of_inner(slice_, subscript, frame)
        if key is not None:
            return _parts(found, by_key=isinstance(key.value, str))
        return _parts(_taken(found), by_key=False)

    def _of_inner(
        self, slice_: Slice[Parts], subscript: ex.Subscript, frame: CallContext
    ) -> Parts | None:
        """What a data set that the object holds gives of its own: `self.inner[index]`."""
        if own_attribute(subscript.value, frame.scope) is None:
            return None
        solver = self._context.solver
        classes = map(attributes.project_class, solver.values(subscript.value, frame))
        given = self._context[_Given]
        return _union(given.of(cls) for cls in classes if cls is not None) or None

    def given(self) -> Parts:
        """What the samples are or hold that the data set gives."""
        root, results = self._context.solver.root, ((g, g.returns) for g in self._getters)
        return _union(self.of(one, root(getter)) for getter, found in results for one in found)

    def _of_item(self, slice_: Slice[Parts], item: ex.Item, frame: CallContext) -> Parts:
        shown = list(steps(self._context, item, frame))
        return slice_.joined(shown) if shown else _parts(slice_.of(item.value, frame), by_key=False)

    def _of_element(self, slice_: Slice[Parts], element: ex.Element, frame: CallContext) -> Parts:
        return _parts(_taken(slice_.of(element.iterable, frame)), by_key=False)

    def _of_parameter(
        self, _: Slice[Parts], parameter: ex.Parameter, frame: CallContext
    ) -> Parts | None:
        is_batch = self._batches.get(frame.scope) == parameter.name
        return _around(self._context[_Given].of(self._cls)) if is_batch else None

    def _of_display(self, slice_: Slice[Parts], display: ex.Sequence, frame: CallContext) -> Parts:
        return _union(self._of_entry(slice_, item, frame) for item in display.items)

    def _of_mapping(self, slice_: Slice[Parts], display: ex.Mapping, frame: CallContext) -> Parts:
        return _union(
            _shallow(slice_.of(value, frame))
            if key is None
            else self._of_entry(slice_, value, frame)
            for key, value in display.items
        )

    def _of_entry(self, slice_: Slice[Parts], entry: ex.Expression, frame: CallContext) -> Parts:
        found = slice_.of(entry, frame)
        return _shallow(found) if isinstance(entry, ex.Starred) else _around(found)

    def _of_comprehension(
        self, slice_: Slice[Parts], made: ex.Comprehension, frame: CallContext
    ) -> Parts:
        return _around(slice_.of(made.element, frame))

    def _of_call(self, slice_: Slice[Parts], call: ex.Call, frame: CallContext) -> Parts | None:
        entered = self._state.targets.entered(call, frame)
        if entered:
            plain = (inner for inner in entered if not inner.scope.yields)
            return slice_.joined(
                (result, inner) for inner in plain for result in inner.scope.returns
            )
        paths, first = frozenset(library_callees(self._context, call)), written(call, 0)
        if first is not None and paths & _OF_ARGUMENTS:
            return self._of_arguments(slice_, call, paths, frame)
        callee = call.function
        if not isinstance(callee, ex.Attribute) or paths & _FRESH:
            return _NONE
        if paths & known.HANDING_OUT:
            own = own_attribute(callee.value, frame.scope)
            return _NONE if own is None else frozenset({Stored(own, 1)})
        return _of_method(call, slice_.of(callee.value, frame))

    def _of_arguments(
        self, slice_: Slice[Parts], call: ex.Call, paths: frozenset[str], frame: CallContext
    ) -> Parts:
        """What a function of a library hands on of what it is given."""
        given = [slice_.of(argument, frame) for argument in positional(call)]
        first = given[0] if given else _NONE
        if paths & ZIPPED:
            return _around(_around(_parts(_taken(_union(given)), by_key=False)))
        if paths & known.SAMPLING_ONE:
            return _parts(_taken(first), by_key=False)
        if paths & known.SHARING | paths & known.ARRAY_VIEWS:
            return _NONE if written(call, 1, "dtype") is not None else first
        return _shallow(first, has_keys="copy.copy" in paths)

    # -- attributes

    def _keeps(self, attribute: str) -> bool:
        if attribute not in self._tables:
            self._tables[attribute] = self._is_kept(attribute)
        return self._tables[attribute]

    def _is_kept(self, attribute: str) -> bool:
        """Whether the constructor writes an attribute, with what gives its items themselves, and
        no sample does so first."""
        writes = self._state.written_to(attribute)
        if not writes or any(_is_made_anew(attribute, getter) for getter in self._getters):
            return False
        values = {value for write in writes for value in self._state.values(write)} - {NONE}
        values |= {value for value in self._written_later(attribute) if value != NONE}
        return not values or not all(_gives_anew(self._context, value) for value in values)

    def _written_later(self, attribute: str) -> Iterator[Value]:
        """What methods write to an attribute, as that which opens a file where a worker begins."""
        methods = (m for ancestor in self._lineage for m in ancestor.methods.values())
        for method in methods:
            for store in method.stores:
                if own_attribute(store.target, method) == attribute:
                    yield from self._context.values(store.value, method)


class _Given:
    """What the samples of each class are or hold, found once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Class, Parts] = {}

    def of(self, cls: Class) -> Parts:
        """Nothing of a class that is being asked about: a data set that holds its like."""
        if cls not in self._known:
            self._known[cls] = _NONE
            self._known[cls] = StoredParts(self._context, cls).given()
        return self._known[cls]


def _is_made_anew(attribute: str, method: Scope) -> bool:
    """Whether each sample writes an attribute as a whole, so that nothing of it lasts."""
    return any(
        own_attribute(store.target, method) == attribute
        and always_runs(store.statement, method.body)
        for store in method.stores
    )


def _gives_anew(context: AnalysisContext, value: Value) -> bool:
    """Whether a value is an object whose items are made when they are asked for: a data set of the
    project, an open file, an object of a library's class."""
    if is_of_library(value):
        path = library_path(value)
        if path in HANDLES or path in HOLDING or path.startswith(known.READING_ANEW):
            return True
        return path.rpartition(".")[2][:1].isupper() and path not in known.SHALLOW
    cls = attributes.project_class(value)
    return cls is not None and context.solver.classes.method(cls, "__getitem__") is not None


# -- steps of the lattice


def _around(found: Parts) -> Parts:
    """What a new container holds that is given something."""
    deeper = (Stored(s.attribute, s.depth + 1) for s in found if s.depth < _DEEPEST)
    return frozenset(deeper)


def _shallow(found: Parts, *, has_keys: bool = False) -> Parts:
    """What a shallow copy holds: the copy is new, its parts are not."""
    return frozenset(
        s if s.is_table else Stored(s.attribute, max(s.depth, 1), has_keys=has_keys and not s.depth)
        for s in found
    )


def _taken(found: Parts) -> Parts:
    """Tables as the lists of samples that they are."""
    return frozenset(s._replace(is_table=False) for s in found)


def _parts(found: Parts, *, by_key: bool) -> Parts:
    """What a part of something is: of a table, by a constant, another table."""
    return frozenset(
        s if s.is_table else Stored(s.attribute, max(s.depth - 1, 0))
        for s in found
        if by_key or not s.has_keys
    )


def _copies(index: ex.Expression) -> bool:
    """Whether an index makes a new array: a mask, or a list of places."""
    index = ex.unnamed(index)
    if isinstance(index, ex.Sequence) and index.kind == "tuple":
        return any(map(_copies, index.items))
    return isinstance(index, ex.Sequence | ex.Comparison | ex.Comprehension)


def _of_method(call: ex.Call, found: Parts) -> Parts:
    """What a method gives of the record, or of the array, that it is called on."""
    name, given = call.name, positional(call)
    if name == "copy" and not given:
        return _shallow(found, has_keys=True)
    if name in known.VIEWING:
        return found
    if name in known.TAKING_PART and given:
        key = ex.constant(given[0])
        is_key = key is not None and isinstance(key.value, str)
        return _parts(found if is_key else _taken(found), by_key=is_key)
    if name == "values":
        return _around(_parts(_taken(found), by_key=True))
    if name == "items":
        return _around(_around(_parts(_taken(found), by_key=True)))
    return _NONE


_FRESH = frozenset({"copy.deepcopy"})
_OF_ARGUMENTS = (
    ZIPPED | known.SHALLOW | known.LISTING | known.SAMPLING_ONE | known.SHARING | known.ARRAY_VIEWS
)


def is_stored(found: Parts) -> bool:
    """Whether a value may be the kept item itself, or a view or a part of it."""
    return any(s.depth == 0 for s in found)


def is_table(found: Parts) -> bool:
    """Whether a value may be what keeps the items."""
    return any(s.is_table for s in found)
