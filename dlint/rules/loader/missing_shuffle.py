"""missing-shuffle: training that sees its samples in one and the same order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import calls_named, library_callees
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, SetArgument, SetKey
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.sample_work import CONVERTING_DATASETS, READING_DATASETS
from dlint.library_facts.samplers import DRAWING, DRAWN, SHUFFLED
from dlint.model.epochs import EpochLoop, epoch_loops
from dlint.model.fixed_order import keeps_order
from dlint.model.given_datasets import given_datasets
from dlint.model.loops import LoadersGiven
from dlint.model.roles import is_named_for_evaluation
from dlint.model.sample_draws import is_of_sample
from dlint.model.timing import is_benchmark
from dlint.model.trainer_epochs import counts_epochs, teacher_of
from dlint.rules.loader._chosen import Chosen, chosen
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.conditional_value import ABSENT, Absent
from dlint.semantics.values.values import (
    FALSE,
    NONE,
    AllocationSite,
    ClassObject,
    External,
    Literal,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_MESSAGE = (
    "training sees the samples in the same order in every epoch, as {why} and no sampler is given; "
    "set `shuffle=True`, unless the order matters"
)
_SAMPLED = (
    "training sees the samples in the same order in every epoch, as the sampler of this DataLoader "
    "gives one order whenever it is begun; draw a new one in its `__iter__`, unless the order "
    "matters"
)
_COUNTED = "the epochs are counted here"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that train for several epochs in the order of the data set."""
    for found in chosen(context, "shuffle", _is_wanting):
        yield _finding(found)


def _is_ordered(loader: Loader) -> bool:
    """Whether neither `shuffle` nor a sampler chooses another order each time, on any path."""
    if any(a.value not in (ABSENT, NONE, FALSE) for a in loader.argument("shuffle")):
        return False
    return all(value in (ABSENT, NONE) or _is_fixed(loader, value) for value in _samplers(loader))


def _samplers(loader: Loader) -> Iterator[Value | Absent]:
    for name in ("sampler", "batch_sampler"):
        yield from (a.value for a in loader.argument(name))


def _is_fixed(loader: Loader, sampler: Value | Absent) -> bool:
    return not isinstance(sampler, Absent) and keeps_order(loader.context, sampler)


def _is_sampled(loader: Loader) -> bool:
    """Whether a sampler is given, which keeps one order."""
    return any(_is_fixed(loader, sampler) for sampler in _samplers(loader))


def _is_left_or_given(loader: Loader) -> bool:
    """Whether no option decides: nothing is given, `False` is, or the default of a function."""
    found = loader.argument("shuffle")
    return all(a.value in (ABSENT, FALSE) and a.holds_in_calls for a in found)


def _is_wanting(loader: Loader) -> bool:
    if not _is_ordered(loader) or not loader.is_made or loader.is_for_debugging:
        return False
    if is_named_for_evaluation(loader) or not _is_left_or_given(loader):
        return False
    if not is_map_style(loader) or has_own_order(loader) or is_benchmark(loader.call.scope.module):
        return False
    repeats = any(True for _ in _epochs(loader)) or teacher_of(loader) is not None
    return repeats and not comes_shuffled(loader)


def _epochs(loader: Loader) -> Iterator[EpochLoop]:
    """The epochs in which the loader's own batches are trained on."""
    return (e for e in epoch_loops(loader) if e.batch_loop.trains and not e.makes(loader.made))


def _finding(found: Chosen) -> Finding:
    loader = found.loaders[0]
    related = [*_shown(loader)]
    if found.at_caller:
        related.append(Related(loader.place, "the loader is made here"))
    elif found.others:
        related.append(Related(found.maker, "this loader is trained on"))
    sampled = _is_sampled(loader)
    message = _SAMPLED if sampled else _MESSAGE.format(why=_why(found))
    decided = _is_meant(loader) or sampled
    fix = _fix(loader) if found.is_decided_there and not decided else None
    meant = decided or not _counts_epochs(loader)
    severity = Severity.INFO if meant else Severity.WARNING
    return Finding(severity, message, found.place, tuple(related), fix, found.argument_place)


def _shown(loader: Loader) -> Iterator[Related]:
    """Where the epochs are counted and the batches trained on, or who does so."""
    epoch = next(_epochs(loader), None)
    trainer = teacher_of(loader)
    if epoch is not None:
        yield Related(epoch.place, _COUNTED)
        yield Related(epoch.batch_loop.place, "the batches are trained on")
    elif trainer is not None:
        yield Related(loader.context.place_of(trainer), "this trainer runs the epochs")


def _counts_epochs(loader: Loader) -> bool:
    """Whether epochs are counted, and not steps, of which there may be fewer than one has."""
    trainer = teacher_of(loader)
    looped = any(True for _ in _epochs(loader))
    return looped or (trainer is not None and counts_epochs(loader.context, trainer))


def _why(found: Chosen) -> str:
    if found.default is not None:
        return f"`shuffle` is off by the {found.default}"
    return (
        "`shuffle=False` is given" if _is_meant(found.loaders[0]) else "`shuffle` is off by default"
    )


