"""Numbers that are the count of a machine's CPUs.

Question: is a number as large as the machine has CPUs, or a few less, whatever the calls of the
project decide? Followed is the backward slice, with the functions that a call enters as their tests
come out there: a parameter that the call leaves out has its default. Kept: `count - 1`, `count or
1`, `max(1, count)`, `int(count)`. Given up on: the CPUs that a process may use
(`sched_getaffinity`), which launchers divide, and all other arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.guards import comes_out, results_by_tests
from dlint.ir import expressions as ex
from dlint.library_facts.processes import CPU_COUNTS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_FEW = 8
"""What may be taken off the count so that it still is about as large."""


def is_cpu_count(context: AnalysisContext, number: ex.Expression, frame: CallContext) -> bool:
    """Whether a number certainly is the count of the machine's CPUs, or a few less."""
    return Slice(context, _EACH).of(number, frame)


def _of_binary(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    few = ex.constant(binary.right)
    is_few = few is not None and isinstance(few.value, int) and 0 <= few.value <= _FEW
    return binary.operator == "-" and is_few and slice_.of(binary.left, frame)


def _of_boolean(slice_: Slice[bool], choice: ex.Boolean, frame: CallContext) -> bool:
    """`os.cpu_count() or 1`; of `cap or os.cpu_count()` the side that the activation chooses."""
    outcome = comes_out(slice_.context, choice.left, frame, truth=True)
    if outcome is None:
        return all([slice_.of(choice.left, frame), slice_.of(choice.right, frame)])
    return slice_.of(choice.left if outcome is (choice.operator == "or") else choice.right, frame)


def _of_choice(slice_: Slice[bool], choice: ex.Conditional, frame: CallContext) -> bool | None:
    outcome = comes_out(slice_.context, choice.test, frame, truth=True)
    if outcome is None:
        return None
    return slice_.of(choice.then if outcome else choice.otherwise, frame)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool:
    paths = {*library_callees(slice_.context, call)}
    if not paths:
        return slice_.joined(results_by_tests(slice_.context, call, frame))
    given = [argument.value for argument in call.arguments]
    if paths == {"builtins.int"} and len(given) == 1:
        return slice_.of(given[0], frame)
    if paths == {"builtins.max"}:
        others = [one for one in given if not _is_low(one)]
        return len(others) == 1 and slice_.of(others[0], frame)
    return paths <= CPU_COUNTS


def _is_low(number: ex.Expression) -> bool:
    """Whether it is 0 or 1, which every count reaches."""
    known = ex.constant(number)
    return known is not None and known.value in (0, 1)


_EACH: Question[bool] = Question(
    unknown=False,
    join=all,
    table={
        ex.Binary: _of_binary,
        ex.Boolean: _of_boolean,
        ex.Conditional: _of_choice,
        ex.Call: _of_call,
    },
)
"""Whether a number is the count of the machine's CPUs on every path that is taken."""
