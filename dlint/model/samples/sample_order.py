"""Data sets whose order is meant, or is none.

Question: does a loader take the samples of a data set by index, in an order that says nothing?
Followed: what its data sets are, by their classes and what these draw. A name that speaks of an
order (`series`, `buffer`) counts as one; one of time does not where each sample is turned, cut or
flipped by a draw of its own, as none goes on then where the one before it ends. Given up on: data
sets of code that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to
from dlint.analyses.running_calls import calls_named
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.loaders import SIGNATURES
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.sample_work import (
    CONVERTING_DATASETS,
    GRAPH_DATASETS,
    READING_DATASETS,
)
from dlint.library_facts.samplers import DRAWING
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.data.given_datasets import given_datasets
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.samples.random_samples import random_samples
from dlint.model.samples.sample_draws import NUMBERS, is_of_sample
from dlint.model.samples.samples import collate_functions
from dlint.model.workers import worker_code
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.values import (
    AllocationSite,
    ClassObject,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader

_ORDERED = lazily(
    r"replay|curricul|pair(?!ed)|triplet|contrast|buffer|bucket|sort|bptt|language|corpus|lm_|chunk|"
    r"random|infinite|packed|sampl",
    re.I,
)
"""Words of data whose order is meant, or that draw at random themselves."""
_TIMED = lazily(r"seq|series|stream|window|forecast|rollout|trajector|episode|video", re.I)
"""Words of data of which a sample may go on where the one before it ends."""
_CARRIED = lazily(
    rb"(?i)\b(?:\w*hidden\w*|(?<!pin_)\w*memory|\w*_states?|states?|carry|reset_\w+|[hc]x?)\b\s*[=,)]"
    rb"|\bretain_graph\b|\breset_\w+\(|\bsort(?:ed)?\([^)\n]*\bkey\b"
)
"""`out, state = model(x, state)`, `self.memory = …`, `reset_state()`, `sorted(x, key=len)`."""
_REMARK = lazily(
    rb"#[^\n\"\\]*(shuffl|\border(?! to\b)|sequen|tempor|hidden)|consecutive|chronolog", re.I
)
"""Stops at quotes and backslashes, which in a notebook end the line."""
_DRAWING = frozenset(
    {"shuffle", "permutation", "randperm", "sample", "randint", "choice", "randrange", "choices"}
)
_SHUFFLING = frozenset({"shuffle", "permutation", "randperm", "sample"})
_OWN = frozenset({"__init__", "__len__"})
_SAMPLING = frozenset({"sampler", "batch_sampler", "dataset"})
"""What torch reads of a loader when it is begun."""
_COUNTING = frozenset({"builtins.range", "numpy.arange", "torch.arange"})
_LISTING = frozenset({"builtins.list", "builtins.tuple"})
_LIBRARY_DATASETS = READING_DATASETS | CONVERTING_DATASETS | GRAPH_DATASETS
_PLAIN = frozenset({"abc", "builtins", "typing"})


def is_map_style(loader: Loader) -> bool:
    """Whether the data set is certainly one that takes an index, of known code, or the first of
    its samples."""
    found = dict.fromkeys(loader.values("dataset"))
    waiting = list(found)
    while waiting:
        inner = _first_of(loader.context, waiting.pop())
        waiting += [value for value in inner if value not in found]
        found.update(dict.fromkeys(inner))
    return bool(found) and all(_takes_index(loader, value) for value in found)


def _first_of(context: AnalysisContext, value: Value) -> list[Value]:
    """What `Subset(data, range(n))` takes samples of, in their order."""
    if not library_path(value).endswith(".Subset") or not isinstance(value, AllocationSite):
        return []
    passed = context.solver.passed.get(value)
    given = None if passed is None else argument_for(passed, 0, "dataset").expression
    return [] if given is None else list(context.solver.values(*given))


def _takes_index(loader: Loader, value: Value) -> bool:
    path = library_path(value)
    if path.endswith(".Subset"):
        return _is_in_order(loader, value)
    if path:
        return path in _LIBRARY_DATASETS or path.endswith(".TensorDataset")
    cls = attributes.project_class(value)
    if cls is None:
        return False
    classes = loader.context.solver.classes
    iterates = classes.method(cls, "__iter__") is not None
    return classes.method(cls, "__getitem__") is not None and not iterates


def _is_in_order(loader: Loader, part: Value) -> bool:
    """Whether `Subset(data, range(n))` takes samples in the order of the data set."""
    passed = loader.context.solver.passed.get(part) if isinstance(part, AllocationSite) else None
    given = None if passed is None else argument_for(passed, 1, "indices").expression
    if given is None or any(loader.context.project.writing("indices")):
        return False
    if draws_beside(loader):
        return False  # it may be the list of numbers
    return _counts(loader.context, *_unlisted(loader.context, origin_of(given[0])))


def _unlisted(
    context: AnalysisContext, given: ex.Expression
) -> tuple[ex.Expression, tuple[ex.Expression, ...]]:
    """What a list is made of, without what only copies it, and what each of its elements is."""
    while isinstance(given, ex.Call) and is_call_to(context, given, _LISTING):
        inner = written(given, 0)
        if inner is None:
            break
        given = origin_of(inner)
    if isinstance(given, ex.Comprehension) and len(given.iterables) == 1:
        return origin_of(given.iterables[0]), (given.element, *given.conditions)
    return given, ()


def _counts(
    context: AnalysisContext, whole: ex.Expression, made: tuple[ex.Expression, ...]
) -> bool:
    """Whether numbers are counted up, and nothing else is made of them."""
    counted = isinstance(whole, ex.Call) and is_call_to(context, whole, _COUNTING)
    return counted and all(isinstance(origin_of(one), ex.Element) for one in made)


def ignores_indices(loader: Loader) -> bool:
    """Whether the samples do not depend on their index, as those of an endless random draw."""
    found = [attributes.project_class(value) for value in given_datasets(loader)]
    classes = loader.context.solver.classes
    taking = [classes.method(cls, "__getitem__") for cls in found if cls is not None]
    return bool(found) and len(taking) == len(found) and all(map(_ignores_index, taking))


def _ignores_index(method: Scope | None) -> bool:
    if method is None or len(method.parameters) != 2:
        return False
    nested = any(scope.parent is method for scope in method.module.scopes)
    index = method.parameters[1].name
    names = (p.name for p in worker_code.parts_of(method) if isinstance(p, ex.Reference))
    return not nested and index not in names


def takes_index_apart(loader: Loader) -> bool:
    """Whether an index may be several: a method that takes a sample unpacks, indexes or goes
    through it.
    """
    classes = loader.context.solver.classes
    found = filter(None, map(attributes.project_class, given_datasets(loader)))
    methods = (classes.method(cls, "__getitem__") for cls in found)
    return any(_takes_apart(method) for method in methods if method is not None)


def _takes_apart(method: Scope) -> bool:
    index = method.parameters[-1].name if method.parameters else ""
    parts = list(worker_code.parts_of(method))
    apart = [part.value for part in parts if isinstance(part, ex.Subscript)]
    apart += [x for part in parts if isinstance(part, ex.Comprehension) for x in part.iterables]
    taken = (d.value for d in method.definitions if isinstance(d.value, ex.Item | ex.Element))
    apart += [part for value in taken for part in walk.walk(value)]
    return any(isinstance(part, ex.Reference) and part.name == index for part in apart)


def has_own_order(loader: Loader) -> bool:
    """Whether a name speaks of an order, the samples are drawn, or one batch holds them all.

    A batch of one sample is a draw as well: the steps of an epoch come in the order of the data.
    """
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if cls is not None and (_ORDERED.search(cls.name) or _draws(loader, cls)):
            return True
        if library_path(value) in SPLITS:
            return True
    if is_named_for_time(loader) and not _is_each_changed(loader):
        return True
    return _is_whole(loader) or _is_drawn_elsewhere(loader)


def is_named_for_time(loader: Loader) -> bool:
    """Whether the class of a data set is named for what goes on in time: series, videos."""
    found = map(attributes.project_class, given_datasets(loader))
    return any(cls is not None and _TIMED.search(cls.name) for cls in found)


def _is_each_changed(loader: Loader) -> bool:
    """Whether each sample is certainly changed by a draw of its own, and its neighbours by others.

    Where that rests on a sample's size, some go on as they are.
    """
    context = loader.context
    if _is_carried_on(loader):
        return False
    found = [random_samples(context, o) for o in context[DatasetOrigins].of_loader(loader) or ()]
    return bool(found) and all(one is not None and not one.by_size for one in found)


def _is_carried_on(loader: Loader) -> bool:
    """Whether code that the loader comes to names a state that one batch may leave to the next, or
    sorts by a length."""
    paths = {module.path for module in loader.context.reached_modules}
    return any(loader.context.project.says(path, _CARRIED) for path in sorted(paths))


def _is_drawn_elsewhere(loader: Loader) -> bool:
    """Whether a library makes another loader of this one, or its own class may draw an order."""
    context, origin = loader.context, loader.made.origin
    if isinstance(origin, ClassObject) and not _begins_as_torch_does(loader, origin.cls):
        return True
    given = (
        made for call in calls_named(context, *DRAWING) for made in context[LoadersGiven].to(call)
    )
    return any(made.call is loader.call for made in given)


def _begins_as_torch_does(loader: Loader, cls: Class) -> bool:
    """Whether a class of loaders only has a constructor of its own, and methods for its users.

    What torch asks of a loader, or a loader of itself, it leaves to torch, and it draws nothing.
    """
    classes = loader.context.solver.classes
    bases = [path for path in classes.externals(cls) if path.partition(".")[0] not in _PLAIN]
    if not classes.is_whole(cls) or not SIGNATURES.keys() >= set(bases):
        return False
    names = {name for owner in classes.ancestors(cls) for name in owner.methods}
    asked = {name for name in names - _OWN if name.startswith("_") or name in _SAMPLING}
    return not asked and not _draws(loader, cls)


def _draws(loader: Loader, cls: Class) -> bool:
    """Whether the class shuffles, or draws indices at random."""
    context = loader.context
    collating = collate_functions(loader) or ()
    methods = (m for c in context.solver.classes.ancestors(cls) for m in c.methods.values())
    return any(
        call.name in _DRAWING and not is_of_sample(method, call)
        for method in methods
        if method not in collating
        for call in method.calls
        if not (call.name in NUMBERS and _is_for_constructor(context, cls, method))
    )


def _is_for_constructor(context: AnalysisContext, cls: Class, method: Scope) -> bool:
    """Whether a method runs while the data set is made, and at no other time, as its name says."""
    made_by = cls.methods.get("__init__")
    if method is made_by:
        return True
    found = (call for facts in context.modules for call in facts.calls_of(method.name))
    return made_by is not None and {call.scope for call in found} == {made_by}


def draws_beside(loader: Loader) -> bool:
    """Whether the modules that make a loader, or go over it, shuffle or draw something."""
    return any(True for _ in _drawn_beside(loader))


def draws_again_and_again(loader: Loader) -> bool:
    """Whether they do so in a loop, or elsewhere than in the function that makes the loader."""
    making = loader.call.scope
    return any(
        call.scope is not making or any(walk.enclosing_loops(call.statement))
        for call in _drawn_beside(loader)
    )


def _drawn_beside(loader: Loader) -> Iterator[ex.Call]:
    modules = {loader.call.scope.module, *(loop.scope.module for loop in loader.loops)}
    drawn = calls_named(loader.context, *sorted(_SHUFFLING))
    return (call for call in drawn if call.scope.module in modules)


def is_order_remarked_on(loader: Loader) -> bool:
    """Whether a comment of the file that makes the loader speaks of shuffling, or of an order."""
    return loader.context.project.says(loader.place.path, _REMARK)


def is_one_by_one(loader: Loader) -> bool:
    """Whether a batch of one sample is asked for, which may be a whole volume or graph."""
    return any(a.constant == 1 for a in loader.argument("batch_size"))


def _is_whole(loader: Loader) -> bool:
    """Whether a batch is no draw of samples: it holds all of them, or torch makes none."""
    written = loader.written("batch_size")
    if written is not None and any(
        isinstance(p, ex.Call) and p.name == "len" for p in walk.walk(origin_of(written))
    ):
        return True
    return any(a.is_none for a in loader.argument("batch_size"))
