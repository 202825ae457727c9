"""Where a finding about a loader stands: at the call that makes it, or at the factory's callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader


class Placed(NamedTuple):
    """Loaders that want the same thing, and whether it is wanted of one call of a factory only."""

    loaders: list[Loader]
    at_caller: bool

    @property
    def place(self) -> Place:
        """Where the finding stands."""
        first = self.loaders[0]
        return first.context_place if self.at_caller else first.place


def used(group: list[Loader]) -> list[Loader]:
    """The loaders of one call of which somebody is known to make use.

    What a factory makes is used by its callers, where there are any; and what only a generator
    goes through, by whoever goes through that.
    """
    called = any(loader.has_context for loader in group)
    own = [x for x in group if not called or x.has_context or x.is_iterated]
    return [x for x in own if not any(_stands_for(x, other) for other in own)]


def _stands_for(loader: Loader, other: Loader) -> bool:
    """Whether another one is this loader as a caller further out has it, who goes through what the
    generators hand on that this one is iterated in.
    """
    calls, further = loader.maker_places, other.maker_places
    if not loader.loops or len(further) <= len(calls) or further[: len(calls)] != calls:
        return False
    return all(
        loop.is_in_generator and any(x.goes_through(loop.scope) for x in other.loops)
        for loop in loader.loops
    )


def placed(
    context: AnalysisContext,
    is_wanting: Callable[[Loader], bool],
    is_sound: Callable[[Loader], bool],
) -> Iterator[Placed]:
    """The loaders that want something, by call.

    Where another call of the same factory is sound, the calls that are not are told one by one.
    """
    for group in context[Loaders].told():
        wanting = [loader for loader in group if is_wanting(loader)]
        if not wanting:
            continue
        if any(is_sound(loader) for loader in group if loader.has_context):
            calling = {x.context_place: x for x in reversed(wanting) if x.has_context}
            for loader in reversed(calling.values()):
                yield Placed([loader], at_caller=True)
        else:
            yield Placed(wanting, at_caller=False)
