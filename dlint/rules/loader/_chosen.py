"""Which loaders of one function have an argument that they should not: all, or some callers'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.model.loading.call_contexts import used
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.written import is_handed_on

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader


class Chosen(NamedTuple):
    """Loaders of one call with an argument that they should not have."""

    loaders: list[Loader]
    name: str
    others: list[Loader]
    """Loaders of the same call, made for other callers of its function, that may have it."""
    maker: Place
    """The call that the first of them is made for and none of the others, or that makes it."""
    at_caller: bool = False
    """Whether callers of the function decide on the argument, each for its own loader."""

    @property
    def place(self) -> Place:
        """Where the argument is decided on."""
        first = self.loaders[0]
        return self.maker if self.at_caller else first.place

    @property
    def argument_place(self) -> Place | None:
        """Where the call gives the argument, if it is decided on there."""
        return None if self.at_caller else self.loaders[0].argument_place(self.name)

    @property
    def default(self) -> str | None:
        """The default that callers leave the argument to."""
        found = self.loaders[0].argument(self.name)
        return next((a.assumed for a in found if a.assumed), None)

    @property
    def is_decided_there(self) -> bool:
        """Whether the call that makes the loaders decides on the argument, for no other one."""
        return self.default is None and not self.others and not self.at_caller


def chosen(
    context: AnalysisContext, name: str, is_wanting: Callable[[Loader], bool]
) -> Iterator[Chosen]:
    """The loaders that want another argument, by the call or the caller that decides on it."""
    for group in context[Loaders].told():
        loaders = used(group)
        wanting = [loader for loader in loaders if is_wanting(loader)]
        others = [loader for loader in loaders if loader not in wanting]
        if wanting and not others:
            maker = next(iter(wanting[0].maker_places), wanting[0].place)
            yield Chosen(wanting, name, [], maker)
        elif wanting and all(loader.has_context for loader in loaders):
            yield from _beside(wanting, others, name)


def _beside(wanting: list[Loader], others: list[Loader], name: str) -> Iterator[Chosen]:
    """Those that callers of one function get for themselves, each by a call of its own."""
    taken = {place for loader in others for place in loader.maker_places}
    own = {loader: [p for p in loader.maker_places if p not in taken] for loader in wanting}
    first = {places[0]: loader for loader, places in reversed(own.items()) if places}
    if first and not is_handed_on(next(iter(first.values())), name):
        found = [loader for loader, places in own.items() if places]
        yield Chosen(found, name, others, own[found[0]][0])
        return
    for maker, loader in first.items():
        yield Chosen([loader], name, others, maker, at_caller=True)
