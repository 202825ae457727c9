"""What an attribute of an object or module of the project holds, where code reads it.

Question: which values may an attribute hold that some code reads? Followed: what the class and its
relatives write to `self.name`, fields that a constructor takes, and what properties return; what a
module binds to the name, and what is written to the module from outside, in any order. A write
counts if it may be the last one before the read: in a method that writes and reads, by the order of
its statements, and for others, unless the same method writes anew before they run; None does not
where the reader has written anew what is None (`if self.x is None: self.x = …`). Given up on:
order among methods (`control.last_writes` says more of that), and writes under tests, which count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.field_values import field_values
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If
from dlint.semantics.calls import attributes
from dlint.semantics.calls.field_writes import field_writes
from dlint.semantics.names.replaced_functions import seen_globals
from dlint.semantics.values.values import ModuleValue

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, ModuleIndex, Scope, Store
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import Value

Located = tuple[ex.Expression, "CallContext"]


def written_values(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> Iterator[Located]:
    """What the project writes to an attribute of its own objects and modules."""
    made = context.solver.values(attribute.value, frame)
    modules = [value.module for value in made if isinstance(value, ModuleValue)]
    if not modules:
        yield from _of_objects(context, attribute, frame, made)
    elif len(modules) == len(made):
        yield from _of_modules(context, modules, attribute.name)


def _of_objects(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext, made: Iterable[Value]
) -> Iterator[Located]:
    stores = [s for s in context.project.writing(attribute.name) if attributes.written_on_self(s)]
    owners = [attributes.project_class(value) for value in made]
    if not stores:
        yield from _fields(context, owners, attribute.name)
        yield from _properties(context, owners, attribute.name)
    if not stores or not isinstance(attribute.value, ex.Reference):
        return
    family = {c for cls in owners if cls is not None for c in context.solver.classes.family(cls)}
    own = [store for store in stores if attributes.written_on_self(store) in family]
    own = _that_may_stand(context, own, attribute, frame.scope)
    for store in _up_to(context, own, attribute, frame.scope):
        if not any(_is_replaced(context, store, by, frame.scope) for by in own):
            yield store.value, context.solver.root(store.scope)


def _of_modules(
    context: AnalysisContext, modules: list[ModuleIndex], name: str
) -> Iterator[Located]:
    """What modules hold under a name; nothing where one of them may take it from elsewhere."""
    found = [list(_of_module(context, module, name)) for module in modules]
    yield from (pair for pairs in found for pair in pairs) if all(found) else ()


def _of_module(context: AnalysisContext, module: ModuleIndex, name: str) -> Iterator[Located]:
    facts, root = context.project.load(module.path), context.solver.root
    bound = [] if facts is None else seen_globals(facts, module.body, name)
    if not bound:
        return
    yield from ((definition.value, root(definition.scope)) for definition in bound)
    for store in context.project.writing(name):
        owner = store.target.value if isinstance(store.target, ex.Attribute) else store.target
        held = context.solver.values(owner, root(store.scope))
        if any(isinstance(value, ModuleValue) and value.module is module for value in held):
            yield store.value, root(store.scope)


def is_set_by_methods(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> bool:
    """Whether methods alone write an attribute of the objects that it is read of, each its own."""
    made = context.solver.values(attribute.value, frame)
    owners = [attributes.project_class(value) for value in made]
    return bool(owners) and all(
        cls is not None and _is_set_by_self(context, cls, attribute.name) for cls in owners
    )


def _is_set_by_self(context: AnalysisContext, cls: Class, name: str) -> bool:
    writes = field_writes(context.solver, cls, name)
    return not (writes.in_bodies or writes.fields or writes.elsewhere or writes.by_key)


def _that_may_stand(
    context: AnalysisContext, stores: list[Store], read: ex.Attribute, scope: Scope
) -> list[Store]:
    """The writes but those of None, where code before the read writes anew what is None there."""
    tests = (s for s in walk.statements(scope.body) if isinstance(s, If))
    filled = next((test for test in tests if _fills(test, read, scope)), None)
    if filled is None:
        return stores
    between = [c for c in scope.calls if filled.span[1] <= c.span[0] < read.span[0]]
    entered = set(entered_by(context, between))
    return [s for s in stores if not _is_none(s.value) or s.scope in entered]


def _fills(test: If, read: ex.Attribute, scope: Scope) -> bool:
    """`if self.rows is None: self.rows = …` before a read in the same block."""
    end = test.block.statements[-1].span[1]
    if not test.span[1] <= read.span[0] < end or not _asks_for_none(test.test, read):
        return False
    return any(
        _is_same(store.target, read)
        and not _is_none(store.value)
        and always_runs(store.statement, test.then)
        for store in scope.stores
    )


def _asks_for_none(test: ex.Expression, read: ex.Attribute) -> bool:
    if isinstance(test, ex.Unary) and test.operator == "not":
        return _is_same(test.operand, read)
    if not isinstance(test, ex.Comparison) or test.operator != "is":
        return False
    return _is_none(test.right) and _is_same(test.left, read)


def _is_same(part: ex.Expression, read: ex.Attribute) -> bool:
    if not isinstance(part, ex.Attribute) or not isinstance(part.value, ex.Reference):
        return False
    owner = read.value
    return (
        part.name == read.name
        and isinstance(owner, ex.Reference)
        and (part.value.name == owner.name and part.value.definition is owner.definition)
    )


def _is_none(value: ex.Expression) -> bool:
    written = ex.constant(value)
    return written is not None and written.value is None


def _up_to(
    context: AnalysisContext, stores: list[Store], read: ex.Attribute, scope: Scope
) -> list[Store]:
    """The writes that may be the last one before a method reads what it has written itself."""
    before = [
        store
        for store in stores
        if store.scope is scope
        and store.statement.block is scope.body
        and store.statement.span[1] <= read.span[0]
    ]
    if not before:
        return stores
    last = max(before, key=lambda store: store.span)
    between = [c for c in scope.calls if last.span[0] < c.span[0] < read.span[0]]
    entered = set(entered_by(context, between))
    return [
        store
        for store in stores
        if store is last or store.scope in entered or _is_between(store, last, read)
    ]


def _is_between(store: Store, last: Store, read: ex.Attribute) -> bool:
    """Whether a write stands behind another one and before a read, or in a loop around that."""
    if store.scope is not last.scope or store.span[0] <= last.span[0]:
        return False
    loops = walk.enclosing_loops(store.statement)
    return store.statement.span[1] <= read.span[0] or any(
        loop.span[0] <= read.span[0] < loop.span[1] for loop in loops
    )


def _is_replaced(context: AnalysisContext, store: Store, by: Store, reader: Scope) -> bool:
    """Whether the method that writes an attribute certainly writes another value to it, before
    another method reads it.
    """
    method = store.scope
    if by.scope is not method or reader is method or by.span[0] <= store.span[0]:
        return False
    if by.statement.block is not store.statement.block:
        return False
    between = [c for c in method.calls if store.span[0] < c.span[0] < by.span[1]]
    return reader not in set(entered_by(context, between))


def property_results(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> Iterator[Located]:
    """What the properties return that a read runs; nothing where an owner may have none."""
    made = context.solver.values(attribute.value, frame)
    yield from _properties(context, list(map(attributes.project_class, made)), attribute.name)


def _properties(
    context: AnalysisContext, owners: list[Class | None], name: str
) -> Iterator[Located]:
    """What properties of this name return, where all owners have one."""
    methods = [None if c is None else context.solver.classes.method(c, name) for c in owners]
    kinds = {"property", "cached_property"}
    getters = [m for m in methods if m is not None and attributes.decorators(m) & kinds]
    for getter in dict.fromkeys(getters) if len(getters) == len(owners) else ():
        yield from ((result, context.solver.root(getter)) for result in getter.returns)


def _fields(context: AnalysisContext, owners: list[Class | None], name: str) -> Iterator[Located]:
    """What the one class of all owners holds in a field that its constructor takes."""
    cls = owners[0] if len(set(owners)) == 1 else None
    if cls is not None and any(spec.name == name for spec in cls.fields):
        yield from field_values(context, cls, name)