def _is_meant(loader: Loader) -> bool:
    """Whether somebody wrote `False` for these loaders: a decision, if often an oversight."""
    return any(a.value == FALSE and a.assumed is None for a in loader.argument("shuffle"))


def _fix(loader: Loader) -> Fix:
    """Draw a new order in each epoch."""
    mapping = loader.keywords_place
    shuffle: Operation = SetArgument(loader.place, "shuffle", "True", loader.position("shuffle"))
    if mapping is not None:
        shuffle = SetKey(mapping, "shuffle", "True")
    return Fix(Applicability.UNSAFE, "Shuffle the samples", (shuffle,))


_SERIES = lazily(
    r"seq|series|stream|window|forecast|replay|rollout|trajector|episode|curricul|pair|triplet|"
    r"contrast|video|buffer|bucket|sort|bptt|language|corpus|lm_|chunk|random|infinite|packed|sampl",
    re.I,
)
"""Words of data whose order is meant, or that draw at random themselves."""
_DRAWING = frozenset(
    {"shuffle", "permutation", "randperm", "sample", "randint", "choice", "randrange", "choices"}
)


def is_map_style(loader: Loader) -> bool:
    """Whether the data set is certainly one that takes an index, of known code."""
    found = list(loader.values("dataset"))
    return bool(found) and all(_takes_index(loader, value) for value in found)


def _takes_index(loader: Loader, value: Value) -> bool:
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        path = value.origin.path
        return path in READING_DATASETS | CONVERTING_DATASETS or path.endswith(".TensorDataset")
    cls = attributes.project_class(value)
    if cls is None:
        return False
    classes = loader.context.solver.classes
    iterates = classes.method(cls, "__iter__") is not None
    return classes.method(cls, "__getitem__") is not None and not iterates


def has_own_order(loader: Loader) -> bool:
    """Whether a name speaks of an order, the samples are drawn, or one batch holds them all."""
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if cls is not None and (_SERIES.search(cls.name) or _draws(loader, cls)):
            return True
        origin = value.origin if isinstance(value, AllocationSite) else None
        if isinstance(origin, External) and origin.path in SPLITS:
            return True
    return _is_whole(loader) or _is_drawn_elsewhere(loader)


def _is_drawn_elsewhere(loader: Loader) -> bool:
    """Whether a library makes another loader of this one, or a project class is one."""
    if isinstance(loader.made.origin, ClassObject):
        return True
    context = loader.context
    given = (
        made for call in calls_named(context, *DRAWING) for made in context[LoadersGiven].to(call)
    )
    return any(made.call is loader.call for made in given)


def _draws(loader: Loader, cls: Class) -> bool:
    """Whether the class shuffles, or draws indices at random."""
    classes = loader.context.solver.classes
    methods = (m for c in classes.ancestors(cls) for m in c.methods.values())
    return any(
        call.name in _DRAWING and not is_of_sample(method, call)
        for method in methods
        for call in method.calls
    )


def _is_whole(loader: Loader) -> bool:
    """Whether a batch is no draw of several samples: all of them, one alone, or none of torch's."""
    written = loader.written("batch_size")
    if written is not None and any(
        isinstance(p, ex.Call) and p.name == "len" for p in walk.walk(written)
    ):
        return True
    found = loader.argument("batch_size")
    return any(a.value == NONE for a in found) or any(
        isinstance(a.value, Literal) and a.value.value == 1 for a in found
    )


_MOST = 60
"""How many expressions are followed."""


def comes_shuffled(loader: Loader) -> bool:
    """Whether some of what the dataset is made of was shuffled once, before it was kept."""
    given = loader.given("dataset")
    queue = [] if given is None else [given]
    seen: set[tuple[ex.Expression, CallContext]] = set()
    while queue and len(seen) < _MOST:
        found = queue.pop(0)
        if found in seen:
            continue
        seen.add(found)
        expression, frame = found
        for part in walk.walk(expression):
            if isinstance(part, ex.Call) and _shuffles(loader.context, part):
                return True
            queue += _behind(loader.context, part, frame)
    return False


def _shuffles(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a function of scikit-learn returns its data in a random order."""
    if FALSE in bind(context, call).values("shuffle"):
        return False
    paths = library_callees(context, call)
    return any(path in SHUFFLED or path.startswith(DRAWN) for path in paths)


def _behind(
    context: AnalysisContext, part: ex.Expression, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What a name is bound to, what a parameter is given, and what a function returns."""
    match part:
        case ex.Reference(definition=None):
            for definition in _free(context, part.name, frame.scope):
                yield definition.value, context.solver.root(definition.scope)
        case ex.Reference(definition=definition):
            if definition is not None:
                yield definition.value, frame
        case ex.Parameter():
            frames = [frame] if frame.call is not None else context.evaluator.callers(frame.scope)
            yield from (g for f in frames if (g := f.given(part.name)) is not None)
        case ex.Call():
            for scope in callees_of(context, part):
                root = context.solver.root(scope)
                yield from ((result, root) for result in scope.returns)


def _free(context: AnalysisContext, name: str, scope: Scope) -> list[ex.Definition]:
    """The definitions of a free name, in the next scope around that has some."""
    outer = scope.parent
    while outer is not None:
        found = list(context.solver.bindings(outer, name))
        if found:
            return found
        outer = outer.parent
    return []
