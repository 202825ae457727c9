"""cycled-loader: `itertools.cycle(loader)`, which keeps every batch and repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.model import sharding
from dlint.model.loaders import Loaders
from dlint.model.loops import iterated
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_MESSAGE = (
    "`itertools.cycle` keeps every batch of the first pass in memory and then repeats these very "
    "batches, neither shuffled nor augmented anew; iterate the loader again instead: "
    "`while True: yield from loader`"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that are given to `itertools.cycle`."""
    for call in calls_to(context, "itertools.cycle"):
        given = bind(context, call).get("iterable")
        if given is None or _is_listed(given):
            continue
        values = context.values(given, call.scope)
        made = OrderedSet(m for value in values for m in iterated(context.solver, value))
        loaders = sorted((context[Loaders].of(m) for m in made), key=lambda loader: loader.place)
        if loaders and not any(map(sharding.is_made_up, loaders)):
            related = (Related(loaders[0].place, "the loader is made here"),)
            few = any(map(_draws_from_part, loaders))
            severity = Severity.INFO if few else Severity.WARNING
            yield Finding(severity, _MESSAGE, context.place_of(call), related)


def _draws_from_part(loader: Loader) -> bool:
    """Whether a sampler may leave a handful of samples, which are no matter to keep."""
    return any(a.value not in (ABSENT, NONE) for a in loader.argument("sampler"))


def _is_listed(given: ex.Expression) -> bool:
    """Whether all batches are kept on purpose already: `list(loader)`."""
    if isinstance(given, ex.Reference) and given.definition is not None:
        given = given.definition.value
    return isinstance(given, ex.Call) and given.name in ("list", "tuple", "sorted")
