"""What calls go through to its end before they give anything.

Question: which of what a call is given does it certainly go through, however long that is?
Followed: functions of libraries that do so, under any name, `update` and `extend` of what the
project makes of built-in types, and `*x` among the arguments of any call. Given up on: functions of
the project, and stars beside what a function is given. Linear in the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import callable_names, library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import READ_WHOLE, SHORTENED
from dlint.library_facts.records import TAKING_ALL
from dlint.semantics.values.values import Container

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def read_whole(context: AnalysisContext, call: ex.Call) -> Iterator[ex.Expression]:
    """What a call goes through to its end, whatever it calls: `Counter(f(x) for x in data)`."""
    starred = [argument.value for argument in call.arguments if argument.star == "*"]
    position = None if any(a.star for a in call.arguments) else _position(context, call)
    given = None if position is None else written(call, position)
    yield from starred if given is None else (given,)


def _position(context: AnalysisContext, call: ex.Call) -> int | None:
    """Where the argument stands that every callable which a call may call reads whole."""
    if call.name not in context[_names]:
        return None
    if call.name in TAKING_ALL and _adds_to_own(context, call):
        return 0
    paths = library_callees(context, call)
    found = {READ_WHOLE.get(path) for path in paths if not _is_shortened(call, path)}
    return found.pop() if len(found) == 1 else None


def _is_shortened(call: ex.Call, path: str) -> bool:
    """Whether a call says how many items it wants, or is `max(a, b)`, which goes through none."""
    return path in SHORTENED and written(call, *SHORTENED[path]) is not None


def _adds_to_own(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call is that of a method of lists, dicts or sets that the project makes."""
    callee = call.function
    owners = context.values(callee.value, call.scope) if isinstance(callee, ex.Attribute) else ()
    return bool(owners) and all(isinstance(owner, Container) for owner in owners)


def _names(context: AnalysisContext) -> frozenset[str]:
    """The last names of calls that may read something whole."""
    return callable_names(context, READ_WHOLE) | TAKING_ALL
