"""Data sets that certainly draw at random for each sample: by a transform, or by their own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.model.samples.applied_transforms import of_caller, random_transform
from dlint.model.samples.own_augmentations import own_drawing

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.data.dataset_origins import Origin


class RandomSamples(NamedTuple):
    """A data set that draws for each sample in `drawing`, as is asked for at `place`.

    `switches`: the attributes that let its own code draw; `is_task`: a sample holds what is changed
    as it was, too; `by_size`: it draws where a test of a sample's size lets it.
    """

    place: Place
    drawing: Place
    switches: tuple[str, ...] = ()
    is_own: bool = False
    is_task: bool = False
    by_size: bool = False
    applied: Place | None = None
    """Where its `__getitem__` asks for that, if it is its own code that draws."""


def random_samples(context: AnalysisContext, whole: Origin) -> RandomSamples | None:
    """Where a data set draws at random for each sample; None where it may not."""
    found = random_transform(context, whole)
    if found is not None:
        return RandomSamples(of_caller(context, found[0]).place, found[1])
    own = own_drawing(context, whole)
    if own is None or any(map(own.made.is_set_from_outside, own.settings)):
        return None
    place = context.place_of(whole.call) if own.switches else own.place
    return RandomSamples(
        place, own.place, own.switches, True, own.beside_original, own.by_size, own.applied
    )
