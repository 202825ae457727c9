"""Attributes of objects that a library makes: what the project writes to them.

Question: what is written to an attribute of one such object? Every write of that name, but those of
methods on their own objects, whose target may be the object. Each write is watched once, however
many objects are asked about. Bounded by the solver's budget.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from dlint.ir.module import Store
from dlint.semantics.calls.attributes import written_on_self
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import AllocationSite, Namespace, Value


@dataclass(slots=True)
class _Writes:
    """The writes to attributes of one name."""

    seen: int = 0
    written: defaultdict[Value, list[ConstraintNode]] = field(
        default_factory=lambda: defaultdict(list)
    )
    asked: dict[Value, ConstraintNode] = field(default_factory=dict)


class LibraryFields:
    """What is written to the attributes of objects that libraries make; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._writes: defaultdict[str, _Writes] = defaultdict(_Writes)

    def ask(self, owner: AllocationSite | Namespace, name: str, node: ConstraintNode) -> None:
        """What is written to an attribute of an object flows into its node."""
        writes = self._writes[name]
        writes.asked[owner] = node
        for stored in tuple(writes.written.get(owner, ())):
            self._solver.connect(stored, node)
        stores = self._solver.project.writing(name)
        new, writes.seen = stores[writes.seen :], len(stores)
        for store in new:
            if written_on_self(store) is None:
                self._watch(writes, store)

    def _watch(self, writes: _Writes, store: Store) -> None:
        solver, frame = self._solver, self._solver.root(store.scope)
        stored = solver.evaluate(store.value, frame)

        def written(target: Value) -> None:
            if not isinstance(target, AllocationSite | Namespace):
                return
            writes.written[target].append(stored)
            if target in writes.asked:
                solver.connect(stored, writes.asked[target])

        solver.watch(solver.evaluate(store.target.value, frame), written)
