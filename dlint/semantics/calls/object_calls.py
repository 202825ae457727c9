"""Calls of objects: what `model(batch)` gives to `forward`, and `run(loader)` to `__call__`.

Question: with what do the known calls of an object enter its method? No name leads to such calls:
whoever follows loaders and batches tells of those that it comes to. Others are not known, so a
parameter may hold what it holds where nobody calls, too, and these are no callers of the method.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import Value

CALLED = ("__call__", "forward")
"""The methods that calling an object enters."""

_Tell = Callable[[CallContext], None]


class ObjectCalls:
    """What is known of calls of objects; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._entered: defaultdict[Scope, list[CallContext]] = defaultdict(list)
        self._sought: defaultdict[Scope, list[_Tell]] = defaultdict(list)

    def tell(self, call: ex.Call, method: Scope, made: Value) -> bool:
        """A call of an object enters this method of it; whether that was not known."""
        caller = self._solver.root(call.scope)
        passed = CallArguments.of(call.arguments, caller)
        frame = self._solver.frames.enter(method, call, passed, caller, None, made)
        if frame.call is None or frame in self._entered[method]:
            return False
        self._entered[method].append(frame)
        for tell in tuple(self._sought[method]):
            tell(frame)
        return True

    def seek(self, method: Scope, tell: _Tell) -> None:
        """Tell of each such activation of a method, known now or found later."""
        if method.owner is None or method.name not in CALLED:
            return
        self._sought[method].append(tell)
        for frame in tuple(self._entered[method]):
            tell(frame)
