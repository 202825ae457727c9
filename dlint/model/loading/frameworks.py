"""Which frameworks a program's loaders go through, and what these then do for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, library_callees
from dlint.analyses.library_classes import library_classes
from dlint.analyses.running_calls import calls_named
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import frameworks, launchers
from dlint.library_facts.config_files import INSTANTIATING
from dlint.library_facts.engines import MOVING, PREPARING, SUPERVISED
from dlint.library_facts.frameworks import Duty, Framework
from dlint.model.loading.configurations import configuration_sites
from dlint.model.loading.unasked_hooks import UnaskedHooks
from dlint.model.loops.given_loaders import LoadersGiven, loaders_in
from dlint.model.loops.gone_through import iterated, members
from dlint.semantics.calls.engine_runs import EngineRuns
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite

HOOK, FIT = "train_dataloader", "fit"
TEST_HOOK, TEST = "test_dataloader", "test"
_CLIS = frozenset(path.rpartition(".")[2] for path in launchers.CLIS)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.values.values import Value


class Consumption:
    """The frameworks that each loader goes through."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._frameworks: dict[AllocationSite, list[tuple[Framework, ex.Call | None]]] = (
            defaultdict(list)
        )
        self._hooks: dict[AllocationSite, set[str]] = defaultdict(set)
        self._owners: dict[AllocationSite, set[Class]] = defaultdict(set)
        for framework, loaders, call in self._found():
            for made in loaders:
                self._frameworks[made].append((framework, call))

    @property
    def loaders(self) -> list[AllocationSite]:
        """The loaders that frameworks take, each in the context of the hook or call it came by."""
        return list(self._frameworks)

    def of(self, made: AllocationSite) -> list[tuple[Framework, ex.Call | None]]:
        """Frameworks that take this loader, each with the call that hands it over, if one does."""
        return self._frameworks.get(made, [])

    def hooks_of(self, made: AllocationSite) -> frozenset[str]:
        """The methods by which a framework asks for this loader (`val_dataloader`)."""
        return frozenset(self._hooks.get(made, ()))

    def owners_of(self, made: AllocationSite) -> frozenset[Class]:
        """The classes of which a method is such a hook for this loader."""
        return frozenset(self._owners.get(made, ()))

    def trains(self, made: AllocationSite) -> bool:
        """Whether a framework takes gradient steps on its batches."""
        if any(frameworks.is_for_training(hook) for hook in self.hooks_of(made)):
            return True
        return any(
            framework.hooks and call is not None and self.is_trained_by(call, made)
            for framework, call in self.of(made)
        )

    def train_from(self, call: ex.Call) -> bool:
        """Whether a framework trains with what this call makes, in whatever context."""
        made = {*self._frameworks, *self._hooks}
        return any(self.trains(one) for one in made if one.call is call)

    def is_trained_by(self, call: ex.Call, made: AllocationSite) -> bool:
        """Whether a call hands it over for training: `fit(model, loader)`, not `test`."""
        if not frameworks.is_for_training(call.name or ""):
            return False
        return any(
            frameworks.is_for_training(argument.keyword or "")
            and (argument.keyword is not None or index < frameworks.FIRST_FOR_EVALUATION)
            and made in loaders_in(self._context, argument.value, call.scope)
            for index, argument in enumerate(call.arguments)
        )

    def takes_over(self, made: AllocationSite, duty: Duty) -> Framework | None:
        """A framework that does `duty` for this loader."""
        return next((f for f, _ in self.of(made) if duty in f.duties), None)

    def shared_out(self, made: AllocationSite) -> tuple[Framework, ex.Call] | None:
        """A framework that wraps a loader for the ranks of its launcher, and the call."""
        for framework, call in self.of(made):
            if call is not None and framework.wraps and Duty.ADDS_SAMPLER in framework.duties:
                return framework, call
        return None

    def _found(self) -> Iterator[tuple[Framework, AbstractSet[AllocationSite], ex.Call | None]]:
        yield from self._by_method()
        yield from self._by_callable()
        yield from self._by_hook()
        yield from self._by_configuration()

    def _by_method(self) -> Iterator[tuple[Framework, AbstractSet[AllocationSite], ex.Call]]:
        names = {n for f in frameworks.FRAMEWORKS for n in (*f.consumes, *f.wraps)}
        for call in calls_named(self._context, *names):
            if not isinstance(call.function, ex.Attribute):
                continue
            for value in self._context.values(call.function.value, call.scope):
                for path in library_classes(self._context, value):
                    name = call.function.name
                    framework = frameworks.consumer(path, name) or frameworks.wrapper(path, name)
                    if framework is not None and self._is_meant(value, path):
                        yield framework, self._context[LoadersGiven].to(call), call

    def _is_meant(self, value: Value, path: str) -> bool:
        """Whether an object does what its framework may do: an engine with a step of its own only
        moves batches where it is given a device, and nothing that does it in the step's place.
        """
        if path not in SUPERVISED or not isinstance(value, AllocationSite):
            return True
        bound = bind(self._context, value.call, *SUPERVISED[path].constructor)
        return bound.may_be_given(MOVING) and not bound.may_be_given(PREPARING)

    def _by_callable(self) -> Iterator[tuple[Framework, AbstractSet[AllocationSite], ex.Call]]:
        paths = {path for f in frameworks.FRAMEWORKS for path in f.callables}
        for call in calls_to(self._context, *paths):
            if call.scope in self._context.reach.scopes:
                for path in library_callees(self._context, call):
                    framework = frameworks.consumer(path, None)
                    if framework is not None:
                        yield framework, self._context[LoadersGiven].to(call), call

    def _by_hook(self) -> Iterator[tuple[Framework, AbstractSet[AllocationSite], None]]:
        self._context[users_of_hooks]
        unasked = self._context[UnaskedHooks]
        for facts in self._context.modules:
            for cls in facts.module.classes:
                for name, method in cls.methods.items():
                    framework = frameworks.hook(self._bases(cls), name)
                    asked = framework is not None and not unasked.holds(cls, name)
                    if framework is not None and asked:
                        returned = self.returned_by(method)
                        for made in returned:
                            self._hooks[made].add(name)
                            self._owners[made].add(cls)
                        yield framework, returned, None

    def _by_configuration(self) -> Iterator[tuple[Framework, AbstractSet[AllocationSite], None]]:
        for site in self._context[configuration_sites]:
            framework = frameworks.by_name(site.kind.framework)
            if framework is not None:
                yield framework, {site.made}, None

    def _bases(self, cls: Class) -> frozenset[str]:
        return frozenset(self._context.solver.classes.externals(cls))

    def returned_by(self, method: Scope) -> OrderedSet[AllocationSite]:
        """The loaders that a method returns, also in containers."""
        values = (v for result in method.returns for v in self._context.values(result, method))
        solver = self._context.solver
        return OrderedSet(m for v in values for m in (*members(solver, v), *iterated(solver, v)))


