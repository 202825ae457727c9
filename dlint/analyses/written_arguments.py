"""Arguments as they are written in one call, for callees that need not be known.

Question: which expression does a call certainly give to a parameter of which one knows the name and
the position, as of a method of any tensor? Nothing is followed: not names, not partials, not what
is unpacked; `dlint.analyses.binding` does that. Pure, and linear in the arguments.
"""

from __future__ import annotations

from itertools import takewhile

from dlint.ir import expressions as ex
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallArguments, CallContext


def written(call: ex.Call, position: int | None, name: str | None = None) -> ex.Expression | None:
    """What a call certainly gives to a parameter, as it is written in the call itself.

    For methods of objects that need not be known; whoever asks knows the parameter.
    """
    passed = CallArguments.of(call.arguments, CallContext(call.scope))
    found = argument_for(passed, position, name).expression
    return None if found is None else found[0]


def positional(call: ex.Call) -> list[ex.Expression]:
    """What a call is given by position, up to an unpacked `*x`."""
    plain = takewhile(lambda a: a.star != "*", call.arguments)
    return [a.value for a in plain if a.keyword is None and not a.star]
