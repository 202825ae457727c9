"""Ranks: processes that train one model together, each on data of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import Bound, bind
from dlint.analyses.calls import calls_matching, calls_to, is_call_to, library_callees
from dlint.analyses.control.call_paths import calls_below, leading_to
from dlint.analyses.control.common_runs import may_share_run
from dlint.analyses.control.path_tests import can_run, tests_of_call
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, ModuleIndex
from dlint.library_facts import distributed as knowledge
from dlint.library_facts import launchers
from dlint.model.data import sharding
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.gone_through import iterated
from dlint.model.ranks import xla
from dlint.model.ranks.used_values import values_used
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import conditions
from dlint.semantics.values.conditions import Condition, Conditions
from dlint.semantics.values.values import (
    AllocationSite,
    ClassObject,
    Instance,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_COMPILED = frozenset({"torch.compile", "torch.jit.script"})


_WRAPPING = {**knowledge.WRAPPERS, **knowledge.IN_PLACE}
_LAUNCHERS = frozenset({"Fabric", "Trainer", "LightningLite"})
"""Classes of Lightning that start the ranks."""
_DEVICES = "devices"


class Replica(NamedTuple):
    """A model of which every rank has a copy (or a part), and the loop that trains it.

    `wrap` is the call that makes gradients be averaged over ranks; `loop` is None where the model
    and the loader are made in one function and the loop is not seen, or a framework runs it.
    `options` are what a `DistributedSampler` has to be told there; `switch` is the argument that
    keeps a framework from adding one.
    """

    name: str
    wrap: ex.Call
    path_condition: Conditions
    loop: BatchLoop | None
    options: str = ""
    switch: str = ""


class Distributed:
    """Who runs as one of several ranks; one per program."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    @cached_property
    def is_possible(self) -> bool:
        """Whether a word of the project's files speaks of training by several ranks."""
        return self._context.project.speaks_of(knowledge.WRAPPING_NAMES | launchers.WORDS)

    @cached_property
    def groups(self) -> tuple[ex.Call, ...]:
        """The calls that make this process one of several ranks."""
        return tuple(calls_to(self._context, *knowledge.GROUPS))

    @cached_property
    def _is_joined(self) -> bool:
        """Whether something may make this process one of several ranks."""
        if self._context.project.speaks_of(knowledge.JOINING):
            return True
        return any(True for _ in calls_matching(self._context, knowledge.JOINS))

    def replicas(self, loader: Loader) -> Iterator[Replica]:
        """The models that are trained on a loader's batches by several ranks."""
        if self.is_possible and not runs_alone(loader):
            found = self._replicas_of(loader)
            yield from (r for r in found if may_share_run(self._context, r.wrap, loader.call))

    def _replicas_of(self, loader: Loader) -> Iterator[Replica]:
        for loop in loader.loops:
            if loop.trains and not is_evaluation(loop):
                yield from self._trained_in(loader, loop)
                yield from self._stepped_in(loader, loop)
        if not loader.loops:
            yield from self._beside(loader)

    def _trained_in(self, loader: Loader, loop: BatchLoop) -> Iterator[Replica]:
        body = loop.body
        for frame in () if body is None else self._frames(loader, loop):
            around = self._around_loop(loader, loop, frame)
            assert body is not None
            for value in values_used(self._context, body, frame):
                yield from self._replicas(value, around, loop)

    def _stepped_in(self, loader: Loader, loop: BatchLoop) -> Iterator[Replica]:
        """The processes of torch_xla that run a loop, where its steps average gradients."""
        launch = None if loop.body is None else xla.launch_of(self._context, loop.scope)
        if launch is None or loop.body is None or not xla.steps_in(self._context, loop.body):
            return
        path_condition = tests_of(self._context, launch)
        around = [c for f in self._frames(loader, loop) for c in self._around_loop(loader, loop, f)]
        if _agree(path_condition, around) and can_run(self._context, launch):
            name = f"torch_xla's {launch.name or 'spawn'}"
            yield Replica(name, launch, path_condition, loop, launchers.XLA_SAMPLER)

    def _replicas(
        self, value: Value, around: list[Condition], loop: BatchLoop | None
    ) -> Iterator[Replica]:
        for name, wrap in self._wraps(value):
            path_condition = tests_of(self._context, wrap)
            if _agree(path_condition, around) and self._is_among_ranks(wrap, loop):
                yield Replica(name, wrap, path_condition, loop)

    def _beside(self, loader: Loader) -> Iterator[Replica]:
        """Models that the loader's own function wraps."""
        around = list(tests_of(self._context, loader.call))
        for call in loader.call.scope.calls:
            name = self._wrapper(call)
            if name is not None:
                path_condition = tests_of(self._context, call)
                if _agree(path_condition, around) and self._is_among_ranks(call, None):
                    yield Replica(name, call, path_condition, None)

    def wrapped_in(self, block: Block, frame: CallContext) -> Iterator[tuple[str, ex.Call, bool]]:
        """The wrapped models that a block calls in one activation, and the functions it enters.

        Each with whether a call is of nothing but a wrapped model, or the module inside. In
        functions that it enters, only what is never called with a plain model counts.
        """
        direct, solver = list(calls_in(block)), self._context.solver
        wrapped = [c for c in direct if not _is_unwrapped(self._context, c.function, frame)]
        called = [list(solver.values(call.function, frame)) for call in wrapped]
        for call in calls_below(self._context, direct, 2):
            found = [] if call in direct else list(self._context.values(call.function, call.scope))
            called += [found] if all(any(self._wraps(v)) for v in found) else []
        for values in called:
            wraps = dict.fromkeys(pair for v in values for pair in self._wraps(v))
            inside = [v for _, wrap in wraps for v in self._inside(wrap)]
            certain = all(v in inside or any(self._wraps(v)) for v in values)
            for name, wrap in wraps:
                if self._is_among_ranks(wrap, None):
                    yield name, wrap, certain

    def _inside(self, wrap: ex.Call) -> Iterable[Value]:
        """What a call wraps."""
        module = written(wrap, 0, "module")
        return () if module is None else self._context.values(module, wrap.scope)

    def seeds_by_rank(self, modules: Iterable[ModuleIndex]) -> bool:
        """Whether these modules seed their generators with a number that depends on the rank."""
        return any(self._seeds_by_rank(module) for module in modules)

    def _seeds_by_rank(self, module: ModuleIndex) -> bool:
        facts = self._context.project.load(module.path)
        names = () if facts is None else filter(knowledge.SEEDING.search, facts.calls)
        return facts is not None and any(
            sharding.speaks_of(
                self._context, a.value, self._context.solver.root(call.scope), knowledge.SHARDED
            )
            for name in names
            for call in facts.calls[name]
            for a in call.arguments
        )

    # -- the model

    def _wrapper(self, call: ex.Call) -> str | None:
        if not is_call_to(self._context, call, _WRAPPING):
            return None
        return next(_WRAPPING[p] for p in library_callees(self._context, call) if p in _WRAPPING)

    def _wraps(self, value: Value) -> Iterator[tuple[str, ex.Call]]:
        """The calls that spread a value over ranks, or the model that it is compiled from."""
        for model in self._compiled_from(value):
            if isinstance(model, AllocationSite):
                name = knowledge.WRAPPERS.get(library_path(model))
                if name is not None:
                    yield name, model.call
            yield from ((name, call) for name, call in self._in_place.get(model, ()))

    def _compiled_from(self, value: Value) -> Iterable[Value]:
        """A value and the models it may be compiled from, each once: models may be swapped."""
        found, left = {value: None}, [value]
        while left:
            made = left.pop()
            if isinstance(made, AllocationSite) and library_path(made) in _COMPILED:
                passed = self._context.solver.passed.get(made)
                model = None if passed is None else argument_for(passed, 0, "model").expression
                given = () if model is None else self._context.solver.values(*model)
                left += [each for each in given if each not in found]
                found.update(dict.fromkeys(given))
        return found

    @cached_property
    def _in_place(self) -> dict[Value, list[tuple[str, ex.Call]]]:
        """What `fully_shard(model)` and the like are given."""
        found: dict[Value, list[tuple[str, ex.Call]]] = {}
        for call in calls_to(self._context, *knowledge.IN_PLACE):
            name, module = self._wrapper(call), written(call, 0, "module")
            if name is not None and module is not None:
                for value in self._context.values(module, call.scope):
                    if isinstance(value, Instance | AllocationSite):
                        found.setdefault(value, []).append((name, call))
        return found

    def _is_among_ranks(self, wrap: ex.Call, loop: BatchLoop | None) -> bool:
        """Whether a model is wrapped at all, for several ranks of which none share batches."""
        given = {argument.keyword for argument in wrap.arguments}
        modules = {wrap.scope.module} | (set() if loop is None else {loop.scope.module})
        if given & knowledge.GROUPED or any(map(self._is_special, modules)):
            return False
        return not self._fails(wrap) and can_run(self._context, wrap)

    def _fails(self, wrap: ex.Call) -> bool:
        """Whether a program that is whole wraps a model, and joins no ranks: that raises."""
        needs = knowledge.NEEDING_A_GROUP & {*library_callees(self._context, wrap)}
        if not needs or self._is_joined:
            return False
        return self._context[UnusedDefinitions].is_run(wrap.scope.module.path)

    def _is_special(self, module: ModuleIndex) -> bool:
        facts = self._context.project.load(module.path)
        if facts is None:
            return True
        alone = (c for c in self.groups if c.scope.module is module and _is_alone(self._context, c))
        return bool(facts.calls.among(knowledge.MODEL_PARALLEL)) or any(alone)

    # -- the loop

    def _frames(self, loader: Loader, loop: BatchLoop) -> list[CallContext]:
        """The activations of a loop's function in which it runs this loader."""
        solver = self._context.solver
        frames = self._context.evaluator.callers(loop.scope) or [solver.root(loop.scope)]
        return [frame for frame in frames if self._iterates(loader, loop, frame)]

    def _iterates(self, loader: Loader, loop: BatchLoop, frame: CallContext) -> bool:
        solver = self._context.solver
        values = solver.values(loop.iterable, frame)
        return any(made.call is loader.call for value in values for made in iterated(solver, value))

    def _around_loop(self, loader: Loader, loop: BatchLoop, frame: CallContext) -> list[Condition]:
        """The tests on the way to the loader, and to the loop that runs it."""
        calls = [loader.call, *(f.call for f in (*loader.made.frame.chain(), *frame.chain()))]
        found = [c for call in calls if call is not None for c in tests_of(self._context, call)]
        root = self._context.solver.root(loop.scope)
        tests = walk.tests(loop.statement)
        return [*found, *(c for test, truth in tests for c in _decided(test, root, truth))]


