"""What an expression counts: ranks among all processes, ranks on one machine, their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.calls import library_callees
from dlint.analyses.dependence import dependence
from dlint.analyses.value_parts import names_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.distributed import (
    ATTRIBUTES,
    CALLS,
    MAIN_PROCESS,
    RANK_ZERO_ONLY,
    VARIABLES,
    Rank,
)
from dlint.library_facts.varying import Source
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

Counted = frozenset[Rank] | None
"""What a number may count, nothing for one that is written out; None where it is not known."""
_NUMBER: Counted = frozenset()
_LOCAL = lazily(r"^_?(args_)?local_?rank$", re.I)

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


def _of_attribute(slice_: Slice[Counted], attribute: ex.Attribute, frame: CallContext) -> Counted:
    """`args.local_rank`, unless the program writes a rank among all processes there."""
    counted = _of_library(slice_.context, attribute, frame)
    if counted is not None:
        return frozenset({counted})
    if not _LOCAL.match(attribute.name):
        return None
    for store in slice_.context.project.writing(attribute.name):
        root = slice_.context.solver.root(store.scope)
        if slice_.of(store.value, root) not in (frozenset({Rank.LOCAL}), _NUMBER, None):
            return None
        if any(_is_global(part) for part in walk.walk(store.value)):
            return None
    return frozenset({Rank.LOCAL})


def _of_library(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> Rank | None:
    """`accelerator.process_index`."""
    owners = context.solver.values(attribute.value, frame)
    found = {ATTRIBUTES.get(library_path(owner), {}).get(attribute.name) for owner in owners}
    return next(iter(found)) if len(found) == 1 else None


def _is_global(part: ex.Expression) -> bool:
    return isinstance(part, ex.Reference | ex.Attribute) and part.own_name in ("rank", "get_rank")


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
    return any(
        isinstance(name, ex.Reference | ex.Attribute) and name.name in _OWN
        for name in names_of(expression)
    )


def differs_by_rank(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> bool:
    """Whether a number certainly depends on the rank: `seed + rank`."""
    return Source.RANK in dependence(context, expression, frame).certain


# -- tests that one rank passes


class Choice(Enum):
    """What a test says of the rank."""

    ONE = "one rank passes it"
    OTHERS = "all but one pass it"
    FIXED = "it is a constant"


Chosen = Choice | None
"""None where a test says something else."""


def is_one_rank(
    context: AnalysisContext, test: ex.Expression, frame: CallContext, *, truth: bool
) -> bool:
    """Whether a test that comes out so is passed by one rank only, of all or of its machine."""
    wanted = Choice.ONE if truth else Choice.OTHERS
    return Slice(context, _CHOICE).of(test, frame) is wanted


def is_without_ranks(
    context: AnalysisContext, test: ex.Expression, frame: CallContext, *, truth: bool
) -> bool:
    """Whether a test that comes out so is passed by runs that are not distributed: `rank == -1`."""
    if not isinstance(test, ex.Comparison) or test.operator != ("==" if truth else "!="):
        return False
    sides = (test.left, test.right)
    negative = any(isinstance(side, ex.Unary) and side.operator == "-" for side in sides)
    return negative and any(is_rank(context, side, frame) for side in sides)


def _agreed(found: Sequence[Chosen]) -> Chosen:
    """The join: constants stand for runs that are not distributed."""
    kinds = {one for one in found if one is not Choice.FIXED}
    return (kinds.pop() if len(kinds) == 1 else None) if kinds else Choice.FIXED


def _choice_of_constant(*_: object) -> Chosen:
    return Choice.FIXED


def _choice_of_unary(slice_: Slice[Chosen], unary: ex.Unary, frame: CallContext) -> Chosen:
    if unary.operator != "not":
        return None
    if is_rank(slice_.context, unary.operand, frame):
        return Choice.ONE
    return _OPPOSITE.get(slice_.of(unary.operand, frame))


def _choice_of_boolean(slice_: Slice[Chosen], boolean: ex.Boolean, frame: CallContext) -> Chosen:
    decisive = Choice.ONE if boolean.operator == "and" else Choice.OTHERS
    sides = (slice_.of(side, frame) for side in (boolean.left, boolean.right))
    return decisive if decisive in sides else None


def is_for_one_rank(context: AnalysisContext, decorator: ex.Expression, scope: Scope) -> bool:
    """Whether a decorator leaves a function to one rank: `@accelerator.on_main_process`."""
    frame = context.solver.root(scope.module.body)
    if isinstance(decorator, ex.Attribute) and _is_of_main_process(context, decorator, frame):
        return True
    found = context.solver.names.static(decorator, scope.module.body)
    return any(library_path(value).rpartition(".")[2] == RANK_ZERO_ONLY for value in found)


def _is_of_main_process(
    context: AnalysisContext, attribute: ex.Attribute, frame: CallContext
) -> bool:
    owners = context.solver.values(attribute.value, frame)
    known = [attribute.name in MAIN_PROCESS.get(library_path(owner), ()) for owner in owners]
    return bool(known) and all(known)


def _choice_of_attribute(
    slice_: Slice[Chosen], attribute: ex.Attribute, frame: CallContext
) -> Chosen:
    """`accelerator.is_main_process`; what the project writes elsewhere is followed."""
    if _is_of_main_process(slice_.context, attribute, frame):
        return Choice.ONE
    return slice_.joined(steps(slice_.context, attribute, frame))


def _choice_of_comparison(slice_: Slice[Chosen], test: ex.Comparison, frame: CallContext) -> Chosen:
    sides = (test.left, test.right)
    ranks = [side for side in sides if is_rank(slice_.context, side, frame)]
    others = [side for side in sides if side not in ranks]
    if len(ranks) != 1 or not all(map(_is_written, others)):
        return None
    if any(isinstance(side, ex.Unary) for side in others):
        return None  # `rank == -1` asks whether there are ranks at all
    return _OPERATORS.get(test.operator)


def _is_written(side: ex.Expression) -> bool:
    """`0`, `-1`, `(-1, 0)`."""
    parts = side.items if isinstance(side, ex.Sequence) else (side,)
    return all(isinstance(part, ex.Constant | ex.Unary) for part in parts)


_OPPOSITE: dict[Chosen, Chosen] = {
    Choice.ONE: Choice.OTHERS,
    Choice.OTHERS: Choice.ONE,
    Choice.FIXED: Choice.FIXED,
}
_OPERATORS: dict[str, Chosen] = {
    "==": Choice.ONE,
    "in": Choice.ONE,
    "!=": Choice.OTHERS,
    "not in": Choice.OTHERS,
}
_CHOICE: Question[Chosen] = Question(
    None,
    _agreed,
    {
        ex.Constant: _choice_of_constant,
        ex.Unary: _choice_of_unary,
        ex.Boolean: _choice_of_boolean,
        ex.Comparison: _choice_of_comparison,
        ex.Attribute: _choice_of_attribute,
    },
)
