"""Parts of samples that require grad."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.lists import listed_items
from dlint.analyses.value_parts import origin_of
from dlint.findings.places import Place
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.model.loops.gradient_flow import requires_grad
from dlint.model.loops.gradients import computed_without_gradients
from dlint.model.samples.collation import sample_sources
from dlint.model.samples.sample_parts import Located, sample_parts
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import spread
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.values.values import AllocationSite, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader


def tensors_with_gradients(loader: Loader) -> Iterator[Place]:
    """Where the samples of a loader get tensors that require grad."""
    for expression, frame in _samples(loader):
        if requires_grad(loader.context, expression, frame):
            yield Place(frame.scope.module.path, *expression.span)


def _samples(loader: Loader) -> Iterator[Located]:
    """What the samples of a loader are made of."""
    context = loader.context
    given = loader.given("dataset")
    if given is not None:
        yield given
    for value in sample_sources(loader):
        cls = attributes.project_class(value)
        if cls is not None:
            yield from _of_class(context, cls)
        else:
            yield from tensors_of(loader, value)


def _of_class(context: AnalysisContext, cls: Class) -> Iterator[Located]:
    for name in ("__getitem__", "__iter__"):
        method = context.solver.classes.method(cls, name)
        if method is None:
            continue
        for part, frame in sample_parts(context, method):
            if not computed_without_gradients(context, part.span, frame.scope):
                yield part, frame


def tensors_of(loader: Loader, value: Value) -> Iterator[Located]:
    """The tensors of a `TensorDataset`, also of a function's `*tensors` or of what one gives."""
    if not isinstance(value, AllocationSite) or library_path(value) not in TENSOR_DATASETS:
        return
    given, passed = loader.given("dataset"), loader.context.solver.passed.get(value)
    if given is not None and origin_of(given[0]) is value.call:
        passed = CallArguments.of(value.call.arguments, given[1])
    for argument, frame in () if passed is None else spread(passed).arguments:
        if argument.star == "*":
            yield from listed_items(loader.context, argument.value, frame)
        else:
            yield argument.value, frame
