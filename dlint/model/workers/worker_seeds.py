"""Seeds of workers: what they depend on, and who draws with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.calls import calls_to
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.dependence import NOTHING, Dependence, Sources, by, dependence
from dlint.analyses.object_state.sample_access import TAKES
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts import seeding as known
from dlint.library_facts import tensors
from dlint.library_facts.seeding import (
    SEEDERS,
    SEEDING_WORKERS,
    SEEDS,
    drawn_by,
)
from dlint.library_facts.start_methods import FRESH as FRESH_METHODS
from dlint.library_facts.varying import Source
from dlint.model.loading.likely_epochs import may_run_epochs
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.trainer_epochs import trainer_of
from dlint.model.loops.epochs import epoch_loops
from dlint.model.samples.sample_kinds import gives_rows
from dlint.model.versions.admitted import Versions
from dlint.model.workers.starting import start_methods_of
from dlint.model.workers.worker_code import COLLATE, INIT, WorkerCode, parts_of
from dlint.semantics.calls import calls
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry


SEEDS_NUMPY = "workers-seed-numpy"


def unseeded_draws(context: AnalysisContext) -> Iterator[tuple[Place, Loader]]:
    """The first draw of NumPy in each function of workers that an old torch leaves unseeded.

    A test on the way may come out so that only a training draws.
    """
    seen: set[Scope | ex.Call] = set()
    for entry in context[WorkerCode].entries:
        unseeded = [x for x in entry.loaders if _is_left_unseeded(context, x)]
        loader = max(unseeded, key=lambda one: one.trains, default=None)
        drawn = [] if loader is None else _drawn(entry)
        if loader is None or not drawn:
            continue
        if not loader.trains and all(draw.is_reached_by_test for draw in drawn):
            continue
        first = drawn[0].call
        if seen.isdisjoint((entry.scope, first)):
            seen |= {entry.scope, first}
            yield context.place_of(first), loader


def _is_left_unseeded(context: AnalysisContext, loader: Loader) -> bool:
    """Whether forked workers of a torch before 1.9 get the state that NumPy has in the script."""
    admitted = context[Versions].torch(loader.place.path)
    admits = admitted.oldest is not None and not admitted.always(SEEDS_NUMPY)
    old = admits or not admitted.ever(SEEDS_NUMPY)
    plain = all(a.value in (ABSENT, NONE) for a in loader.argument("worker_init_fn"))
    if not old or not plain or loader.workers_present is None or not loader.is_made:
        return False
    forked = not start_methods_of(context, loader) & FRESH_METHODS
    return forked and not any(calls_to(context, *SEEDING_WORKERS))


class _Draw(NamedTuple):
    """A draw from NumPy's global generator; tests may decide over it, or over what comes to it."""

    call: ex.Call
    is_tested: bool
    is_reached_by_test: bool


def _drawn(entry: Entry) -> list[_Draw]:
    """The draws in a worker, where it does not seed itself: first those that no test decides over.

    A test may come out so for the data of another loader alone.
    """
    found: list[_Draw] = []
    for call, frame in entry.calls():
        for target in entry.targets.of(call.function, frame):
            path = target.path if isinstance(target, External) else ""
            if path == "numpy.random.seed":
                return []
            if drawn_by(path) == "numpy":
                way = (call, *(f.call for f in frame.chain() if f.call is not None))
                tested = [any(tests_before(one.scope, one.span)) for one in way]
                found.append(_Draw(call, tested[0], any(tested)))
    return sorted(found, key=lambda draw: draw.is_tested)


def harmful_seeds(
    context: AnalysisContext, entry: Entry
) -> tuple[list[Seeding], Loader, bool] | None:
    """The seeds that repeat, for whose workers, and whether samples are drawn with them for sure.

    Workers are seeded alike by what they and all epochs have in common; of epochs that a framework
    or an iterator of the project's runs nobody may know how many there are.
    """
    seeds = seedings(entry)
    found = []
    for loader in entry.loaders if seeds else ():
        harmful = [s for s in seeds if _repeats(loader, s.depends) is not False]
        drawn = {s.library: _is_drawn(context, loader, s.library) for s in harmful}
        proven = [s for s in harmful if drawn[s.library]]
        if proven or None in drawn.values():
            is_certain = bool(proven) and all(_repeats(loader, s.depends) for s in proven)
            found.append((proven or harmful, loader, is_certain))
    return max(found, key=lambda one: one[2], default=None)


