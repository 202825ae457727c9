"""How a dataset class takes a sample out of what it keeps on `self`.

Question: is what an attribute holds indexed by the sample, looked up by a name, gone through, or
tested, in the methods that workers take samples by, and in those of the object that these call.
Properties that give the attribute back stand for it. A helper that is handed the attribute is not
looked into.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, If, Loop, Scope
from dlint.library_facts import readers
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

BY_INDEX = ("__getitem__", "__getitems__")
"""Methods that give the samples of an index, or of several."""

TAKES = (*BY_INDEX, "__iter__", "__next__")
"""Methods by which workers take samples from a data set."""

_NONE: frozenset[str] = frozenset()
_DIVIDING = frozenset({"%", "//"})
_FINDING = frozenset(
    {"randint", "randrange", "integers", "bisect", "bisect_left", "bisect_right", "searchsorted"}
)
"""Functions that draw a number, or find the element that a number lies in."""


def sample_methods(context: AnalysisContext, cls: Class) -> list[Scope]:
    """The methods of a class that give the samples of an index, those that a library's own
    `__getitem__` calls included."""
    classes = context.solver.classes
    names = [*BY_INDEX, *filter(None, map(readers.sample_method, classes.externals(cls)))]
    found = (classes.method(cls, name) for name in dict.fromkeys(names))
    return [method for method in found if method is not None]


def takes_by_index(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether a sample is `self.attribute[index]`, rather than a window of it or no part."""
    return any(_taken(context, cls, attribute))


def tables(context: AnalysisContext, cls: Class, attribute: str) -> frozenset[str]:
    """The attributes that name the element of `self.attribute` which a sample is taken from.

    `room_of` in `self.rooms[self.room_of[index]]`: several samples may be of one element. None if
    a sample is found in another way as well.
    """
    found = [_table(part.index, method) for part, method in _taken(context, cls, attribute)]
    return frozenset(name for name in found if name is not None) if None not in found else _NONE


