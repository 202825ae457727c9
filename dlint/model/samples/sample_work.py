"""What is done for each sample of a loader: read, decoded, transformed, tokenized.

Followed: the methods that take a sample, what they call, collate functions, datasets of libraries,
rows of Hugging Face datasets. A cache that may answer first silences what stands behind it. None
means that nothing is known to be done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind_to
from dlint.analyses.callees import method_scope, own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.completions import is_dead
from dlint.analyses.object_state.sample_access import sample_methods
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts import sample_work as knowledge
from dlint.library_facts.readers import MAP_STYLE_BASES
from dlint.model.data.given_datasets import given_datasets
from dlint.model.data.in_memory import is_array, takes_no_time
from dlint.model.data.opened_rows import rows
from dlint.model.samples.composed import listed
from dlint.model.samples.kept_results import keeps_results, may_be_spared
from dlint.model.samples.samples import collate_functions
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    External,
    FunctionObject,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_DEEP = 3
_LOADER = "loader"
"""What torchvision's folders call the function that reads a file."""
_ORDER = {"read": 0, "transformed": 1, "tokenized": 2, "decoded": 3, "converted": 4}
_LIGHT = frozenset({"decoded", "converted", "tokenized"})


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
    is_of_media: bool = False
    """Whether pictures, sound or volumes are what it is done with."""
    is_of_volumes: bool = False
    """Whether volumes or films are."""

    @property
    def is_heavy(self) -> bool:
        """Whether it is known to take long, and is done for every sample.

        A fast tokenizer takes a batch of short texts in milliseconds.
        """
        return self.verb not in _LIGHT and self.is_certain

    def rank(self) -> tuple[bool, int]:
        """What is heavier ranks lower."""
        return not self.is_certain, _ORDER[self.verb]


def sample_work(loader: Loader) -> SampleWork | None:
    """The heaviest thing that is certainly done for each sample; None where nothing is known.

    Of several data sets of libraries that a loader may be given, the one counts that costs least.
    """
    found: dict[bool, list[SampleWork]] = {True: [], False: [*_of_batches(loader)]}
    for value in given_datasets(loader):
        work = _heaviest(_of_dataset(loader, value))
        found[is_of_library(value)] += [] if work is None else [work]
    least = max(found[True], key=SampleWork.rank, default=None)
    return _heaviest(filter(None, (least, *found[False])))


def _heaviest(found: Iterable[SampleWork]) -> SampleWork | None:
    return min(found, key=SampleWork.rank, default=None)


def works(loader: Loader) -> Iterator[SampleWork]:
    """All that is seen to be done for a sample."""
    for value in given_datasets(loader):
        yield from _of_dataset(loader, value)
    yield from _of_batches(loader)


def _of_batches(loader: Loader) -> Iterator[SampleWork]:
    """What is done whichever data set there is: by the collate function, to rows of a table."""
    for scope in collate_functions(loader) or ():
        yield from _in_scope(loader.context, scope)
    yield from _of_rows(loader)


def constructing(context: AnalysisContext, cls: Class) -> Iterator[SampleWork]:
    """What the constructor of a class does, once for all samples."""
    method = context.solver.classes.method(cls, "__init__")
    if method is not None:
        yield from _in_scope(context, method)


def reads_samples(context: AnalysisContext, cls: Class) -> bool:
    """Whether each sample of a class is read from a file when it is asked for."""
    work = (one for method in sample_methods(context, cls) for one in _in_scope(context, method))
    return any(one.verb == "read" and one.is_certain for one in work)


def asks_cache(loader: Loader) -> bool:
    """Whether a data set of the project may answer from a cache, which each worker has anew."""
    own = list(_own_methods(loader))
    calls = [call for method in own for call in method.calls]
    scopes = [*own, *entered_by(loader.context, calls, deep=_DEEP)]
    return any(keeps_results(s) or any(map(may_be_spared, s.calls)) for s in scopes)


def takes_samples_itself(loader: Loader) -> bool:
    """Whether the project's own code takes a loader's samples, so that it can be read."""
    return next(_own_methods(loader), None) is not None


