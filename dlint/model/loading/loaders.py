"""All loaders of a program, with their transfers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from dlint.analyses.running_calls import loader_calls
from dlint.ir import expressions as ex
from dlint.model.loading.configured import configured_loaders
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loader import Loader
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.transfers.moved_parts import first_copies
from dlint.model.transfers.transfers import transfers
from dlint.semantics.calls import calls
from dlint.semantics.values.conditional_value import rank
from dlint.semantics.values.values import AllocationSite, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


def _is_made_by(value: Value, call: ex.Call) -> TypeGuard[AllocationSite]:
    return isinstance(value, AllocationSite) and value.call is call


class Loaders:
    """All loaders of a program, with their transfers."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._by_call: dict[ex.Call, list[Loader]] = {}
        self._loaders: dict[AllocationSite, Loader] = {
            x.made: x for x in context[configured_loaders]
        }
        self.transfers = list(first_copies(context, list(transfers(context))))
        for transfer in self.transfers:
            for batch in transfer.batches:
                self.of(batch.loader).transfers.append(transfer)
        for call in loader_calls(context):
            for value in context.values(call, call.scope):
                if _is_made_by(value, call) and calls.is_loader(context.solver, value):
                    self.of(value)
        for loop in context[batch_loops]:
            for made in loop.loaders:
                self.of(made)
        for made in context[Consumption].loaders:
            self.of(made)
        self._loaders = dict(sorted(self._in_use(), key=lambda pair: rank(pair[0])))

    def _in_use(self) -> list[tuple[AllocationSite, Loader]]:
        """All loaders, but not what a config file stands for by itself where code makes it."""
        made_by_code = {made.call for made in self._loaders if made.frame.call is not None}
        return [
            (made, loader)
            for made, loader in self._loaders.items()
            if not loader.is_configured or loader.has_context or made.call not in made_by_code
        ]

    def of(self, made: AllocationSite) -> Loader:
        """The loader that `made` stands for."""
        if made not in self._loaders:
            self._loaders[made] = Loader(self._context, made)
        return self._loaders[made]

    def denoted(self, expression: ex.Expression, scope: Scope) -> list[Loader]:
        """The loaders that an expression may denote; [] where it may be anything else."""
        values = self._context.values(expression, scope)
        solver = self._context.solver
        made = [v for v in values if isinstance(v, AllocationSite) and calls.is_loader(solver, v)]
        return [self.of(one) for one in made] if len(made) == len(values) else []

    def told(self) -> Iterator[list[Loader]]:
        """Those of each call that stands, or is come to, where findings are wanted."""
        is_told = self._context.told
        for group in self.by_call().values():
            places = (place for x in group for place in (x.place, *x.maker_places))
            if any(is_told(place.path) for place in places):
                yield group

    def by_call(self) -> dict[ex.Call, list[Loader]]:
        """The loaders that each call makes, one for each context that it is made in."""
        if sum(map(len, self._by_call.values())) < len(self._loaders):
            self._by_call = defaultdict(list)
            for loader in self._loaders.values():
                self._by_call[loader.call].append(loader)
        return self._by_call
