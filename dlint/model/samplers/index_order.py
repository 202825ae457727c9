"""From which indices a loader draws: all of its dataset, or those of a sampler that is known."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_to
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import samplers as known
from dlint.library_facts.distributed import SHARDED
from dlint.model.data import sharding
from dlint.semantics.calls import arguments, attributes
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    Instance,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

SAMPLERS = ("sampler", "batch_sampler")
"""Arguments that say which indices a loader draws."""

_CHOSEN = ("replacement", "num_samples")
"""Arguments by which a sampler draws other indices than each one once."""


def makes_sampler(loader: Loader) -> bool:
    """Whether the loader makes a sampler itself, torch's own: it asks for the length, and ends."""
    return all(a.value in (ABSENT, NONE) for name in SAMPLERS for a in loader.argument(name))


def draws_from_all(loader: Loader) -> bool:
    """Whether every process certainly draws from all of the dataset: by none or a plain sampler."""
    return all(
        draws_each(loader.context, a.value) for name in SAMPLERS for a in loader.argument(name)
    )


def draws_each(context: AnalysisContext, value: object) -> bool:
    """Whether what is given as a sampler certainly draws each index there is: none or a plain one.

    One of the project, too, of which nothing knows of ranks and nothing chooses.
    """
    if value in (ABSENT, NONE) or _is_plain(context, value):
        return True
    cls = attributes.project_class(value) if isinstance(value, Instance | AllocationSite) else None
    if cls is None or any(map(_chooses, context.solver.classes.ancestors(cls))):
        return False
    return knows_no_ranks(context, value)


def leaves_none_out(loader: Loader) -> bool:
    """Whether the processes together certainly draw from all of the dataset, each from its part."""
    context = loader.context
    return all(
        value in (ABSENT, NONE)
        or _is_plain(context, value)
        or _bound(context, value, known.DISTRIBUTED) is not None
        for name in SAMPLERS
        for value in (alternative.value for alternative in loader.argument(name))
    )


def draws(loader: Loader) -> str | None:
    """The argument by which a loader certainly draws by a sampler; None where there is none.

    Torch takes one for datasets that are indexed only.
    """
    for name in SAMPLERS:
        found = [a.value for a in loader.argument(name)]
        if found and all(isinstance(value, AllocationSite | Instance) for value in found):
            return name
    return None


def _is_plain(context: AnalysisContext, value: object) -> bool:
    """Whether an object is one of torch's samplers, over all indices that there are."""
    inner = _bound(context, value, known.BATCH)
    if inner is None:
        return _is_over_all(context, value)
    found = inner.values("sampler")
    return bool(found) and all(_is_over_all(context, one) for one in found)


def knows_no_ranks(
    context: AnalysisContext, value: object, data: Collection[ex.Definition] = ()
) -> bool:
    """Whether an object is of a sampler class of the project, and nothing of it knows of ranks.

    `data` are parameters that are known to be the data, whoever hands them in.
    """
    cls = attributes.project_class(value) if isinstance(value, Instance | AllocationSite) else None
    if cls is None or not context.solver.classes.is_whole(cls):
        return False
    bases = set(context.solver.classes.externals(cls))
    if not bases or bases - known.BASES or sharding.speaks_of_ranks(context, cls):
        return False
    init = context.solver.classes.method(cls, "__init__")
    return init is None or all(
        map(partial(_is_given_all, context, data), context.evaluator.callers(init))
    )


def _chooses(cls: Class) -> bool:
    """Whether a sampler may draw some of its indices only: each rank may then draw others."""
    parts = [part for method in cls.methods.values() for part in walk.parts(method.body)]
    calls = (part for part in parts if isinstance(part, ex.Call))
    cut = (part for part in parts if isinstance(part, ex.Subscript))
    return any(call.name in known.REORDERING - known.KEEPING_ALL for call in calls) or any(
        isinstance(made := ex.unnamed(part.value), ex.Call) and made.name in known.REORDERING
        for part in cut
    )


def _is_given_all(
    context: AnalysisContext, data: Collection[ex.Definition], entered: CallContext
) -> bool:
    """Whether a call gives nothing that speaks of ranks, nor what its caller is given."""
    if entered.call is None or any(a.star for a in entered.call.arguments):
        return False
    given = filter(None, (entered.given(spec.name) for spec in entered.scope.parameters))
    return not any(
        (_is_handed_in(value) and definition_of(value) not in data)
        or sharding.speaks_of(context, value, frame, SHARDED)
        or _is_of_ranks(context, value, frame)
        for value, frame in given
    )


def _is_of_ranks(context: AnalysisContext, given: ex.Expression, frame: CallContext) -> bool:
    """Whether a sampler may be one that divides the indices among ranks."""
    values = context.solver.values(given, frame)
    classes = filter(None, map(attributes.project_class, values))
    bases = (base for cls in classes for base in context.solver.classes.externals(cls))
    return any(path in known.DISTRIBUTED for path in (*map(library_path, values), *bases))


def _is_over_all(context: AnalysisContext, value: object) -> bool:
    bound = _bound(context, value, known.WHOLE)
    if bound is None or any(bound.may_be_given(name) for name in _CHOSEN):
        return False
    given = bound.located(known.OF_INDICES) or bound.located(known.OF_DATA)
    if given is None or sharding.speaks_of(context, *given, SHARDED):
        return False
    return not bound.may_be_given(known.OF_INDICES) or not _is_handed_in(given[0])


def _is_handed_in(given: ex.Expression) -> bool:
    """Whether it is a parameter, of which nobody knows whose indices it holds."""
    bound_to = definition_of(given)
    return bound_to is not None and isinstance(bound_to.value, ex.Parameter)


def definition_of(given: ex.Expression) -> ex.Definition | None:
    """What the name is bound to that an argument is."""
    return given.definition if isinstance(given, ex.Reference) else None


def _bound(
    context: AnalysisContext, value: object, signatures: arguments.Signatures
) -> Bound | None:
    """What a sampler of torch's is made with; None for any other object."""
    if not is_of_library(value):
        return None
    found = arguments.construction(context.solver, value, signatures)
    return None if found is None else bind_to(context, found[0], library_signature(found[1]))
