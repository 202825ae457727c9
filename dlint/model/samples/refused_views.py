"""Arrays that run backwards and come to torch, which refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward_views import Reversal, reversals
from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, library_callees
from dlint.analyses.control.path_tests import is_tried
from dlint.findings.places import Place
from dlint.library_facts import strides as known
from dlint.model.data.datasets import dataset_classes
from dlint.model.samples.collation import converts_by_default, takes_samples_of
from dlint.model.samples.composed import stages
from dlint.model.samples.sample_parts import sample_parts

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext


class Refused(NamedTuple):
    """A reversed view that torch is given, and where; in words, who raises."""

    reversal: Reversal
    place: Place
    by: str

    @property
    def view(self) -> Place:
        """Where the view is made."""
        return Place(self.reversal.frame.scope.module.path, *self.reversal.flip.span)


def refused_views(context: AnalysisContext) -> Iterator[Refused]:
    """The views that run backwards and come to torch without a copy."""
    yield from _by_calls(context)
    yield from _by_transforms(context)
    yield from _by_collation(context)


def _by_calls(context: AnalysisContext) -> Iterator[Refused]:
    """What torch and torchvision are given directly, in each activation that is told apart."""
    applied: dict[Scope, list[CallContext]] = {}
    for stage in context[stages]:
        for frame in stage.activations:
            applied.setdefault(frame.scope, []).append(frame)
    for call in calls_to(context, *known.REFUSING):
        path = next(p for p in library_callees(context, call) if p in known.REFUSING)
        array = bind(context, call, known.REFUSING[path]).get(known.REFUSING[path])
        if array is None or is_tried(call.statement):
            continue
        for frame in (context.solver.root(call.scope), *applied.get(call.scope, ())):
            for reversal in reversals(context, array, frame):
                if reversal.is_array or path in known.ONLY_ARRAYS:
                    yield Refused(reversal, context.place_of(call), f"`{_short(path)}`")


def _short(path: str) -> str:
    root, _, rest = path.partition(".")
    return path if root == "torch" else rest.rpartition(".")[2]


def _by_transforms(context: AnalysisContext) -> Iterator[Refused]:
    """What torchvision's transforms get, one behind the other."""
    for stage in context[stages]:
        if stage.path not in known.REFUSING_TRANSFORMS:
            continue
        for array, frame in stage.inputs:
            for reversal in reversals(context, array, frame):
                if reversal.is_array:
                    place = Place(frame.scope.module.path, *array.span)
                    yield Refused(reversal, place, f"`{_short(stage.path)}`")


def _by_collation(context: AnalysisContext) -> Iterator[Refused]:
    """What samples hold that torch makes batches of."""
    for dataset in context[dataset_classes]:
        loaders = [x for x in dataset.own_loaders if converts_by_default(x)]
        loader = next((x for x in loaders if takes_samples_of(x, dataset.cls)), None)
        method = context.solver.classes.method(dataset.cls, "__getitem__")
        if loader is None or method is None:
            continue
        for part, frame in sample_parts(context, method):
            for reversal in reversals(context, part, frame):
                if reversal.is_array:
                    yield Refused(reversal, loader.place, "torch's default collate function")
