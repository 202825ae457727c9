"""How code changes a value in place: the forms of statements and calls that do.

Question: what does one statement, or one call, change, and is what it writes made of what stood
there, so that a second run changes it again? Whose value that is, nobody asks here. Pure but for
what calls of libraries, and flags, mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to, is_method, library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import mutations as known
from dlint.library_facts.seeding import drawn_by
from dlint.semantics.values.values import TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Bind, Scope


def augmented_name(statement: Bind) -> ex.Expression | None:
    """The name in `x += 1`."""
    value = statement.value
    if isinstance(value, ex.Binary) and isinstance(value.left, ex.Reference):
        for definition in statement.definitions:
            if value.left.span == definition.span and value.operator in known.AUGMENTED:
                return value.left
    return None


def is_computed(value: ex.Expression, target: ex.Subscript) -> bool:
    """Whether a part is assigned what is reckoned of it: `x[i] = (x[i] - mean) / deviation`."""
    return isinstance(value, ex.Binary) and any(
        is_alike(side, target) or is_computed(side, target) for side in (value.left, value.right)
    )


def is_by_chance(
    context: AnalysisContext, statement: Bind, target: ex.Subscript, method: Scope
) -> bool:
    """Whether chance decides if a part is written that each run reads: `if random() < p: …`."""
    tests = (part for test, _ in walk.tests(statement) for part in walk.walk(test))
    drawn = any(
        drawn_by(path) is not None
        for part in tests
        if isinstance(part, ex.Call)
        for path in library_callees(context, part)
    )
    parts = walk.parts(method.body) if drawn else ()
    return any(part is not target and is_same(part, target) for part in parts)


def is_alike(one: ex.Expression | None, other: ex.Expression | None) -> bool:
    """Whether two expressions are written alike, of the same names."""
    match one, other:
        case None, None:
            return True
        case ex.Constant(), ex.Constant():
            return one.value == other.value
        case ex.Reference(), ex.Reference():
            return one.name == other.name and one.definition is other.definition
        case ex.Subscript(), ex.Subscript():
            return is_alike(one.value, other.value) and is_alike(one.index, other.index)
        case ex.Slice(), ex.Slice():
            return all(map(is_alike, one.bounds, other.bounds))
        case ex.Sequence(), ex.Sequence() if len(one.items) == len(other.items):
            return all(map(is_alike, one.items, other.items))
        case ex.Opaque(), ex.Opaque():
            return not one.children and not other.children
    return False


def is_keyed(target: ex.Subscript) -> bool:
    """Whether it is the part of a name under a key that is written out: `record["box"]`."""
    return isinstance(target.index, ex.Constant) and isinstance(target.value, ex.Reference)


def is_made_of(value: ex.Expression, target: ex.Subscript) -> bool:
    """Whether a value is made of what an assignment writes, also by a name for that."""
    behind = (part if part is value else origin_of(part) for part in walk.walk(value))
    return any(is_same(part, target) for part in behind)


def is_same(part: ex.Expression, target: ex.Subscript) -> bool:
    """Whether an expression reads what an assignment writes: `x["a"] = f(x["a"])`."""
    return (
        isinstance(part, ex.Subscript)
        and isinstance(part.index, ex.Constant)
        and isinstance(target.index, ex.Constant)
        and part.index.value == target.index.value
        and isinstance(part.value, ex.Reference)
        and isinstance(target.value, ex.Reference)
        and part.value.definition is target.value.definition
    )


def settled_part(context: AnalysisContext, value: ex.Expression) -> ex.Expression | None:
    """What a value is a form of that a second time would not change: `x` of `int(x)`, `x.float()`,
    `x[:512]`, one after the other; None where nothing is known to be."""
    part = origin_of(value)
    inner = _settled(context, part)
    while inner is not None:
        part, inner = inner, _settled(context, origin_of(inner))
    return part if part is not origin_of(value) else None


def _settled(context: AnalysisContext, value: ex.Expression) -> ex.Expression | None:
    """The same of one form."""
    if isinstance(value, ex.Subscript):
        return value.value if _is_beginning(value.index) else None
    if not isinstance(value, ex.Call):
        return None
    paths = library_callees(context, value)
    owner = value.function.value if isinstance(value.function, ex.Attribute) else None
    if is_call_to(context, value, known.CONVERTING) or any(map(_is_settling_function, paths)):
        return written(value, 0)
    return owner if value.name in known.SETTLING else None


def _is_settling_function(path: str) -> bool:
    is_function = path.startswith(("torch.", "numpy.")) and not is_method(path)
    return is_function and path.rpartition(".")[2] in known.SETTLING


def _is_beginning(index: ex.Expression) -> bool:
    """Whether an index takes the first ones: `x[:512]`."""
    whole = ex.unnamed(index)
    lower, upper, step = whole.bounds if isinstance(whole, ex.Slice) else (index, None, None)
    if lower is not None or step is not None or upper is None:
        return False
    return not isinstance(ex.unnamed(upper), ex.Unary)


def is_tested(statement: Bind, value: ex.Expression, target: ex.Subscript) -> bool:
    """Whether a part is looked at before it is written, so that a second time may leave it as it
    is: `if x["a"].ndim == 2: x["a"] = x["a"][None]`."""
    tests = [test for test, _ in walk.tests(statement)]
    tests += [part.test for part in (origin_of(value),) if isinstance(part, ex.Conditional)]
    return any(is_same(part, target) for test in tests for part in walk.walk(test))


def changed_by_call(context: AnalysisContext, call: ex.Call) -> ex.Expression | None:
    """What a call changes in place so that a second one would change it again; None if nothing."""
    callee, out = call.function, written(call, None, "out")
    if out is not None and call.name in known.OUT:
        return out if any(is_alike(given, out) for given in positional(call)) else None
    if isinstance(callee, ex.Attribute) and call.name in known.ARITHMETIC | known.LISTS:
        return callee.value
    if is_call_to(context, call, known.SHUFFLES):
        return written(call, 0, "x")
    places = [known.IN_PLACE.get(path) for path in library_callees(context, call)]
    flag = written(call, places[0], "inplace") if places and places[0] is not None else None
    is_on = flag is not None and context.values(flag, call.scope) == {TRUE}
    return written(call, 0, "tensor") if is_on else None
