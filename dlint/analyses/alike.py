"""Alike: may two expressions of one function be one thing, or copies of it?

Question: do two values come from the same place? Followed: local names over all paths; calls of the
same thing with alike arguments; else a call stands for what it is called on, or is given first, as
copies and conversions do (`x.copy()`, `Image.fromarray(x)`). Parts are alike where their wholes and
indices are. Budget: `_DEEP` steps; whatever is deeper may be alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.analyses.callees import is_self
from dlint.analyses.value_parts import alternatives_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex

_DEEP = 8


def may_be_alike(first: ex.Expression, second: ex.Expression, deep: int = _DEEP) -> bool:
    """Whether two expressions may be the same thing, or come of it."""
    if deep == 0:
        return True
    return any(
        _are_alike(one, other, deep - 1) for one in _origins(first) for other in _origins(second)
    )


def _origins(expression: ex.Expression) -> Iterator[ex.Expression]:
    """What it may be, also of a display that is taken apart: `a, b = load(x), load(y)`."""
    for origin in alternatives_of(expression):
        part = ex.unpacked(origin)
        yield from (origin,) if part is origin else alternatives_of(part)


def _are_alike(one: ex.Expression, other: ex.Expression, deep: int) -> bool:
    match one, other:
        case ex.Constant(), ex.Constant():
            return one.value == other.value
        case ex.Reference(), ex.Reference() if one.definition is None is other.definition:
            return one.name == other.name
        case ex.Attribute(), ex.Attribute():
            return one.name == other.name and may_be_alike(one.value, other.value, deep)
        case ex.Item(), ex.Item():
            return one.position == other.position and may_be_alike(one.value, other.value, deep)
        case ex.Subscript(), ex.Subscript():
            wholes = may_be_alike(one.value, other.value, deep)
            return wholes and may_be_alike(one.index, other.index, deep)
        case ex.Call(), ex.Call() if _spelled_alike(one, other):
            return one is other or all(
                may_be_alike(mine, yours, deep)
                for mine, yours in zip(_given(one), _given(other), strict=True)
            )
    return one is other or _is_made_of(one, other, deep) or _is_made_of(other, one, deep)


def _spelled_alike(one: ex.Call, other: ex.Call) -> bool:
    name = ex.spelled(one.function)
    is_same = name is not None and name == ex.spelled(other.function)
    return is_same and len(one.arguments) == len(other.arguments)


def _given(call: ex.Call) -> list[ex.Expression]:
    return [argument.value for argument in call.arguments]


def _is_made_of(whole: ex.Expression, part: ex.Expression, deep: int) -> bool:
    """Whether a call makes something of what is alike: of its owner, or what it is given first."""
    if not isinstance(whole, ex.Call):
        return False
    callee = whole.function
    owned = isinstance(callee, ex.Attribute) and not is_self(callee.value, whole.scope)
    owner = [callee.value] if isinstance(callee, ex.Attribute) and owned else []
    return any(may_be_alike(source, part, deep) for source in (*owner, *positional(whole)[:1]))
