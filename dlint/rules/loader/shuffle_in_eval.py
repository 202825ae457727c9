"""shuffle-in-eval: a random order where nothing is learned from the order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.loading.call_contexts import used
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_asked_by_nobody, only_evaluates
from dlint.model.loading.shared_arguments import trained_alike
from dlint.model.loading.smoke_tests import evaluates_untrained
from dlint.model.loading.trainer_epochs import may_be_cut_short
from dlint.model.loops.own_keys import keeps_by_own_keys
from dlint.model.loops.positional_matches import matched_by_position
from dlint.model.loops.reproducible import is_seeded_before
from dlint.model.samples.sample_order import ignores_indices
from dlint.model.transfers.host_batches import asks_no_model
from dlint.model.worth.volume import volume_of
from dlint.rules.loader._chosen import Chosen, chosen
from dlint.rules.loader._evaluated import (
    is_asked_for,
    is_plain,
    is_shared,
    made_for_phases,
    related,
    told,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader

_MESSAGE = (
    "this DataLoader is only evaluated, and `shuffle=True` gives its samples another order in "
    "each pass: a metric summed over samples stays the same, but one that is computed per batch "
    "does not, and outputs cannot be matched with samples or with an earlier run; {mend}"
)

_MATCHED = (
    "this DataLoader is only evaluated, `shuffle=True` gives its samples another order than the "
    "data has, and its outputs are matched with that data by position: each belongs to another "
    "sample; {mend}"
)


_SHARED = (
    "one function makes a DataLoader to train on and one that is only evaluated, both with "
    "`shuffle=True`: the evaluation goes through its samples in another order in each pass, and "
    "outputs cannot be matched with samples or with an earlier run; shuffle for training alone"
)

_PHASES = (
    "the loaders of all phases get `shuffle=True`, and {phases} only evaluated: the evaluation "
    "goes through its samples in another order in each pass, and outputs cannot be matched with "
    "samples or with an earlier run; shuffle for training alone"
)

_ALIKE = (
    "this DataLoader is only evaluated, and gets the `shuffle` of the DataLoader that trains: "
    "where that shuffles, the evaluation goes through its samples in another order in each pass, "
    "and outputs cannot be matched with samples or with an earlier run; leave `shuffle` out"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that shuffle, and that only evaluation loops read to the end."""
    for found in chosen(context, "shuffle", _is_wanting):
        matched = next((p for x in found.loaders if (p := matched_by_position(x))), None)
        if matched is None and (all(map(_is_harmless, found.loaders)) or not is_plain(found)):
            continue
        yield _finding(found, matched)
    for loader, phases in made_for_phases(context, "shuffle"):
        if not ignores_indices(loader) and not _is_harmless(loader):
            message, at = _PHASES.format(phases=phases), loader.argument_place("shuffle")
            yield Finding(Severity.INFO, message, loader.place, argument=at)
    yield from _with_the_flag_of_training(context)


def _with_the_flag_of_training(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that get `shuffle` by the same expression as one that trains, if that may shuffle."""
    for group in context[Loaders].told():
        loaders = used(group)
        first = loaders[0] if loaders else None
        trained = None if first is None else trained_alike(first, "shuffle")
        if first is None or trained is None or not all(map(_may_shuffle, loaders)):
            continue
        if evaluates_untrained(context, first.place) or all(map(_is_harmless, loaders)):
            continue
        beside = (Related(trained.place, "this loader trains, and gets the same `shuffle`"),)
        at = first.argument_place("shuffle")
        yield Finding(Severity.INFO, _ALIKE, first.place, beside, argument=at)


def _may_shuffle(loader: Loader) -> bool:
    """Whether a value of an option or a setting, or one that nobody knows, lets a loader shuffle
    that is only evaluated."""
    given = loader.argument("shuffle")
    is_open = any(a.is_true or a.is_unknown for a in given) and not is_asked_for(loader, "shuffle")
    return is_open and _is_evaluated_whole(loader)


def _finding(found: Chosen, matched: Place | None) -> Finding:
    severity, message, beside = Severity.INFO, _MESSAGE, related(found)
    if matched is not None:
        severity, message = Severity.WARNING, _MATCHED
        matches = "outputs are matched with the samples by position here"
        beside = (Related(matched, matches), *beside)
    message = told(found, _SHARED if is_shared(found) else message)
    fix = _fix(found.loaders[0]) if found.is_decided_there else None
    return Finding(severity, message, found.place, beside, fix, found.argument_place)


def _is_wanting(loader: Loader) -> bool:
    return is_asked_for(loader, "shuffle") and _is_evaluated_whole(loader)


def _is_evaluated_whole(loader: Loader) -> bool:
    """Whether a loader is only evaluated, to its end, and its order is one of its samples."""
    if not loader.is_made:
        return False
    if any(loop.stops_early for loop in loader.loops) or may_be_cut_short(loader):
        return False
    if ignores_indices(loader) or volume_of(loader).has_one_sample:
        return False
    return only_evaluates(loader) and not is_asked_by_nobody(loader)


def _is_harmless(loader: Loader) -> bool:
    """Whether the function of each loop seeds torch before it, so that every pass is the same, or
    keeps what comes out by what the samples carry, or pairs its batches with others, or nothing
    comes out, as no model is asked.
    """
    if (
        asks_no_model(loader)
        or keeps_by_own_keys(loader)
        or any(loop.is_paired for loop in loader.loops)
    ):
        return True
    return bool(loader.loops) and all(map(is_seeded_before, loader.loops))


def _fix(loader: Loader) -> Fix | None:
    """Leave the order as it is, where the call itself asks for another."""
    if loader.written("shuffle") is None:
        return None
    operation = RemoveArgument(loader.place, "shuffle", loader.position("shuffle"), "False")
    return Fix(Applicability.UNSAFE, "Evaluate in order", (operation,))
