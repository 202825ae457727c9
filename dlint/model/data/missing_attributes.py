"""Attributes that the methods of a data set read, and that nothing ever writes.

Question: which `self.name` does each run of `__len__` or `__getitem__` read, though no object of
the class has it? Followed: writes to the own object in the class and what it derives from and is
derived from, writes to any object from outside, names of class bodies, methods and fields. Silent
about what is called, unless a method has nearly its name, and where no constructor is seen: code
that is shown leaves out methods. Silent where a base is not known, where something computes
attributes (`__getattr__`, `__slots__`, `setattr`, `__dict__`, decorators of classes), and under
`try`.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import calls_anywhere, is_made
from dlint.analyses.control.path_tests import always_runs, is_tried
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.walk import bindings_of
from dlint.library_facts.readers import MAP_STYLE_BASES, OF_DATASETS, is_dataset_base
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope

_ASKED = ("__len__", "__getitem__")
_COMPUTED = ("__getattr__", "__getattribute__", "__slots__")
_MAKING = lazily(rb"setattr|__dict__|\bvars\(|__setstate__|\bexec\(")


class MissingAttribute(NamedTuple):
    """A read of what no object has; `meant` is a name that it has, and that is much like it."""

    cls: Class
    name: str
    method: str
    place: Place
    meant: str | None


def missing_attributes(context: AnalysisContext) -> Iterator[MissingAttribute]:
    """What `__len__` and `__getitem__` of classes of data sets read in vain, each name once."""
    for facts in context.modules:
        for cls in facts.module.classes:
            if _is_known(context, cls) and is_made(context, cls):
                yield from _of_class(context, cls)


def _is_known(context: AnalysisContext, cls: Class) -> bool:
    """Whether torch's `Dataset` and classes of the project are all that a class derives from."""
    classes = context.solver.classes
    bases = set(classes.externals(cls))
    return any(map(is_dataset_base, bases)) and bases <= MAP_STYLE_BASES and classes.is_whole(cls)


def _of_class(context: AnalysisContext, cls: Class) -> Iterator[MissingAttribute]:
    lookup = context.solver.classes.method
    methods = [m for n in _ASKED if (m := lookup(cls, n)) is not None]
    if lookup(cls, "__init__") is None:
        return
    called = {call.function for method in methods for call in method.calls}
    read = [(part, method) for method in methods for part in _read(method)]
    known = _known_names(context, cls) if read else None
    seen = set[str]() if known is None else set(known)
    for part, method in read if known is not None else ():
        if part.name not in seen:
            seen.add(part.name)
            meant = get_close_matches(part.name, sorted((known or set()) - OF_DATASETS), 1)
            if part in called and not meant:
                continue
            place = Place(method.module.path, *part.span)
            yield MissingAttribute(cls, part.name, method.name, place, meant[0] if meant else None)


def _read(method: Scope) -> Iterator[ex.Attribute]:
    """The attributes of its own object that each run of a method reads."""
    if method.decorators:
        return
    for statement in walk.statements(method.body):
        if always_runs(statement, method.body) and not is_tried(statement):
            for expression in walk.expressions(statement):
                yield from (p for p in _certain(expression) if _is_own(p, method))


def _certain(expression: ex.Expression) -> Iterator[ex.Attribute]:
    """The attributes that an expression reads whatever comes out of its tests."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ex.Attribute):
            yield part
        if isinstance(part, ex.Conditional):
            waiting.append(part.test)
        elif isinstance(part, ex.Boolean):
            waiting.append(part.left)
        elif not isinstance(part, ex.FunctionValue | ex.Comprehension):
            waiting += walk.children(part)


def _is_own(part: ex.Attribute, method: Scope) -> bool:
    dunder = part.name.startswith("__") and part.name.endswith("__")
    return not dunder and is_self(part.value, method)


def _known_names(context: AnalysisContext, cls: Class) -> frozenset[str] | None:
    """The names that objects of a class may have; None where something computes them."""
    classes = context.solver.classes
    family = list(classes.ancestors(cls))
    if any(name in c.methods or bindings_of(c.body, name) for c in family for name in _COMPUTED):
        return None
    if any(c.decorators and not c.fields for c in family):
        return None
    modules = {c.body.module.path for c in classes.family(cls)}
    modules |= {call.scope.module.path for call in calls_anywhere(context, cls.name)}
    if any(context.project.says(path, _MAKING) for path in modules):
        return None
    return OF_DATASETS.union(*map(_names_of, family), _written_names(context, cls))


def _names_of(cls: Class) -> frozenset[str]:
    fields = (spec.name for spec in cls.fields)
    return frozenset({*cls.methods, *(d.name for d in cls.body.definitions), *fields})


def _written_names(context: AnalysisContext, cls: Class) -> frozenset[str]:
    """The attributes that are written on the own object, or on any object from outside."""
    family = context.solver.classes.family(cls)
    return frozenset(
        store.target.name
        for facts in context.modules
        for scope in facts.module.scopes
        for store in scope.stores
        if isinstance(store.target, ex.Attribute)
        and ((owner := attributes.written_on_self(store)) is None or owner in family)
    )
