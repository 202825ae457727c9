"""Code for a torch of long ago, told by what it uses and newer versions no longer have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, If, Scope, Statement, Try
from dlint.library_facts import removed
from dlint.semantics.values.values import library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex


def is_dated(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a module uses what no torch of today has: nobody runs it there."""
    project, path = context.project, module.path
    if not project.words.among(path, removed.DATED_NAMES) and not project.holds(
        path, removed.DATED_TEXT
    ):
        return False
    return any(_breaks(context, module, scope) for scope in module.scopes)


def _breaks(context: AnalysisContext, module: ModuleIndex, scope: Scope) -> bool:
    """Whether a function uses what is gone today, and nothing provides for that."""
    for statement, part in _unguarded(scope, _may_break):
        if _takes_number(module, part) or _is_old_call(part):
            return True
        if isinstance(part, ex.Attribute) and _is_renamed(context, statement, part, scope):
            return True
    return False


def _may_break(part: ex.Expression) -> bool:
    """Whether a part has the form of what is gone today."""
    match part:
        case ex.Subscript(value=ex.Attribute()):
            return True
        case ex.Attribute(name=name):
            return name in removed.RENAMED_ATTRIBUTES
    return _is_old_call(part)


def unguarded_parts(
    scope: Scope, is_meant: Callable[[ex.Expression], bool]
) -> Iterator[ex.Expression]:
    """Those of the parts that are meant in a function which run whatever version there is."""
    return (part for _, part in _unguarded(scope, is_meant))


def _unguarded(
    scope: Scope, is_meant: Callable[[ex.Expression], bool]
) -> Iterator[tuple[Statement, ex.Expression]]:
    for statement in walk.statements(scope.body):
        meant = [part for part in _parts(statement) if is_meant(part)]
        if meant and not _is_guarded(statement):
            for part in meant:
                yield statement, part


def _is_guarded(statement: Statement) -> bool:
    around = walk.ancestors(statement)
    return any(isinstance(outer, If | Try) and _asks(outer) for outer in around)


def _asks(outer: If | Try) -> bool:
    """Whether code is run only where an error is caught, or a version was looked at."""
    if isinstance(outer, Try):
        return bool(outer.handlers)
    return any(
        isinstance(p, ex.Reference | ex.Attribute)
        and (p.own_name in ("hasattr", "isinstance") or "version" in p.own_name.lower())
        for p in walk.walk(outer.test)
    )


def _parts(statement: Statement) -> Iterator[ex.Expression]:
    for expression in walk.expressions(statement):
        yield from walk.walk(expression)


def _takes_number(module: ModuleIndex, part: ex.Expression) -> bool:
    """`loss.data[0]` of what `loss.backward()` shows to be one number."""
    if not isinstance(part, ex.Subscript) or not isinstance(part.index, ex.Constant):
        return False
    data, index = part.value, part.index.value
    if index != 0 or not isinstance(data, ex.Attribute) or data.name != "data":
        return False
    name = ex.dotted(data.value)
    return name is not None and any(
        call.name == "backward"
        and not call.arguments
        and isinstance(call.function, ex.Attribute)
        and ex.dotted(call.function.value) == name
        for scope in module.scopes
        for call in scope.calls
    )


def _is_old_call(part: ex.Expression) -> bool:
    """`TensorDataset(data_tensor=x, target_tensor=y)`."""
    return isinstance(part, ex.Call) and any(
        a.keyword in removed.DATED_ARGUMENTS for a in part.arguments
    )


def _is_renamed(
    context: AnalysisContext, statement: Statement, part: ex.Attribute, scope: Scope
) -> bool:
    """`train_labels` of a data set of torchvision, where it is gone, or cannot be written."""
    if part.name not in removed.RENAMED_ATTRIBUTES:
        return False
    written = isinstance(statement, Bind) and any(s.target is part for s in statement.stores)
    known = removed.READ_ONLY if written else removed.WITHOUT
    values = context.values(part.value, scope)
    return bool(values) and all(library_path(v) in known for v in values)
