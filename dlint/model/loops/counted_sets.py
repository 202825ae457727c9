"""What a length counts: the data of a loader, or the indices that its sampler draws.

Question: which loaders certainly go through what an expression names? Followed: what a function
makes loaders of, names over calls, attributes that are written at one place. Given up on: data and
indices that are made anew for the loader, samplers of which there may be several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self, method_scope
from dlint.analyses.value_parts import names_of, names_over_calls, origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.looked_at import unlooked
from dlint.library_facts.samplers import OF_INDICES, SUBSETS
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, library_path

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope, Store
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext


def given_to(context: AnalysisContext, name: ex.Expression, scope: Scope) -> list[Loader]:
    """The loaders that a function makes of what it calls by a name."""
    data, loaders = origin_of(name), context[Loaders].by_call()
    with unlooked():
        calls = [call for call in scope.calls if call in loaders]
    return [
        loader
        for call in calls
        for loader in loaders[call]
        if (given := loader.written("dataset")) is not None and origin_of(given) is data
    ]


def drawing_from(context: AnalysisContext, whole: ex.Expression, scope: Scope) -> list[Loader]:
    """The loaders that a function goes through, where this is certainly what they draw from."""
    names = _origins(context, whole, context.solver.root(scope))
    return [
        loader
        for loader in _gone_through(context, scope)
        if (given := loader.given("dataset")) is not None
        and not names.isdisjoint(_origins(context, *given))
    ]


def drawing_indices(context: AnalysisContext, whole: ex.Expression, scope: Scope) -> list[Loader]:
    """The loaders that a function goes through, whose sampler draws certainly of these indices."""
    names = _origins(context, whole, context.solver.root(scope))
    loaders = list(_gone_through(context, scope))
    drawn = [(loader, _indices(loader)) for loader in loaders]
    return [x for x, of in drawn if of is not None and names & _origins(context, *of)]


def _indices(loader: Loader) -> Located | None:
    """The indices of which each that a loader's sampler draws is one, where it has one sampler."""
    found = [a.value for a in loader.argument("sampler")]
    made = found[0] if len(found) == 1 else None
    if not isinstance(made, AllocationSite) or library_path(made) not in SUBSETS:
        return None
    given = written(made.call, 0, OF_INDICES)
    return None if given is None else (given, made.frame)


def _gone_through(context: AnalysisContext, scope: Scope) -> Iterator[Loader]:
    for loop in context[batch_loops]:
        if loop.scope is scope:
            yield from map(context[Loaders].of, loop.loaders)


def _origins(
    context: AnalysisContext, data: ex.Expression, frame: CallContext
) -> set[tuple[object, str]]:
    """What a value is another name for: names as they are bound, attributes by their class.

    Of an attribute that is written at one place, what is written there too.
    """
    found = set[tuple[object, str]]()
    for name in names_over_calls(context, data, frame):
        if isinstance(name, ex.Reference) and name.definition is not None:
            found.add((name.definition, name.name))
        elif isinstance(name, ex.Attribute) and (owner := _class_of(name.value)) is not None:
            found.add((owner, name.name))
            written = [s for s in context.project.writing(name.name) if _is_on(s, owner)]
            values = names_of(written[0].value) if len(written) == 1 else ()
            bound = (v for v in values if isinstance(v, ex.Reference) and v.definition)
            found |= {(value.definition, value.name) for value in bound}
    return found


def _class_of(owner: ex.Expression) -> Class | None:
    """The class whose method's own object an expression is."""
    made = owner.definition if isinstance(owner, ex.Reference) else None
    method = None if made is None or not is_self(owner, made.scope) else method_scope(made.scope)
    return None if method is None else method.owner


def _is_on(store: Store, owner: Class) -> bool:
    return attributes.written_on_self(store) is owner
