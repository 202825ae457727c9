"""Uses of what newer versions of torch and torchdata no longer have.

Question: where does a program call `.next()` on what iterates a loader, take something from
`torch._six`, give `Sampler.__init__` an argument, or import data pipes? Followed: names through
aliases and imports. Given up on: what a test or a handler of errors stands around, since that may
be there for a version that lacks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.running_calls import calls_named
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Define, If, ModuleIndex, Scope, Statement, Try
from dlint.library_facts import removed
from dlint.model.versions.admitted import Versions
from dlint.semantics.calls import calls
from dlint.semantics.values.values import (
    AllocationSite,
    ClassObject,
    External,
    Value,
    WrappedLoader,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_SIX = b"_six"


class NextCall(NamedTuple):
    """`iterator.next()` on what iterates a loader, and the text of the iterator."""

    place: Place
    receiver: str


class SixUse(NamedTuple):
    """An import of `torch._six`, or an attribute of it; `fixed` is a text for its place."""

    place: Place
    names: tuple[str, ...]
    is_import: bool
    fixed: str | None
    error: str = "ModuleNotFoundError"


class DataSource(NamedTuple):
    """A constructor of `Sampler` that is given something; `position` of the only argument."""

    place: Place
    position: int | None
    path: str


def next_calls(context: AnalysisContext) -> Iterator[NextCall]:
    """`.next()` on iterators of loaders, which had that method until torch 1.12."""
    for call in calls_named(context, "next"):
        callee = call.function
        if not isinstance(callee, ex.Attribute) or call.arguments:
            continue
        found = context.values(callee.value, call.scope)
        if found and all(_is_plain_loader(context, value) for value in found):
            receiver = _text(context, call.scope.module, callee.value.span)
            yield NextCall(context.place_of(call), receiver)


def _is_plain_loader(context: AnalysisContext, value: Value) -> bool:
    """Whether a value is (what iterates) a loader whose class has no `next` of its own."""
    made = value.loader if isinstance(value, WrappedLoader) else value
    if not isinstance(made, AllocationSite) or not calls.is_loader(context.solver, made):
        return False
    if not isinstance(made.origin, ClassObject):
        return library_path(made).startswith("torch.utils.data.")
    classes = context.solver.classes
    return all(classes.method(made.origin.cls, name) is None for name in ("next", "__iter__"))


def _text(context: AnalysisContext, module: ModuleIndex, span: Span) -> str:
    text = context.project.text(module.path).decode("utf-8", "surrogatepass")
    return text[slice(*span)]


def six_uses(context: AnalysisContext) -> Iterator[SixUse]:
    """What is taken from `torch._six` where nothing provides for its absence."""
    for facts in context.modules:
        module = facts.module
        if not context.project.holds(module.path, _SIX):
            continue
        imports = list(_six_imports(context, module))
        yield from imports or _six_attributes(context, module)


def _statements(module: ModuleIndex) -> Iterator[tuple[Scope, Statement]]:
    """The statements that no test and no handler of errors stands around."""
    for scope in module.scopes:
        if scope.kind != "lambda":
            for statement in walk.statements(scope.body):
                around = walk.ancestors(statement)
                if not any(isinstance(outer, If | Try) for outer in around):
                    yield scope, statement


def _six_imports(context: AnalysisContext, module: ModuleIndex) -> Iterator[SixUse]:
    for _, statement in _statements(module):
        if not isinstance(statement, Define):
            continue
        place = Place(module.path, *statement.span)
        found = [d for d in statement.definitions if isinstance(d.value, ex.Imported)]
        names = {d.name: n for d in found if (n := _six_name(d.value)) is not None}
        if names:
            texts = [removed.six_statement(n, bound) for bound, n in names.items()]
            whole = len(names) == len(statement.definitions) and None not in texts
            fixed = "\n".join(t for t in texts if t) if whole else None
            yield SixUse(place, tuple(filter(None, names.values())), True, fixed)
        elif any(_imported(context, module, d) == removed.SIX for d in found):
            member = any(isinstance(d.value, ex.Imported) and d.value.name for d in found)
            error = "ImportError" if member else "ModuleNotFoundError"
            yield SixUse(place, (), True, None, error)


def _imported(context: AnalysisContext, module: ModuleIndex, definition: ex.Definition) -> str:
    """The full path of what an import names; of `import a.b`, which binds `a`, that of `b`."""
    value = definition.value
    if not isinstance(value, ex.Imported) or value.level:
        return ""
    if value.name is not None:
        return f"{value.module}.{value.name}"
    return _text(context, module, definition.span).split()[0]


def _six_name(value: ex.Expression) -> str | None:
    """What an import takes from `torch._six`, "" for the module itself, None for other imports."""
    if isinstance(value, ex.Imported) and value.module == removed.SIX and not value.level:
        return value.name or ""
    return None


def _six_attributes(context: AnalysisContext, module: ModuleIndex) -> Iterator[SixUse]:
    for scope, statement in _statements(module):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if not isinstance(part, ex.Attribute) or not isinstance(part.value, ex.Attribute):
                    continue
                if part.value.name != "_six":
                    continue
                if External(removed.SIX) in context.solver.names.static(part.value, scope):
                    fixed = removed.six_value(part.name)
                    place = Place(module.path, *part.span)
                    yield SixUse(place, (part.name,), False, fixed, "AttributeError")


def pipe_imports(context: AnalysisContext) -> Iterator[tuple[Place, str]]:
    """Imports of torchdata's data pipes and of its second loader, with the module's name."""
    for facts in context.modules:
        module = facts.module
        if not context.project.holds(module.path, b"torchdata"):
            continue
        newest = context[Versions].torchdata(module.path).newest
        if newest is not None and newest <= removed.LAST_WITH_PIPES:
            continue
        for _, statement in _statements(module):
            for definition in statement.definitions if isinstance(statement, Define) else ():
                name = _pipes(context, module, definition)
                if name is not None:
                    yield Place(module.path, *statement.span), name
                    break


def _pipes(context: AnalysisContext, module: ModuleIndex, definition: ex.Definition) -> str | None:
    full = _imported(context, module, definition)
    named = next((n for n in removed.PIPES if full == n or full.startswith(f"{n}.")), None)
    own = named and context.project.imports.resolve(module.path, named.partition(".")[0], 0)
    return named if own is None else None


def data_sources(context: AnalysisContext) -> Iterator[DataSource]:
    """Samplers that give something to the constructor of their base class."""
    for facts in context.modules:
        for cls in facts.module.classes:
            init = cls.methods.get("__init__")
            if init is not None and _derives_from_sampler(context, cls):
                for call in init.calls:
                    yield from _given_to_base(context, call, facts.module.path)


def _derives_from_sampler(context: AnalysisContext, cls: Class) -> bool:
    """Whether the next constructor up is that of torch's `Sampler`."""
    classes = context.solver.classes
    bases = [path for path in classes.externals(cls) if path != "typing.Generic"]
    own = classes.ancestors(cls)[1:]
    return (
        len(bases) == 1
        and bases[0] in removed.SAMPLERS
        and len(cls.bases) == 1
        and not any("__init__" in ancestor.methods for ancestor in own)
    )


def _given_to_base(context: AnalysisContext, call: ex.Call, path: str) -> Iterator[DataSource]:
    callee = call.function
    if not isinstance(callee, ex.Attribute) or callee.name != "__init__":
        return
    if isinstance(callee.value, ex.Call) and callee.value.name == "super":
        first = 0
    elif _is_base(context, callee.value, call.scope):
        first = 1
    else:
        return
    given = call.arguments[first:]
    if given and not any(argument.star for argument in given):
        yield DataSource(context.place_of(call), first if len(given) == 1 else None, path)


def _is_base(context: AnalysisContext, expression: ex.Expression, scope: Scope) -> bool:
    found = context.solver.names.static(expression, scope)
    return any(isinstance(value, External) and value.path in removed.SAMPLERS for value in found)