def users_of_hooks(context: AnalysisContext) -> None:
    """Load the modules that hand classes with loaders of their own to a trainer.

    What is made of a config is named in none of them.
    """
    is_any = _load_users(context, HOOK, FIT, *_CLIS)
    for maker in INSTANTIATING if is_any else ():
        context.project.load_holders(FIT, maker)


def users_of_test_hooks(context: AnalysisContext) -> None:
    """Load the modules that have classes with loaders of their own tested."""
    _load_users(context, TEST_HOOK, TEST)


def _load_users(context: AnalysisContext, hook: str, *words: str) -> bool:
    """Load the modules that name a class whose hook a framework calls, and one of some words.

    Returns whether there is such a class.
    """
    classes = [(facts, cls) for facts in context.modules for cls in facts.module.classes]
    externals = context.solver.classes.externals
    hooked = [
        (facts, cls) for facts, cls in classes if frameworks.hook(frozenset(externals(cls)), hook)
    ]
    for facts, cls in hooked:
        for word in words:
            context.project.load_users(facts.module.path, cls.name, word)
    return bool(hooked)


def repeats(framework: Framework, call: ex.Call) -> bool:
    """Whether a call runs its loader for several epochs and leaves their numbers alone."""
    if Duty.SETS_EPOCH in framework.duties:
        return False
    given = None if framework.epochs is None else written(call, None, framework.epochs)
    if given is None:
        return False
    number = ex.constant(given)
    return number is None or number.value not in (None, 1)


def runs_known_step(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether it is known what a framework calls for each batch, so that its loop says what becomes
    of them.
    """
    run = context.solver[EngineRuns].run(call)
    return run is not None and run.has_step
