"""Samples that torch's collate function makes no batch of, or lists where tensors are meant.

Question: which parts of the samples of a loader that collates by default do not fit together?
Followed: the one class of the project that all samples come from, or the one data set of a library.
Given up on: several classes behind one loader, and what is not certainly a list, a count or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import handles_exception
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from dlint.library_facts import collation as known
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.model.data.arrow_rows import copies_lists, is_each, list_columns
from dlint.model.samples.collation import makes_large_batches, sample_sources
from dlint.model.samples.counted_parts import counted_parts
from dlint.model.samples.list_fields import field, is_list, keys_of
from dlint.model.samples.picture_sizes import Pictures, pictures
from dlint.model.samples.tensor_uses import tensor_uses
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, Value, library_path

if TYPE_CHECKING:
    from dlint.findings.diagnostic import Severity
    from dlint.ir.module import Class, Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.samples.list_fields import Located
    from dlint.model.samples.tensor_uses import TensorUse


class TakenList(NamedTuple):
    """A part of samples that is a list, and where the loop takes it for a tensor."""

    place: Place
    use: Place


class Count(NamedTuple):
    """A part of samples with a row for each of something, of which samples hold several."""

    place: Place
    what: str
    severity: Severity


class UnequalPictures(NamedTuple):
    """A data set of a library whose pictures stay images, or of different sizes."""

    kind: Pictures
    place: Place


class CountedTargets(NamedTuple):
    """A data set of a library whose samples hold a list of `what`, made at a place."""

    what: str
    place: Place


class CollatedSamples:
    """What the samples of a loader hold that collates by default; their sources are asked once."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._context = loader.context

    def taken_lists(self) -> Iterator[TakenList]:
        """Fields that are Python lists, where the loop takes them for tensors."""
        method = self._method
        for part, use in _used_fields(self._loader, method) if method is not None else ():
            if is_list(self._context, *part):
                at = Place(part[1].scope.module.path, *part[0].span)
                yield TakenList(at, self._context.place_of(use.call))

    def taken_columns(self) -> Place | None:
        """Where rows of a Hugging Face data set without a format are taken for tensors."""
        given = self._loader.given("dataset")
        columns = frozenset() if given is None else list_columns(self._context, *given)
        use = copies_lists(self._loader, columns) if columns else None
        return None if use is None else self._context.place_of(use)

    def empty_samples(self) -> Iterator[Place]:
        """Where samples get None in the place of a part, as reading it has failed."""
        method = self._method
        for statement in walk.statements(method.body) if method is not None else ():
            if not isinstance(statement, Return) or statement.value is None or is_dead(statement):
                continue
            if method is not None and handles_exception(statement) and _holds_none(statement.value):
                yield Place(method.module.path, *statement.span)

    def counts(self) -> Iterator[Count]:
        """Tensors with a row for each object in the picture, or word in the text."""
        if self._class is None or not makes_large_batches(self._loader):
            return
        for (expression, frame), what, severity in counted_parts(self._context, self._class):
            yield Count(Place(frame.scope.module.path, *expression.span), what, severity)

    def counted_targets(self) -> CountedTargets | None:
        """A library's data set whose targets hold as many parts as there are in the picture."""
        dataset = self._library_dataset
        what = known.COUNTED.get(library_path(dataset))
        if dataset is None or what is None or not makes_large_batches(self._loader):
            return None
        passed = self._context.solver.passed.get(dataset)
        given = {a.keyword for a, _ in passed.arguments} if passed is not None else known.MORE
        if given & known.MORE or (passed and any(a.star for a, _ in passed.arguments)):
            return None
        return CountedTargets(what, self._context.place_of(dataset.call))

    def unequal_pictures(self) -> UnequalPictures | None:
        """A library's data set whose transform leaves images, or tensors of different sizes."""
        dataset = self._library_dataset
        found = None if dataset is None else pictures(self._context, dataset)
        if dataset is None or found is None or found is Pictures.EQUAL:
            return None
        if self._may_be_given_later():
            return None
        published = library_path(dataset) in known.PUBLISHED
        if found is not Pictures.IMAGES and not (published and makes_large_batches(self._loader)):
            return None
        return UnequalPictures(found, self._context.place_of(dataset.call))

    def _may_be_given_later(self) -> bool:
        """Whether code sets the transform of a data set from outside: `part.dataset.transform`."""
        writing = self._context.project.writing
        stores = (store for name in TRANSFORM_ARGUMENTS for store in writing(name))
        return any(attributes.written_on_self(store) is None for store in stores)

    @cached_property
    def _sources(self) -> frozenset[Value]:
        return sample_sources(self._loader)

    @cached_property
    def _class(self) -> Class | None:
        """The one class of the project that all samples come from."""
        classes = {attributes.project_class(value) for value in self._sources}
        return next(iter(classes)) if len(classes) == 1 else None

    @property
    def _method(self) -> Scope | None:
        """The method of this class that takes a sample."""
        cls = self._class
        return None if cls is None else self._context.solver.classes.method(cls, "__getitem__")

    @property
    def _library_dataset(self) -> AllocationSite | None:
        """The one data set of a library that all samples come from."""
        only = next(iter(self._sources)) if len(self._sources) == 1 else None
        return only if isinstance(only, AllocationSite) and self._class is None else None


def _used_fields(loader: Loader, method: Scope) -> Iterator[tuple[Located, TensorUse]]:
    """The parts of samples that the loop takes for tensors, each with where it does."""
    for use in tensor_uses(loader):
        key = use.key(loader.context)
        keys = keys_of(method) if key is None and is_each(ex.unnamed(use.part)) else [key]
        for each in keys:
            part = None if each is None else field(loader.context, method, each)
            if part is not None:
                yield part, use


def _holds_none(sample: ex.Expression) -> bool:
    """Whether None is written as a part of a sample: `return None, None, name`."""
    match sample:
        case ex.Sequence():
            parts = sample.items
        case ex.Mapping():
            parts = tuple(value for _, value in sample.items)
        case _:
            parts = ()
    return any(isinstance(part, ex.Constant) and part.value is None for part in parts)