def _own_methods(loader: Loader) -> Iterator[Scope]:
    """The methods of the project's classes that take a loader's samples."""
    for cls in filter(None, map(attributes.project_class, given_datasets(loader))):
        yield from sample_methods(loader.context, cls)


def is_iterable(loader: Loader) -> bool:
    """Whether the data set is, or may be, an iterable one: each worker would repeat it."""
    context = loader.context
    for value in given_datasets(loader):
        cls = attributes.project_class(value)
        if (
            cls is not None
            and not _is_stub(context, cls)
            and (
                not sample_methods(context, cls)
                or any(p.endswith("IterableDataset") for p in context.solver.classes.externals(cls))
            )
        ):
            return not any(map(knowledge.is_dataset, context.solver.classes.externals(cls)))
    return False


def _is_stub(context: AnalysisContext, cls: Class) -> bool:
    """Whether a class derives of torch's map-style data set alone, and has no way to a sample."""
    classes = context.solver.classes
    bases = set(classes.externals(cls))
    own = any(classes.method(cls, name) is not None for name in ("__iter__", "__getitem__"))
    return not own and bool(bases) and bases <= MAP_STYLE_BASES


def _of_rows(loader: Loader) -> Iterator[SampleWork]:
    """What is done to the rows of a Hugging Face dataset when they are taken.

    That they are decoded counts where a framework reads them by its own defaults.
    """
    found = rows(loader.context, loader.given("dataset"))
    if found is not None:
        for scope in found.transforms:
            yield from _in_scope(loader.context, scope)
        if loader.made_by_framework:
            yield SampleWork("decoded", "datasets", loader.context.place_of(found.opened))


def _of_dataset(loader: Loader, value: Value) -> Iterator[SampleWork]:
    context = loader.context
    if is_of_library(value):
        yield from _of_library(context, library_path(value), value)
        return
    cls = attributes.project_class(value)
    if cls is None:
        return
    methods = sample_methods(context, cls)
    for method in methods:
        yield from _in_scope(context, method)
    if not methods or any(map(_asks_base, methods)):
        made = value if isinstance(value, AllocationSite) else None
        for path in context.solver.classes.externals(cls):
            yield from _of_library(context, path, made)


def _asks_base(method: Scope) -> bool:
    """Whether each sample is also taken by the class above: `super().__getitem__(index)`."""
    return any(
        isinstance(call.function, ex.Attribute)
        and call.name == method.name
        and isinstance(call.function.value, ex.Call)
        and call.function.value.name == "super"
        for call in _steady(method)
    )


def _of_library(
    context: AnalysisContext, path: str, made: AllocationSite | None
) -> Iterator[SampleWork]:
    name = path.rpartition(".")[2]
    if path in knowledge.READING_DATASETS:
        own = made is not None and _is_given(context, made, _LOADER)
        yield SampleWork("read", name, is_certain=not own, is_of_media=True)
    elif path in knowledge.CONVERTING_DATASETS:
        work = _transforms(context, made, light=knowledge.is_tiny(path))
        yield SampleWork("transformed" if work else "converted", name, is_of_media=True)


def _is_given(context: AnalysisContext, made: AllocationSite, name: str) -> bool:
    """Whether a data set of a library is given an argument by its name."""
    passed = context.solver.passed.get(made)
    bound = None if passed is None else bind_to(context, passed, library_signature(()))
    return bound is not None and bool(bound.values(name))


def _transforms(context: AnalysisContext, made: AllocationSite | None, *, light: bool) -> bool:
    """Whether a library dataset is given a transform; one that only converts may be light."""
    passed = None if made is None else context.solver.passed.get(made)
    if passed is None:
        return False
    bound = bind_to(context, passed, library_signature(()))
    given = [bound.values(name) for name in ("transform", "transforms")]
    return any(
        values and NONE not in values and not (light and all(_converts(context, v) for v in values))
        for values in given
    )


def _converts(context: AnalysisContext, transform: Value) -> bool:
    """Whether a transform, with all that it is composed of, only gives a picture another form."""
    return all(_converts_only(context, part) for part in listed(context, transform))


