"""What the tests before a call say of the device: whether a run with some device comes there.

Questions: does every way to a call exclude a kind of device; do the tests around it ask for nothing
else? Followed: tests around the call and before it, in its function and on every path of calls to
that, which ask for CUDA, MPS or the CPU (`device.type == "mps"`, `"cuda" in str(device)`,
`torch.cuda.is_available()`), by a name that holds the answer too. Given up on: whether the device
that is asked is the one of a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import on_every_path
from dlint.analyses.control.path_tests import PathTest, tests_of_call
from dlint.ir import expressions as ex
from dlint.ir import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Statement

Kind = Literal["cuda", "mps"]

_KINDS = ("cuda", "mps", "cpu")
_AVAILABLE = {"torch.cuda.is_available": "cuda", "torch.backends.mps.is_available": "mps"}
_NEGATED = {"!=": "==", "is not": "is", "not in": "in"}


class DeviceTests:
    """What stands before the calls of a project; each call is looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[tuple[ex.Call, Kind], bool] = {}

    def exclude(self, kind: Kind, call: ex.Call) -> bool:
        """Whether no run on a kind of device comes through a call."""
        key = (call, kind)
        if key not in self._known:
            self._known[key] = self._exclude(kind, call)
        return self._known[key]

    def _exclude(self, kind: Kind, call: ex.Call) -> bool:
        if self._close(kind, call):
            return True
        ways = on_every_path(
            self._context, call.scope, lambda way: (way,) if self._close(kind, way) else ()
        )
        return bool(ways)

    def _close(self, kind: Kind, call: ex.Call) -> bool:
        """Whether a test that must come out so, before a call is made, excludes a device."""
        return any(_excludes(self._context, kind, test) for test in tests_of_call(call))


def with_tests_for(context: AnalysisContext, kind: Kind, call: ex.Call) -> Iterator[Statement]:
    """The statement of a call, and the `if`s around it that only ask for a kind of device."""
    yield call.statement
    for owner in walk.conditions(call.statement):
        if _named(context, ex.unnamed(owner.test)).partition(":")[0] != kind:
            return
        yield owner


def _excludes(context: AnalysisContext, kind: Kind, asked: PathTest) -> bool:
    test, truth = ex.unnamed(asked.test), asked.truth
    while isinstance(test, ex.Unary) and test.operator == "not":
        test, truth = ex.unnamed(test.operand), not truth
    if isinstance(test, ex.Boolean):
        sides = (PathTest(side, truth) for side in (test.left, test.right))
        found = (_excludes(context, kind, side) for side in sides)
        # of `a and b` that fails, either may have failed
        return any(found) if truth is (test.operator == "and") else all(found)
    if isinstance(test, ex.Comparison) and test.operator in _NEGATED:
        named, truth = _compared(test, _NEGATED[test.operator]), not truth
    else:
        named = _named(context, test)
    if truth:
        return named.partition(":")[0] in set(_KINDS) - {kind}
    return named == kind


def _named(context: AnalysisContext, test: ex.Expression) -> str:
    """The device that there is if a test holds; empty where it asks for none."""
    if isinstance(test, ex.Call):
        found = [_AVAILABLE[path] for path in library_callees(context, test) if path in _AVAILABLE]
        return found[0] if found else ""
    return _compared(test, test.operator) if isinstance(test, ex.Comparison) else ""


def _compared(test: ex.Comparison, operator: str) -> str:
    if operator not in {"==", "is", "in"}:
        return ""
    sides = (test.left,) if operator == "in" else (test.left, test.right)
    texts = [constant.value for side in sides if (constant := ex.constant(side)) is not None]
    return texts[0] if texts and isinstance(texts[0], str) else ""
