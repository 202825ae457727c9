"""What is done for each sample of a loader: reading, decoding, transforming, tokenizing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.guards import CACHING
from dlint.analyses.sample_access import BY_INDEX
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts import sample_work as knowledge
from dlint.model.given_datasets import given_datasets
from dlint.model.samples import collate_functions
from dlint.rules.loader.zero_workers.arrow import rows
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import NONE, AllocationSite, External, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_DEPTH = 3
_ORDER = {"read": 0, "transformed": 1, "tokenized": 2, "decoded": 3, "converted": 4}
_LIGHT = frozenset({"decoded", "converted"})


class SampleWork(NamedTuple):
    """One thing that is done for each sample.

    `verb`: read, transformed, tokenized, decoded (a row of a table, of which nobody knows what is
    in it), or converted (a PIL image is made of an array in memory).
    """

    verb: str
    by: str
    place: Place | None = None
    is_certain: bool = True
    """Whether every sample comes there, as against samples for which some test holds."""

    @property
    def is_heavy(self) -> bool:
        """Whether it is known to be more than a conversion, and done for every sample."""
        return self.verb not in _LIGHT and self.is_certain


def sample_work(loader: Loader) -> SampleWork | None:
    """The heaviest thing that is certainly done for each sample; None where nothing is known."""
    found = [work for value in given_datasets(loader) for work in _of_dataset(loader, value)]
    for scope in collate_functions(loader) or ():
        found += _in_scope(loader.context, scope, _DEPTH, set())
    found += _of_rows(loader)
    return min(found, key=lambda work: (not work.is_certain, _ORDER[work.verb]), default=None)


def is_iterable(loader: Loader) -> bool:
    """Whether the data set is, or may be, an iterable one: each worker would repeat it."""
    context = loader.context
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if cls is not None and (
            context.solver.classes.method(cls, "__getitem__") is None
            or any(p.endswith("IterableDataset") for p in context.solver.classes.externals(cls))
        ):
            return not any(map(_is_library_dataset, context.solver.classes.externals(cls)))
    return False


def _of_rows(loader: Loader) -> Iterator[SampleWork]:
    """What is done to the rows of a Hugging Face dataset when they are taken.

    That they are decoded counts where a framework reads them by its own defaults.
    """
    found = rows(loader.context, loader.given("dataset"))
    if found is not None:
        for scope in found.transforms:
            yield from _in_scope(loader.context, scope, _DEPTH, set())
        if loader.made_by_framework:
            yield SampleWork("decoded", "datasets", loader.context.place_of(found.opened))


def _is_library_dataset(path: str) -> bool:
    return path in knowledge.READING_DATASETS or path in knowledge.CONVERTING_DATASETS


def _of_dataset(loader: Loader, value: Value) -> Iterator[SampleWork]:
    context = loader.context
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        yield from _of_library(context, value.origin.path, value)
        return
    cls = attributes.project_class(value)
    if cls is None:
        return
    methods = [m for n in BY_INDEX if (m := context.solver.classes.method(cls, n)) is not None]
    for method in methods:
        yield from _in_scope(context, method, _DEPTH, set())
    if not methods:
        for path in context.solver.classes.externals(cls):
            yield from _of_library(context, path, None)


def _of_library(
    context: AnalysisContext, path: str, made: AllocationSite | None
) -> Iterator[SampleWork]:
    name = path.rpartition(".")[2]
    if path in knowledge.READING_DATASETS:
        yield SampleWork("read", name)
    elif path in knowledge.CONVERTING_DATASETS:
        yield SampleWork("transformed" if _transforms(context, made) else "converted", name)


def _transforms(context: AnalysisContext, made: AllocationSite | None) -> bool:
    """Whether a library dataset is given a transform."""
    passed = None if made is None else context.solver.passed.get(made)
    for argument, frame in () if passed is None else passed.arguments:
        if argument.keyword in ("transform", "transforms"):
            return NONE not in context.solver.values(argument.value, frame)
    return False


def _in_scope(
    context: AnalysisContext, scope: Scope, depth: int, seen: set[Scope]
) -> Iterator[SampleWork]:
    """What a function does, itself and through what it calls, unless a cache may answer first."""
    seen.add(scope)
    if _is_cached(scope):
        return
    for call in scope.calls:
        if walk.is_unreachable(call.statement) or _asks_cache(call):
            continue
        certain = _is_certain(call)
        inner = list(_by_call(context, call))
        if depth:
            for callee in callees_of(context, call):
                if callee not in seen:
                    inner += _in_scope(context, callee, depth - 1, seen)
        yield from (w if certain else w._replace(is_certain=False) for w in inner)
    yield from _by_index(context, scope)


def _is_certain(call: ex.Call) -> bool:
    """Whether a call is always made: tests that ask for its callee aside (`if self.transform:`)."""
    called = ex.dotted(call.function)
    return all(
        any(called is not None and ex.dotted(part) == called for part in walk.walk(test))
        for test, _ in walk.tests(call.statement)
    )


def _by_call(context: AnalysisContext, call: ex.Call) -> Iterator[SampleWork]:
    """A call of a library function, or of an object that a library made."""
    place = context.place_of(call)
    for value in context.values(call.function, call.scope):
        if isinstance(value, External):
            verb = knowledge.verb(value.path)
            if verb is not None and "()" not in value.path:
                yield SampleWork(verb, _short(value.path), place)
            continue
        for path in _origins(context, [value]):
            if knowledge.makes_transform(path):
                yield SampleWork("transformed", _short(path), place)
            elif knowledge.is_tokenizer(path):
                yield SampleWork("tokenized", _short(path.rpartition(".")[0]), place)


def _by_index(context: AnalysisContext, scope: Scope) -> Iterator[SampleWork]:
    """`self.file["images"][index]` of an open HDF5 file."""
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Subscript) and isinstance(part.value, ex.Attribute):
                    found = context.values(part.value, scope)
                    if "h5py.File" in set(_origins(context, found)):
                        place = Place(scope.module.path, *part.span)
                        yield SampleWork("read", "h5py.File", place)


def _origins(context: AnalysisContext, values: Iterable[Value]) -> Iterator[str]:
    for value in values:
        if isinstance(value, AllocationSite) and isinstance(value.origin, External):
            yield value.origin.path


def _short(path: str) -> str:
    """The last two names of a path, or one where the first is that of a whole library."""
    parts = path.replace("()", "").split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]


def _is_cached(scope: Scope) -> bool:
    return any("cache" in name.lower() for name in attributes.decorators(scope))


def _asks_cache(call: ex.Call) -> bool:
    """Whether a test around a call, or an earlier return, speaks of a cache."""
    return any(
        CACHING.search(part.name)
        for test, _ in walk.tests(call.statement)
        for part in walk.walk(test)
        if isinstance(part, ex.Reference | ex.Attribute)
    )
