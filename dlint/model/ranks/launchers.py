"""Launchers: objects of Lightning that start several ranks, and the loaders that go through them.

Question: which Trainer or Fabric trains on the batches of this loader, does it certainly start
several ranks, and does it leave the loader's sampler alone? Followed: objects that methods are
called on, loaders that are handed over and those that a hook of a handed object returns, arguments
as the evaluator knows them. Given up on: LightningCLI and arguments that are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.library_classes import library_classes
from dlint.ir import expressions as ex
from dlint.library_facts import frameworks
from dlint.library_facts import launchers as known
from dlint.model.loading.frameworks import (
    FIT,
    HOOK,
    TEST,
    TEST_HOOK,
    Consumption,
    users_of_hooks,
    users_of_test_hooks,
)
from dlint.semantics.calls import attributes
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    Literal,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_LAUNCHING = frozenset({"Lightning", "Fabric"})


@dataclass(frozen=True)
class Launcher:
    """A Trainer or Fabric, and the call that hands it a loader (or what makes one)."""

    context: AnalysisContext
    made: AllocationSite
    handing: ex.Call

    @property
    def call(self) -> ex.Call:
        """The call that makes it."""
        return self.made.call

    @cached_property
    def _bound(self) -> Bound:
        return bind(self.context, self.call)

    @cached_property
    def strategy(self) -> str | None:
        """The strategy by which its ranks train; None where it does not name one that is known."""
        for name in known.STRATEGY:
            for alternative in self._bound.alternatives(name):
                found = _strategy(alternative.value)
                if found is not None:
                    return found
        return None

    @property
    def name(self) -> str:
        """How messages call it."""
        made = self.call.name or "Trainer"
        return f'{made}(strategy="{self.strategy}")' if self.strategy else f"{made}(devices=…)"

    @property
    def is_distributed(self) -> bool:
        """Whether it certainly starts several ranks, each of which takes batches of its own."""
        if self._is_single:
            return False
        return self.strategy is not None or (self._names_no_strategy and self._counts_several)

    @property
    def is_on_xla(self) -> bool:
        """Whether it is told, on some path, to train on XLA devices."""
        words = (a.value for name in known.STRATEGY for a in self._bound.alternatives(name))
        cores = self._bound.get(known.TPU_CORES)
        counts = (a.value for a in self._bound.alternatives(known.TPU_CORES))
        given = isinstance(cores, ex.Sequence) or any(
            isinstance(count, Literal) and bool(count.value) for count in counts
        )
        return given or any(map(_names_xla, words))

    @property
    def switch(self) -> str | None:
        """The argument that certainly keeps it from adding a sampler; None where none does."""
        telling = bind(self.context, self.handing) if self._is_fabric else self._bound
        for name in known.OWN_SAMPLER:
            found = telling.alternatives(name)
            if found and all(a.is_false for a in found):
                return name
        return None

    def resumes(self, *arguments: str) -> bool:
        """Whether it, or what hands it a loader, may be given a checkpoint by these arguments."""
        given = (self._bound, bind(self.context, self.handing))
        return any(
            not a.is_nothing
            for bound in given
            for name in arguments
            for a in bound.alternatives(name)
        )

    @property
    def ranks(self) -> int | None:
        """How many devices of one machine it asks for; None where it does not say."""
        return next((n for n in map(self._count, known.COUNTS) if n is not None), None)

    @property
    def _is_fabric(self) -> bool:
        return self.call.name == "Fabric"

    @property
    def _is_single(self) -> bool:
        """Whether each count that is given is one: `devices=1`, `devices=[0]`."""
        counts = [self._count(name) for name in known.COUNTS if self._bound.may_be_given(name)]
        return bool(counts) and set(counts) == {1}

    @property
    def _counts_several(self) -> bool:
        """Whether it is certainly given more devices than one."""
        counts = map(self._count, known.COUNTS)
        return any(count is not None and count > 1 for count in counts)

    @property
    def _names_no_strategy(self) -> bool:
        found = (a.value for name in known.STRATEGY for a in self._bound.alternatives(name))
        return all(_is_default(value) for value in found)

    def _count(self, name: str) -> int | None:
        """How many a parameter asks for; None where it does not say."""
        given = self._bound.get(name)
        if isinstance(given, ex.Sequence):
            return len(given.items)
        values = {a.value for a in self._bound.alternatives(name)}
        value = values.pop() if len(values) == 1 else None
        return _number(value.value) if isinstance(value, Literal) else None


def _strategy(value: object) -> str | None:
    """The name of a strategy by which each rank takes batches of its own."""
    if isinstance(value, Literal) and isinstance(value.value, str):
        return value.value if value.value in known.STRATEGIES else None
    package, _, name = library_path(value).rpartition(".")
    is_own = f"{package}.".startswith(known.PACKAGES)
    return name if is_own and name in known.STRATEGY_CLASSES else None


def _names_xla(value: object) -> bool:
    """Whether a value names XLA devices, or is an object that trains on them."""
    if isinstance(value, Literal):
        return value.value in known.XLA_WORDS
    package, _, name = library_path(value).rpartition(".")
    return f"{package}.".startswith(known.PACKAGES) and name in known.XLA_CLASSES


def _is_default(value: object) -> bool:
    if value in (ABSENT, NONE):
        return True
    return isinstance(value, Literal) and value.value in known.NO_STRATEGY


def _number(given: object) -> int | None:
    """`4`, `"4"` and `"0,1"`; `-1` and `"auto"` take what there is."""
    if isinstance(given, str) and given.count(","):
        return len([part for part in given.split(",") if part.strip()])
    if isinstance(given, str) and given.isdigit():
        return int(given)
    is_count = isinstance(given, int) and not isinstance(given, bool) and given > 0
    return given if is_count and isinstance(given, int) else None


class Launchers:
    """The launchers that train on each loader."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        context[users_of_hooks]
        self._hooked = self._by_hook(FIT, HOOK)

    def of(self, loader: Loader) -> Iterator[Launcher]:
        """The launchers that a loader goes through to be trained on."""
        consumption = self._context[Consumption]
        for framework, call in consumption.of(loader.made):
            if framework.name not in _LAUNCHING or call is None:
                continue
            if framework.wraps or consumption.is_trained_by(call, loader.made):
                yield from self._behind(call)
        yield from self._hooked.get(loader.made, ())

    def testing(self, loader: Loader) -> Iterator[Launcher]:
        """The Trainers that are told to test on a loader."""
        for _, call in self._context[Consumption].of(loader.made):
            if call is not None and call.name == TEST:
                yield from self._behind(call)
        yield from self._hooked_to_test.get(loader.made, ())

    @cached_property
    def _hooked_to_test(self) -> dict[AllocationSite, list[Launcher]]:
        self._context[users_of_test_hooks]
        return self._by_hook(TEST, TEST_HOOK)

    def _by_hook(self, method: str, hook: str) -> dict[AllocationSite, list[Launcher]]:
        """The launchers by the loaders that a hook returns of what their method is handed."""
        found: dict[AllocationSite, list[Launcher]] = {}
        for call in calls_anywhere(self._context, method):
            for launcher in self._behind(call):
                for made in self._returned_to(call, hook):
                    found.setdefault(made, []).append(launcher)
        return found

    def _behind(self, call: ex.Call) -> Iterator[Launcher]:
        """The launchers that a method is called on."""
        callee = call.function
        if not isinstance(callee, ex.Attribute):
            return
        for value in self._context.values(callee.value, call.scope):
            if isinstance(value, AllocationSite) and _launches(self._context, value):
                yield Launcher(self._context, value, call)

    def _returned_to(self, call: ex.Call, hook: str) -> Iterator[AllocationSite]:
        """The loaders that a hook returns of the objects which a call hands over."""
        for argument in call.arguments:
            for value in self._context.values(argument.value, call.scope):
                cls = attributes.project_class(value)
                method = None if cls is None else self._context.solver.classes.method(cls, hook)
                if method is not None:
                    yield from self._context[Consumption].returned_by(method)


def _launches(context: AnalysisContext, made: AllocationSite) -> bool:
    """Whether an object is made by a class whose objects start ranks."""
    paths = frozenset(library_classes(context, made))
    return any(
        paths & framework.objects
        for framework in frameworks.FRAMEWORKS
        if framework.name in _LAUNCHING
    )
