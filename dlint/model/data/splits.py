"""Random splits: which parts train and which validate, and what seeds the generator before.

Question: does a split certainly draw from a global generator that the same number has not seeded in
every process that makes it? Followed: loaders whose dataset or sampler is made of the split,
seeding calls before it in its function and on every path of calls to it. Given up on: splits under
tests that speak of ranks, seeds that are set in a way that is not known (any word of seeding).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import (
    calls_anywhere,
    calls_matching,
    calls_to,
    is_call_to,
    library_callees,
)
from dlint.analyses.control.call_paths import calls_below, on_every_path
from dlint.analyses.control.path_tests import PathTest, is_main_guard, tests_of_call
from dlint.analyses.value_parts import origin_of, parts_behind
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.library_facts import seeding
from dlint.library_facts import splits as known
from dlint.library_facts.distributed import SEEDING
from dlint.model.data.shuffled_parts import parts_of_shuffled
from dlint.model.loading.hugging_face import trainings
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks import rank_expressions
from dlint.semantics.values.values import TRUE, FunctionObject, Method, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_Source = ex.Call | ex.Subscript
_DEEP = 10
_SEEDING_DEEP = 2
"""How many functions of the project may stand around the one that seeds."""
_LOAD = "load_state_dict"
_TABLES = lazily(rb"(?m)^\s*(?:from|import)\s+datasets\b")
_SOURCES = ("dataset", "sampler", "batch_sampler")
_PARTS = ("train_dataset", "eval_dataset")


def loaders_by_source(context: AnalysisContext) -> dict[_Source, list[ex.Call]]:
    """The calls that make loaders, by each call or part that their data or samplers are made of."""
    found: dict[_Source, list[ex.Call]] = {}
    for call, group in context[Loaders].by_call().items():
        parts = (part for loader in group for part in _made_of(loader))
        for source in dict.fromkeys(part for part in parts if isinstance(part, _Source)):
            found.setdefault(source, []).append(call)
    return found


def _made_of(loader: Loader) -> Iterator[ex.Expression]:
    """All that the data or the samplers of a loader are made of."""
    sources = (loader.given(name) for name in _SOURCES)
    return (
        part
        for source in sources
        if source is not None
        for part in parts_behind(loader.context, *source, _DEEP)
    )


@dataclass(frozen=True)
class Split:
    """A call that draws a split from a global generator."""

    context: AnalysisContext
    call: ex.Call
    splitter: known.Splitter
    parts: tuple[_Source, ...]
    """What gives its parts: the call itself, or slices of what it shuffles."""

    @property
    def place(self) -> Place:
        """Where it is drawn."""
        return self.context.place_of(self.call)

    @cached_property
    def loaders(self) -> list[Loader]:
        """The loaders over its parts."""
        groups, made = self.context[Loaders].by_call(), self.context[loaders_by_source]
        calls = dict.fromkeys(call for part in self.parts for call in made.get(part, ()))
        return [loader for call in calls for loader in groups[call]]

    @cached_property
    def training(self) -> Loader | None:
        """A loader that trains on one part, where another part is read and not trained on."""
        trained = next((loader for loader in self.loaders if loader.trains), None)
        return None if self.held_out is None else trained

    @cached_property
    def held_out(self) -> Loader | None:
        """A loader that reads another part than those that are trained on.

        One function may make both: then it is known which part it is given for which.
        """
        trained = [loader for loader in self.loaders if loader.trains]
        calls = {loader.call for loader in trained}
        read = (x for x in self.loaders if x.is_iterated and not x.trains)
        apart = (x for x in read if x.call not in calls or self._are_apart(x, trained))
        return next(apart, None)

    def _are_apart(self, loader: Loader, trained: list[Loader]) -> bool:
        """Whether a loader takes other parts of the split than some others, by their places."""
        own = self._taken_by(loader)
        others = [self._taken_by(other) for other in trained]
        return bool(own) and all(taken and own.isdisjoint(taken) for taken in others)

    def _taken_by(self, loader: Loader) -> frozenset[int]:
        """The places of the parts that a loader takes of the split; none where one is not known."""
        parts = (part for part in _made_of(loader) if isinstance(part, ex.Item | ex.Subscript))
        taken = {_position(part) for part in parts if origin_of(part.value) is self.call}
        known = {place for place in taken if place is not None and place >= 0}
        return frozenset(known) if known == taken else frozenset()

    @cached_property
    def trainer(self) -> ex.Call | None:
        """A trainer of transformers that trains on one part, and evaluates another."""
        for training in self.context[trainings]:
            given = (training.given.located(name) for name in _PARTS)
            if all(x is not None and self._is_behind(*x) for x in given):
                return training.call
        return None

    def _is_behind(self, data: ex.Expression, frame: CallContext) -> bool:
        return any(p in self.parts for p in parts_behind(self.context, data, frame, _DEEP))

    @cached_property
    def last_seeds(self) -> tuple[ex.Call, ...]:
        """The last seeding of its generator before it, on each path; () where a path has none."""

        def seeds_before(before: ex.Call) -> tuple[ex.Call, ...]:
            earlier = (c for c in before.scope.calls if c.span < before.span)
            last = max(filter(self._seeds, earlier), key=lambda c: c.span, default=None)
            return () if last is None else (last,)

        return seeds_before(self.call) or on_every_path(self.context, self.call.scope, seeds_before)

    @property
    def is_seeded_beside(self) -> bool:
        """Whether its own function seeds the generator before it, so that it draws the same."""
        earlier = (c for c in self.call.scope.calls if c.span < self.call.span)
        return any(map(self._seeds, earlier))

    @property
    def is_certain(self) -> bool:
        """Whether it is drawn whenever its function runs."""
        return _always_runs(self.call)

    @property
    def is_each_time(self) -> bool:
        """Whether runs of one data set all draw it: no test decides but which that is, by name.

        Nor a test without which its function makes no loader of a part, either.
        """
        calls = {loader.call for loader in self.loaders if loader.call.scope is self.call.scope}
        needed = [set(tests_of_call(call)) for call in calls]
        tests = (test for test in tests_of_call(self.call) if not _is_in_all(test, needed))
        return all(is_main_guard(t) or _is_named(t) for t, _ in tests)

    @property
    def seed_of_rank(self) -> ex.Call | None:
        """The seeding before it by which ranks differ on every path; None where some do not."""
        seeds = self.last_seeds
        differ = bool(seeds) and all(self._differs(s) and _always_runs(s) for s in seeds)
        return seeds[0] if differ else None

    def _differs(self, seed: ex.Call) -> bool:
        """Whether ranks differ by a seeding: by an argument, or since it is asked to."""
        if bind(self.context, seed).values("device_specific") == {TRUE}:
            return True
        level = [seed]
        for _ in range(_SEEDING_DEEP + 1):
            if any(self._is_by_rank(a.value, call) for call in level for a in call.arguments):
                return True
            entered = dict.fromkeys(s for call in level for s in callees_of(self.context, call))
            level = [last for scope in entered if (last := self._last_in(scope)) is not None]
        return False

    def _last_in(self, scope: Scope) -> ex.Call | None:
        """The last call of a function that seeds the generator."""
        return max(filter(self._seeds, scope.calls), key=lambda call: call.span, default=None)

    def _is_by_rank(self, number: ex.Expression, call: ex.Call) -> bool:
        """Whether a seed depends on the rank, or adds it up wherever there are ranks."""
        number = origin_of(number)
        root = self.context.solver.root(call.scope)
        if rank_expressions.differs_by_rank(self.context, number, root):
            return True
        is_sum = isinstance(number, ex.Binary) and number.operator == "+"
        sides = (number.left, number.right) if is_sum and isinstance(number, ex.Binary) else ()
        return any(rank_expressions.is_rank(self.context, side, root) for side in sides)

    def _seeds(self, call: ex.Call) -> bool:
        """Whether a call seeds its generator, also through a function of the project."""
        return any(
            is_call_to(self.context, c, _SEEDERS[self.splitter.library])
            for c in calls_below(self.context, [call], _SEEDING_DEEP)
        )

    @cached_property
    def may_be_seeded(self) -> bool:
        """Whether anything in the program may seed its generator, by its name at least."""
        seeds = calls_matching(self.context, SEEDING)
        return any(map(self._may_seed, seeds)) or self.context.project.speaks_of(seeding.WORDS)

    def _may_seed(self, call: ex.Call) -> bool:
        other = _OTHERS[self.splitter.library]
        paths = library_callees(self.context, call)
        return not paths or not all(path in other for path in paths)


_SEEDERS = {
    library: frozenset({p for p, of in seeding.SEEDERS.items() if of == library})
    | seeding.EVERYTHING
    for library in ("torch", "numpy", "random")
}
_OTHERS = {
    library: frozenset(p for p, of in seeding.SEEDERS.items() if of != library)
    for library in ("torch", "numpy", "random")
}


def _position(part: ex.Item | ex.Subscript) -> int | None:
    """Which item of a sequence it is, from the front; None where that is not written."""
    if isinstance(part, ex.Item):
        return None if part.starred else part.position
    index = ex.constant(part.index)
    return index.value if index is not None and isinstance(index.value, int) else None


def _always_runs(call: ex.Call) -> bool:
    """Whether it runs whenever its function does, or the script does."""
    return all(is_main_guard(test) for test, _ in tests_of_call(call))


def _is_in_all(test: PathTest, several: list[set[PathTest]]) -> bool:
    return bool(several) and all(test in tests for tests in several)


def _is_named(test: ex.Expression) -> bool:
    """`dataset == "cifar"`: whether a test asks what a run was told by a word."""
    if not isinstance(test, ex.Comparison) or test.operator != "==":
        return False
    asked, word = ex.unnamed(test.left), ex.constant(test.right)
    told = isinstance(asked, ex.Parameter | ex.Attribute | ex.Subscript)
    return told and word is not None and isinstance(word.value, str)


def global_splits(context: AnalysisContext) -> tuple[Split, ...]:
    """The splits that draw from a global generator."""
    return tuple(_global_splits(context))


def _global_splits(context: AnalysisContext) -> Iterator[Split]:
    for path, splitter in known.SPLITTERS.items():
        for call in calls_to(context, path):
            if library_callees(context, call)[0] == path and _is_global(context, call, splitter):
                yield Split(context, call, splitter, (call,))
    for path, splitter in known.SHUFFLERS.items():
        for call in calls_to(context, path):
            if (parts := parts_of_shuffled(call)) and _is_global(context, call, splitter):
                yield Split(context, call, splitter, parts)
    _load_table_splits(context)
    for call in calls_anywhere(context, known.TABLE_METHOD):
        if _is_of_table(context, call) and _is_global(context, call, known.TABLES):
            yield Split(context, call, known.TABLES, (call,))


def _load_table_splits(context: AnalysisContext) -> None:
    """Load the modules with splits that those import in which trainers of transformers are made."""
    project = context.project
    holders = project.words.holders(known.TABLE_METHOD.encode())
    made = context[trainings] if holders else ()
    for module in dict.fromkeys(training.call.scope.module for training in made):
        for path in sorted(holders & project.imported_by(module.path)):
            project.load(path)


def _is_of_table(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether it is a method of a data set of Hugging Face, as far as one file shows."""
    if not isinstance(call.function, ex.Attribute):
        return False
    if written(call, None, "generator") is not None or any(a.star for a in call.arguments):
        return False
    paths = library_callees(context, call)
    if paths:
        return all(path.startswith("datasets.") for path in paths)
    own = context.values(call.function, call.scope)
    is_own = any(isinstance(value, FunctionObject | Method) for value in own)
    return not is_own and context.project.says(call.scope.module.path, _TABLES)


def _is_global(context: AnalysisContext, call: ex.Call, splitter: known.Splitter) -> bool:
    bound = bind(context, call, *splitter.parameters)
    if any(a.is_false for a in bound.alternatives("shuffle")):
        return False
    given = bound.alternatives(splitter.generator) if splitter.generator else ()
    return all(a.is_nothing for a in given)


def resumptions(context: AnalysisContext) -> tuple[ex.Call, ...]:
    """The calls by which a program goes on with a training: it loads the optimizer's state.

    They are looked for in the modules of splits too, and in those that these import.
    """
    holders = context.project.words.holders(_LOAD.encode())
    for module in {split.call.scope.module for split in context[global_splits]}:
        for path in sorted(holders & context.project.imported_by(module.path)):
            context.project.load(path)
    loads = (c for c in calls_anywhere(context, _LOAD) if _is_of_optimizer(context, c))
    return (*calls_to(context, *known.LOADING), *loads)


def _is_of_optimizer(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a method is called on an optimizer of torch's."""
    if not isinstance(call.function, ex.Attribute):
        return False
    return any(
        library_path(value).startswith(known.OPTIMIZERS)
        for value in context.values(call.function.value, call.scope)
    )
