"""Samples that are pictures, sound or volumes: what is known to be large where no size is known.

Question: is anything seen that only these are made by? Followed: what is done for each sample and
by the constructor of the data set, and what data set and collate function are given: transforms of
libraries for images and sound, processors of transformers for them. Whether it is done on every
path does not matter. A few pictures or clips are no large batch, a few volumes or films are. Given
up on: arrays of files that hold anything (`.npy`, HDF5, pickles), whose
samples may be a few numbers each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlint.library_facts import sample_work as knowledge
from dlint.model.data.given_datasets import given_datasets
from dlint.model.samples.sample_kinds import gives_texts, makers
from dlint.model.samples.sample_work import (
    SampleWork,
    constructing,
    takes_samples_itself,
    works,
)
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import has_small_batches
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.values import library_path

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.worth.worth import Worth


def may_be_large(loader: Loader, worth: Worth) -> bool:
    """Whether what copies of its batches are worth may be noticed: by their bytes, where these are
    known, or by what samples are made of, where it is seen who makes them.
    """
    if worth.is_noticeable is not None:
        return worth.is_noticeable
    if worth.step is not None or worth.epoch is not None:
        return True
    if gives_texts(loader) or (has_small_batches(volume_of(loader)) and not _gives_volumes(loader)):
        return False
    return not takes_samples_itself(loader) or gives_media(loader)


def gives_media(loader: Loader) -> bool:
    """Whether samples are made of pictures, sound or volumes, as far as it is seen."""
    return any(work.is_of_media for work in _all_works(loader)) or _is_given(
        loader, knowledge.is_of_media
    )


def _gives_volumes(loader: Loader) -> bool:
    return any(work.is_of_volumes for work in _all_works(loader)) or _is_given(
        loader, knowledge.is_of_volumes
    )


def _all_works(loader: Loader) -> Iterator[SampleWork]:
    """What is done for each sample, and by the constructors of data sets."""
    yield from works(loader)
    for cls in filter(None, map(project_class, given_datasets(loader))):
        yield from constructing(loader.context, cls)


def _is_given(loader: Loader, prepares: Callable[[str], bool]) -> bool:
    """Whether data set or collate function are given what prepares pictures or sound."""
    return any(
        prepares(library_path(value))
        for name in ("dataset", "collate_fn")
        for call in makers(loader, name)
        for argument in call.arguments
        for value in loader.context.values(argument.value, call.scope)
    )