class BareSeed(NamedTuple):
    """A loader whose workers call a seeding function itself, with their number."""

    loader: Loader
    library: str
    is_drawn: bool
    """Whether samples are certainly drawn with it, in several epochs."""


def bare_seeds(context: AnalysisContext) -> Iterator[BareSeed]:
    """The loaders that are given `np.random.seed` or the like as it is, to whom it does harm."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            given = loader.values(INIT)
            paths = {v.path for v in given if isinstance(v, External)} & SEEDERS.keys()
            repeats = len(given) == 1 and bool(paths) and _repeats(loader, by(Source.WORKER))
            if repeats is False:
                continue
            library = SEEDERS[paths.pop()]
            drawn = _is_drawn(context, loader, library)
            if drawn is not False:
                yield BareSeed(loader, library, bool(drawn and repeats))
                break


def _repeats(loader: Loader, depends: Dependence) -> bool | None:
    """Whether workers, or the same workers of several epochs, get one seed; None where they may."""
    if loader.workers_absent:
        return False
    if Source.WORKER not in depends.possible:
        return loader.workers.may_be_several and (loader.trains or any(epoch_loops(loader)))
    lives_on = any(a.value not in (ABSENT, FALSE) for a in loader.argument("persistent_workers"))
    if lives_on:
        return False
    if any(epoch_loops(loader)) or trainer_of(loader) is not None:
        return True
    return None if may_run_epochs(loader) else False


def _is_drawn(context: AnalysisContext, loader: Loader, library: str) -> bool | None:
    """Whether the samples of a loader are drawn with a library; None where they may be."""
    drawn = _drawn_from(context, loader)
    if library in drawn:
        return True
    return False if drawn or are_plain(context, loader) else None


_METHODS = tensors.VIEWS | tensors.CONVERSIONS | tensors.FETCHES | known.PLAIN_METHODS


def are_plain(context: AnalysisContext, loader: Loader) -> bool:
    """Whether no sample of a loader is drawn; batches are collated by torch, or by plain code.

    Rows of Hugging Face tables are not, where nothing is done to them when they are taken.
    """
    entries = [e for e in context[WorkerCode].entries if loader in e.loaders and e.role != INIT]
    collating = loader.values("collate_fn") - {NONE}
    if len(collating) > sum(entry.role == COLLATE for entry in entries):
        return False
    if gives_rows(loader):
        return not collating
    classes = {project_class(value) for value in loader.values("dataset")}
    taking = {entry.cls for entry in entries if entry.role in TAKES}
    return bool(classes) and taking >= classes and all(map(_is_plain, entries))


def _is_plain(entry: Entry) -> bool:
    """Whether all its calls are known, and it takes from nothing that it was given."""
    if not all(_is_known(entry, call, frame) for call, frame in entry.calls()):
        return False
    taken = {name for frame in entry.activations for name in _taken_from(frame)}
    return not taken & _given(entry)


def _is_known(entry: Entry, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call enters the project, or something that is known not to draw."""
    if entry.targets.entered(call, frame):
        return True
    paths = [t.path for t in entry.targets.of(call.function, frame) if isinstance(t, External)]
    if paths:
        return all(map(known.draws_nothing, paths))
    return isinstance(call.function, ex.Attribute) and call.name in _METHODS


def _given(entry: Entry) -> set[str]:
    """The attributes that hold an argument of the constructor: it may be another dataset."""
    lineage = [] if entry.cls is None else entry.context.solver.classes.ancestors(entry.cls)
    inits = [cls.methods["__init__"] for cls in lineage if "__init__" in cls.methods]
    return {
        store.target.name
        for init in inits
        for store in init.stores
        if isinstance(store.target, ex.Attribute) and _is_parameter(store.value)
    }


def _is_parameter(value: ex.Expression) -> bool:
    if isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    return isinstance(value, ex.Parameter)