def tests_of(context: AnalysisContext, call: ex.Call) -> Conditions:
    """The tests that must come out so, and so, for a call to run."""
    root = context.solver.root(call.scope)
    return frozenset(
        condition
        for test, truth in tests_of_call(call)
        for condition in _decided(test, root, truth)
    )


def _decided(test: ex.Expression, frame: CallContext, truth: bool) -> Iterator[Condition]:
    """A test as conditions; `a and b` that holds is two of them."""
    decisive = "and" if truth else "or"
    if isinstance(test, ex.Boolean) and test.operator == decisive:
        yield from _decided(test.left, frame, truth)
        yield from _decided(test.right, frame, truth)
    elif isinstance(test, ex.Unary) and test.operator == "not":
        yield from _decided(test.operand, frame, not truth)
    else:
        yield conditions.of_test(test, frame, truth)


def _agree(path_condition: Conditions, around: Iterable[Condition]) -> bool:
    """Whether a model is wrapped wherever these tests hold, as far as they speak of ranks."""
    around = frozenset(around)
    if not conditions.compatible(path_condition, around):
        return False
    return all(
        condition in path_condition or not asks_for_ranks(condition.test) for condition in around
    )


def asks_for_ranks(key: object) -> bool:
    """Whether a test's key holds a name that speaks of ranks."""
    if isinstance(key, str):
        return knowledge.DISTRIBUTED.search(key) is not None
    if isinstance(key, tuple):
        return any(map(asks_for_ranks, key))
    if isinstance(key, ex.Definition):
        return asks_for_ranks(key.name)
    if isinstance(key, ex.Expression):
        names = (p.own_name for p in walk.walk(key) if isinstance(p, ex.Reference | ex.Attribute))
        return any(map(asks_for_ranks, names))
    return False


