"""Data sets that are made of the same data, each with a transform of its own.

Question: do two calls make objects whose samples are the same ones, in the same order, but for what
a transform makes of them? Followed: two calls in one function, of the same class, of which all
arguments are written alike but those that are transforms or functions; names of arguments, to what
nobody can change, or which is read there alone. Given up on: unpacked arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.sample_work import makes_transform
from dlint.semantics.values.values import NONE, FunctionObject, is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.values.values import Value

_MADE = (ex.Call, ex.Sequence, ex.Mapping, ex.Comprehension)
"""What makes something of its own, which code behind it may change."""
_VARYING = (ex.Parameter, ex.Join, ex.Element, ex.Item, ex.Entered, ex.Opaque, ex.Imported)
"""What is not told from others by how it is written."""


def are_twins(context: AnalysisContext, one: ex.Expression, other: ex.Expression) -> bool:
    """Whether two expressions make data sets of the same samples, apart from their transforms."""
    if not isinstance(one, ex.Call) or not isinstance(other, ex.Call):
        return False
    name = ex.spelled(one.function)
    if name is None or name != ex.spelled(other.function) or one.scope is not other.scope:
        return False
    if [a.keyword for a in one.arguments] != [a.keyword for a in other.arguments]:
        return False
    if any(argument.star for argument in (*one.arguments, *other.arguments)):
        return False
    pairs = list(zip(one.arguments, other.arguments, strict=True))
    alike = [_is_written_alike(context, one, a.value, b.value) for a, b in pairs]
    changed = [p for p, is_same in zip(pairs, alike, strict=True) if not is_same]
    parts = (argument.value for pair in changed for argument in pair)
    return any(alike) and all(_is_transform(context, part, one) for part in parts)


def _is_written_alike(
    context: AnalysisContext, call: ex.Call, one: ex.Expression, other: ex.Expression
) -> bool:
    text = context.project.text(call.scope.module.path).decode("utf-8", "surrogatepass")
    first, second = (_named(part, call.scope) for part in (one, other))
    same = text[slice(*first.span)] == text[slice(*second.span)]
    return same and _bound(first) == _bound(second)


def _named(part: ex.Expression, scope: Scope) -> ex.Expression:
    """What an argument is a name for; a name of what may change or varies stands for itself."""
    while isinstance(part, ex.Reference) and part.definition is not None:
        value = part.definition.value
        is_made = any(isinstance(inner, _MADE) for inner in walk.walk(value))
        if isinstance(value, _VARYING) or (is_made and _reads(part.definition, scope) > 1):
            break
        part = value
    return part


def _reads(name: ex.Definition, scope: Scope) -> int:
    parts = walk.parts_with_lambdas(scope.body)
    return sum(isinstance(part, ex.Reference) and part.definition is name for part in parts)


def _bound(part: ex.Expression) -> list[ex.Definition | None]:
    return [inner.definition for inner in walk.walk(part) if isinstance(inner, ex.Reference)]


def _is_transform(context: AnalysisContext, part: ex.Expression, call: ex.Call) -> bool:
    values = context.solver.values(part, context.solver.root(call.scope))
    return bool(values) and all(map(_transforms, values))


def _transforms(value: Value) -> bool:
    if isinstance(value, FunctionObject) or value == NONE:
        return True
    return is_of_library(value) and makes_transform(library_path(value))