def _taken_from(frame: CallContext) -> Iterator[str]:
    """The attributes of the object that code indexes, iterates or hands to a call."""
    for part in parts_of(frame.scope):
        sources: tuple[ex.Expression, ...] = ()
        if isinstance(part, ex.Subscript):
            sources = (part.value,)
        elif isinstance(part, ex.Comprehension):
            sources = part.iterables
        elif isinstance(part, ex.Call):
            sources = (part.function, *(a.value for a in part.arguments))
        for source in sources:
            if isinstance(source, ex.Attribute) and is_self(source.value, frame.scope):
                yield source.name


class Seeding(NamedTuple):
    """A call that seeds a global generator in each worker."""

    call: ex.Call
    library: str
    seed: ex.Expression
    depends: Dependence

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return Place(self.call.scope.module.path, *self.call.span)

    @property
    def by_state(self) -> bool:
        """Whether it is made of the first word that NumPy's state has in each worker."""
        return Source.STATE in self.depends.possible

    @property
    def given(self) -> Place:
        """Where the seed stands."""
        return Place(self.call.scope.module.path, *self.seed.span)


def seedings(entry: Entry) -> list[Seeding]:
    """The seeds that a `worker_init_fn` gives, where it is known what they depend on."""
    found, in_worker = [], _in_worker(entry)
    for call, frame in entry.calls():
        library = _library(entry, call, frame)
        seed = None if library is None else written(call, 0, SEEDS[library])
        if library is not None and seed is not None:
            depends = dependence(entry.context, seed, frame, in_worker)
            if not depends.may_be_by(Source.EPOCH):
                found.append(Seeding(call, library, seed, depends))
    return found


def _library(entry: Entry, call: ex.Call, frame: CallContext) -> str | None:
    paths = _paths(entry, call, frame)
    return next((SEEDERS[path] for path in SEEDERS if path in paths), None)


def _is_made_once(loader: Loader) -> bool:
    """Whether no epoch makes the loader, so that what it is given stays as it is."""
    return not any(epoch.makes(loader.made) for epoch in epoch_loops(loader))


def _in_worker(entry: Entry) -> Sources:
    """The sources of a `worker_init_fn`: the number of the worker, and the state it begins with.

    What a partial has given it stays as it was when the loader was made.
    """
    is_kept = entry.frame.call is not None and all(map(_is_made_once, entry.loaders))

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        if isinstance(expression, ex.Subscript) and frame.scope is entry.scope:
            return by(Source.STATE) if _is_first_word(entry, expression, frame) else None
        if not isinstance(expression, ex.Parameter) or frame.scope is not entry.scope:
            return None
        if frame.given(expression.name) is not None:
            return NOTHING if is_kept else None
        specs = frame.scope.parameters[1 if calls.takes_receiver(frame.scope) else 0 :]
        spec = next((s for s in specs if s.name == expression.name), None)
        # a partial has given the others
        is_number = frame.call is not None or spec is next(iter(specs), None)
        return by(Source.WORKER) if spec and spec.default is None and is_number else None

    return known


def _is_first_word(entry: Entry, taken: ex.Subscript, frame: CallContext) -> bool:
    """Whether it is the first word of NumPy's state, as torch has seeded it."""
    words = ex.unnamed(taken.value)
    state = ex.unnamed(words.value) if isinstance(words, ex.Subscript) else words
    if not isinstance(words, ex.Subscript) or not isinstance(state, ex.Call):
        return False
    where = tuple(i.value for i in (words.index, taken.index) if isinstance(i, ex.Constant))
    if where != known.FIRST_WORD or _paths(entry, state, frame) != {known.GET_STATE}:
        return False
    return not any(
        call.span[1] <= state.span[0] or call.scope is not state.scope
        for call, inner in entry.calls()
        if _paths(entry, call, inner) & known.SETTING_NUMPY
    )


def _paths(entry: Entry, call: ex.Call, frame: CallContext) -> set[str]:
    targets = entry.targets.of(call.function, frame)
    return {target.path for target in targets if isinstance(target, External)}


def _drawn_from(context: AnalysisContext, loader: Loader) -> set[str]:
    """The libraries whose global generators the samples of a loader are drawn from."""
    entries = (e for e in context[WorkerCode].entries if loader in e.loaders and e.role != INIT)
    called = (path for e in entries for call in e.calls() for path in _paths(e, *call))
    return {library for path in called if (library := drawn_by(path)) is not None}
