"""What an expression counts: ranks among all processes, ranks on one machine, their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.dependence import dependence
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import CALLS, VARIABLES, Rank
from dlint.library_facts.varying import Source
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

Counted = frozenset[Rank] | None
"""What a number may count, nothing for one that is written out; None where it is not known."""
_NUMBER: Counted = frozenset()
_LOCAL = re.compile(r"^_?(args_)?local_?rank$", re.I)

_OWN = frozenset({"rank", "global_rank", "local_rank", "world_rank", "process_index"})
"""Names of a process's own number; that of its machine is another."""

_CONVERSIONS = frozenset({"int", "max", "min"})


def kind(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> Rank | None:
    """What an expression counts; None where that is not known."""
    found = Slice(context, _COUNTED).of(expression, frame)
    return next(iter(found)) if found is not None and len(found) == 1 else None


def _all_alike(found: Sequence[Counted]) -> Counted:
    """The join: what one of several counts, numbers such as 0 and -1 left out."""
    return None if None in found else frozenset().union(*(one for one in found if one is not None))


def _of_number(*_: object) -> Counted:
    return _NUMBER


def _of_reference(slice_: Slice[Counted], name: ex.Reference, frame: CallContext) -> Counted:
    """A name that says so, unless it is bound to something else."""
    found = slice_.joined(steps(slice_.context, name, frame))
    bound = name.definition.value if name.definition is not None else None
    is_open = bound is None or isinstance(bound, ex.Parameter)
    return (
        frozenset({Rank.LOCAL}) if found is None and is_open and _LOCAL.match(name.name) else found
    )


def _of_attribute(slice_: Slice[Counted], attribute: ex.Attribute, _: CallContext) -> Counted:
    """`args.local_rank`, unless the program writes a rank among all processes there."""
    if not _LOCAL.match(attribute.name):
        return None
    for store in slice_.context.project.writing(attribute.name):
        root = slice_.context.solver.root(store.scope)
        if slice_.of(store.value, root) not in (frozenset({Rank.LOCAL}), _NUMBER, None):
            return None
        if any(_is_global(part) for part in walk.walk(store.value)):
            return None
    return frozenset({Rank.LOCAL})


def _is_global(part: ex.Expression) -> bool:
    return isinstance(part, ex.Reference | ex.Attribute) and part.name in ("rank", "get_rank")


def _of_subscript(_: object, subscript: ex.Subscript, __: CallContext) -> Counted:
    return _of_variable(subscript.index)


def _of_variable(name: ex.Expression) -> Counted:
    text = name.value if isinstance(name, ex.Constant) else None
    known = VARIABLES.get(text) if isinstance(text, str) else None
    return None if known is None else frozenset({known})


def _of_call(slice_: Slice[Counted], call: ex.Call, frame: CallContext) -> Counted:
    given = [argument.value for argument in call.arguments if not argument.star]
    if call.name in ("get", "getenv") and given:
        return _of_variable(given[0])
    if call.name in _CONVERSIONS:
        return slice_.joined((value, frame) for value in given)
    for path in library_callees(slice_.context, call):
        known = CALLS.get(path)
        return None if known is None else frozenset({known})
    return slice_.joined(steps(slice_.context, call, frame))


_COUNTED: Question[Counted] = Question(
    None,
    _all_alike,
    {
        ex.Constant: _of_number,
        ex.Unary: _of_number,
        ex.Reference: _of_reference,
        ex.Attribute: _of_attribute,
        ex.Subscript: _of_subscript,
        ex.Call: _of_call,
    },
)
"""What a number counts: choices and conversions keep it, arithmetic loses it."""


def is_rank(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether an expression is the number of this process among those that train."""
    if kind(context, expression, frame) in (Rank.GLOBAL, Rank.LOCAL):
        return True
    named = isinstance(expression, ex.Reference | ex.Attribute)
    return (
        named and isinstance(expression, ex.Reference | ex.Attribute) and (expression.name in _OWN)
    )


def differs_by_rank(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> bool:
    """Whether a number certainly depends on the rank: `seed + rank`."""
    return Source.RANK in dependence(context, expression, frame).certain