def _converts_only(context: AnalysisContext, transform: Value) -> bool:
    if isinstance(transform, FunctionObject):
        return takes_no_time(context, transform.scope)
    return knowledge.only_converts(library_path(transform))


def _in_scope(context: AnalysisContext, scope: Scope) -> Iterator[SampleWork]:
    """What a function does, itself and through what it calls, unless a cache may answer first."""
    certain = {scope, *entered_by(context, _steady(scope), deep=_DEEP, inner=_steady)}
    for inner in (scope, *entered_by(context, _counted(scope), deep=_DEEP, inner=_counted)):
        for call in _counted(inner):
            always = inner in certain and _is_certain(call)
            for work in _by_call(context, call):
                yield work if always else work._replace(is_certain=False)
        for work in () if keeps_results(inner) else _by_index(context, inner):
            yield work if inner in certain else work._replace(is_certain=False)


def _counted(scope: Scope) -> list[ex.Call]:
    """The calls of a function for which no cache may answer."""
    if keeps_results(scope):
        return []
    return [c for c in scope.calls if not is_dead(c.statement) and not may_be_spared(c)]


def _steady(scope: Scope) -> list[ex.Call]:
    return [call for call in _counted(scope) if _is_certain(call)]


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
    if own_attribute(call.function, call.scope) == _LOADER and _loads_files(context, call):
        yield SampleWork("read", _LOADER, place, is_of_media=True)
    for value in context.values(call.function, call.scope):
        if isinstance(value, External):
            verb = knowledge.verb(value.path)
            if verb is not None and "()" not in value.path:
                light = knowledge.only_converts(value.path) and _takes_array(context, call)
                verb = "converted" if light else verb
                yield _done_by(value.path, verb, place)
            continue
        path = library_path(value)
        if knowledge.makes_transform(path):
            light = _converts(context, value) and _takes_array(context, call)
            verb = "converted" if light else "transformed"
            yield _done_by(path, verb, place)._replace(is_of_media=True)
        elif knowledge.is_tokenizer(path):
            yield SampleWork("tokenized", _short(path.rpartition(".")[0]), place)


def _loads_files(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether `self.loader` is what torchvision's folders read a file by."""
    method = method_scope(call.scope)
    owner = None if method is None else method.owner
    if owner is None or context.values(call.function, call.scope) - {UNKNOWN}:
        return False
    constructor = context.solver.classes.method(owner, "__init__")
    made = () if constructor is None else constructor.calls
    unpacked = any(a.star == "**" for one in made for a in one.arguments)
    if unpacked or any(written(one, None, _LOADER) is not None for one in made):
        return False
    return any(map(knowledge.keeps_loader, context.solver.classes.externals(owner)))


def _done_by(path: str, verb: str, place: Place) -> SampleWork:
    media, volumes = knowledge.is_of_media(path), knowledge.is_of_volumes(path)
    return SampleWork(verb, _short(path), place, is_of_media=media, is_of_volumes=volumes)


def _takes_array(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a transform is given an item of an array in memory, or what others made of one.

    What is not known counts for nothing beside what is.
    """
    given = written(call, 0)
    parts = [] if given is None else list(parts_in_function(given))
    held = [part.value for part in parts if isinstance(part, ex.Subscript)]
    arrays = [context.values(array, call.scope) - {UNKNOWN} for array in held]
    calls = [part for part in parts if isinstance(part, ex.Call)]
    made = [path for part in calls for path in library_callees(context, part)]
    known = bool(arrays) and all(values and all(map(is_array, values)) for values in arrays)
    return known and len(made) == len(calls) and all(map(knowledge.is_done_in_memory, made))


def _by_index(context: AnalysisContext, scope: Scope) -> Iterator[SampleWork]:
    """`self.file["images"][index]` of an open HDF5 file."""
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Subscript) and isinstance(part.value, ex.Attribute):
                    found = context.values(part.value, scope)
                    if "h5py.File" in map(library_path, found):
                        place = Place(scope.module.path, *part.span)
                        yield SampleWork("read", "h5py.File", place)


def _short(path: str) -> str:
    """The last two names of a path, or one where the first is that of a whole library."""
    parts = path.replace("()", "").split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]