def divides_elements(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether several samples are parts of one element of `self.attribute`.

    `self.volumes[self.pairs[index][0]]`, `self.volumes[index % n]`, an element drawn at random.
    """
    return any(
        _is_of_several(one)
        for part, _ in _taken(context, cls, attribute)
        for one in alternatives_of(part.index)
    )


def picks_places(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether some method takes single places within elements: `self.images[views, rows, columns]`.

    Such a sample is made of pieces of many elements, as the rays of a radiance field are.
    """
    names = _names(context, cls, attribute)
    classes = context.solver.classes
    family = [*classes.ancestors(cls), *classes.descendants(cls)]
    methods = (m for c in family for name, m in c.methods.items() if name != "__init__")
    return any(
        isinstance(part, ex.Subscript)
        and _is_kept(part.value, names, method)
        and _is_of_places(part.index)
        for method in methods
        for part in parts_of_scope(method)
    )


def _is_of_places(index: ex.Expression) -> bool:
    if not isinstance(index, ex.Sequence) or len(index.items) < 2:
        return False
    return all(isinstance(part, ex.Reference | ex.Attribute) for part in index.items)


def _is_of_several(index: ex.Expression) -> bool:
    match index:
        case ex.Item(value=value):
            return isinstance(origin_of(value), ex.Subscript | ex.Call)
        case ex.Subscript(value=value):
            return isinstance(origin_of(value), ex.Subscript)
        case ex.Binary(operator=operator):
            return operator in _DIVIDING
        case ex.Call(name=name):
            return name in _FINDING
    return False


def takes_by_key(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether what `self.attribute` holds is a table of names: `self.attribute["key"]`."""
    return any(
        isinstance(part.index, ex.Constant) and isinstance(part.index.value, str)
        for part, _ in _taken(context, cls, attribute)
    )


_Taken = tuple[ex.Subscript, Scope]


class _Takings:
    """Where each attribute of each class gives samples, found once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._found: dict[tuple[Class, str], tuple[_Taken, ...]] = {}

    def of(self, cls: Class, attribute: str) -> tuple[_Taken, ...]:
        """The subscripts of `self.attribute`, each with its method."""
        key = cls, attribute
        if key not in self._found:
            self._found[key] = tuple(_search(self._context, cls, attribute))
        return self._found[key]


def _taken(context: AnalysisContext, cls: Class, attribute: str) -> tuple[_Taken, ...]:
    return context[_Takings].of(cls, attribute)


def _search(context: AnalysisContext, cls: Class, attribute: str) -> Iterator[_Taken]:
    names = _names(context, cls, attribute)
    for method in _with_helpers(context, cls):
        for part in parts_of_scope(method):
            if not isinstance(part, ex.Subscript) or isinstance(part.index, ex.Slice):
                continue
            if _is_kept(part.value, names, method):
                yield part, method


def _taking(context: AnalysisContext, cls: Class) -> Iterator[Scope]:
    """The methods of the project by which workers take samples."""
    found = (context.solver.classes.method(cls, name) for name in TAKES)
    return (method for method in found if method is not None)


def _with_helpers(context: AnalysisContext, cls: Class) -> Iterator[Scope]:
    """The methods by which workers take samples, and those of the object that they call."""
    waiting = list(_taking(context, cls))
    seen = dict.fromkeys(waiting)
    while waiting:
        method = waiting.pop(0)
        yield method
        callees = (call.function for call in method.calls)
        own = (c.name for c in callees if isinstance(c, ex.Attribute) and is_self(c.value, method))
        called = (context.solver.classes.method(cls, name) for name in dict.fromkeys(own))
        further = [one for one in called if one is not None and one not in seen]
        seen.update(dict.fromkeys(further))
        waiting += further


def _table(index: ex.Expression, method: Scope) -> str | None:
    """The attribute of which an index is itself an element."""
    while isinstance(index, ex.Reference) and index.definition is not None:
        index = index.definition.value
    while isinstance(index, ex.Item):
        index = index.value
    kept = index.value if isinstance(index, ex.Subscript) else None
    if isinstance(kept, ex.Attribute) and is_self(kept.value, method):
        return kept.name
    return None


def takes_each(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether a sample has a part of every element of `self.attribute`: these are columns."""
    method = context.solver.classes.method(cls, "__getitem__")
    if method is None or takes_by_index(context, cls, attribute):
        return False
    names = _names(context, cls, attribute)
    return any(
        _is_kept(part, names, method)
        for iterable in _iterables(method)
        for part in walk.walk(iterable)
    )


def is_read_later(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether anything but `__init__` may read `self.attribute`; True where samples come unseen."""
    if not any(_taking(context, cls)):
        return True
    classes = context.solver.classes
    family = [*classes.ancestors(cls), *classes.descendants(cls)]
    methods = (m for c in family for name, m in c.methods.items() if name != "__init__")
    return any(_reads(method, attribute) for method in methods)


def _reads(method: Scope, attribute: str) -> bool:
    return any(
        (isinstance(part, ex.Attribute) and part.name in (attribute, "__dict__"))
        or (isinstance(part, ex.Reference) and part.name in ("getattr", "vars"))
        for part in parts_of_scope(method)
    )


def is_tested(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether a sample is taken in one way or in another, as `self.attribute` says."""
    names = _names(context, cls, attribute)
    return any(
        isinstance(statement, If) and _is_kept(statement.test, names, method)
        for method in _taking(context, cls)
        for statement in walk.statements(method.body)
    )


def _iterables(method: Scope) -> Iterator[ex.Expression]:
    for statement in walk.statements(method.body):
        if isinstance(statement, Loop) and statement.source is not None:
            yield statement.source
    for part in parts_of_scope(method):
        if isinstance(part, ex.Comprehension):
            yield from map(ex.unnamed, part.iterables)


def parts_of_scope(method: Scope) -> Iterator[ex.Expression]:
    """Every expression of a function, whole ones before their parts."""
    for statement in walk.statements(method.body):
        for expression in walk.expressions(statement):
            yield from walk.walk(expression)


def _names(context: AnalysisContext, cls: Class, attribute: str) -> frozenset[str]:
    """The names under which methods read an attribute: its own, and properties that give it."""
    names = {attribute}
    for ancestor in context.solver.classes.ancestors(cls):
        for name, method in ancestor.methods.items():
            given = method.returns if attributes.is_accessor(method) else []
            if given and all(_is_kept(result, {attribute}, method) for result in given):
                names.add(name)
    return frozenset(names)


def _is_kept(part: ex.Expression, names: Collection[str], method: Scope) -> bool:
    return isinstance(part, ex.Attribute) and part.name in names and is_self(part.value, method)
