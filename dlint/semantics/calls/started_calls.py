"""What a function is called with that a library starts, in a process or thread.

Question: with which arguments is a function called that `spawn(f, (a, b))` is handed, or
`Process(target=f, args=(a, b))`? Followed: `args`, by its name or its position, also where the
sequence has a name; the number of the process that some give first. Given up on: `kwargs`, and
sequences that are no literals.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.library_facts.concurrency import STARTERS
from dlint.semantics.calls.binding import bind, library_signature
from dlint.semantics.calls.call_contexts import CallArguments, CallContext

_ARGUMENTS = "args"


def started_with(call: ex.Call, path: str, caller: CallContext) -> CallArguments | None:
    """What the callable at `path` gives to the function that it is handed; None: not known."""
    starter = STARTERS.get(path)
    parameters = () if starter is None else starter.parameters
    numbers = path.endswith("spawn") if starter is None else starter.numbers
    bound = bind(CallArguments.of(call.arguments, caller), library_signature(parameters))
    taken = bound[_ARGUMENTS]
    given = None if taken.expression is None else ex.unnamed(taken.expression[0])
    items = given.items if isinstance(given, ex.Sequence) else ()
    if not isinstance(given, ex.Sequence) and not (numbers and taken.is_absent):
        return None
    passed = [ex.Argument(part.span, part) for part in items]
    if numbers:
        passed.insert(0, ex.Argument(call.span, ex.Opaque(call.span)))
    return CallArguments.of(passed, caller)