def _is_alone(context: AnalysisContext, call: ex.Call) -> bool:
    """`init_process_group(…, world_size=1)`."""
    return _gives_one(bind(context, call), "world_size")


def runs_alone(loader: Loader) -> bool:
    """Whether a launcher is asked for one device: `Fabric(devices=1)`, or whatever wraps one.

    By the function that makes the loader, or one that leads to it.
    """
    leading = leading_to(loader.context, loader.call.scope)
    scopes = dict.fromkeys([loader.call.scope, *(call.scope for call in leading)])
    given = (call for scope in scopes for call in walk.calls_with_arguments(scope))
    calls = (call for call in given if _may_launch(loader.context, call))
    asked = (bind(loader.context, call) for call in calls)
    return any(_gives_one(b, _DEVICES) and not b.may_be_given("num_nodes") for b in asked)


def _may_launch(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call is of a launcher, or of something else that takes `devices`."""
    if call.name in _LAUNCHERS or written(call, None, _DEVICES) is not None:
        return True
    values = context.values(call.function, call.scope) if call.arguments else ()
    classes = [value.cls for value in values if isinstance(value, ClassObject)]
    makers = (context.solver.classes.method(cls, "__init__") for cls in classes)
    return any(p.name == _DEVICES for maker in makers if maker for p in maker.parameters)


def _gives_one(bound: Bound, name: str) -> bool:
    given = ex.constant(bound.get(name))
    return given is not None and given.value == 1


def _is_unwrapped(context: AnalysisContext, model: ex.Expression, frame: CallContext) -> bool:
    """Whether a model is the one inside wherever it is wrapped: `m.module if ranks else m`."""
    sides = [origin_of(s) for s in _sides(origin_over_calls(context, model, frame)[0])]
    inside = [s.value for s in sides if isinstance(s, ex.Attribute) and s.name == "module"]
    spelled = {ex.spelled(side) for side in sides} - {None}
    return any(origin_of(whole) in sides or ex.spelled(whole) in spelled for whole in inside)


def _sides(choice: ex.Expression) -> tuple[ex.Expression, ...]:
    """What a choice gives, whichever way it goes."""
    match choice:
        case ex.Conditional():
            return choice.then, choice.otherwise
        case ex.Join():
            return tuple(choice.alternatives)
    return ()
