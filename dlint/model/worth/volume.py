"""The volume of a loader: bytes and tensors of a batch, batches of an epoch, epochs.

Question: how much comes out of a loader, and how often? Each answer is a range, or None where it is
not known; what holds only by default is named in it. A batch is known where the default collate
function stacks samples of known arrays; batches are known by the length of the data set, or of a
sampler that says how many it draws; epochs by the loop around the batches that counts to a number,
one that trains where there is such. Ranks are not counted: a distributed sampler leaves the batches
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.volume.datasets import UNKNOWN_SIZE, DatasetSize, DatasetSizes
from dlint.analyses.volume.ranges import Range, exactly, joined, total
from dlint.library_facts.samplers import DISTRIBUTED, OVER_DATASET, SUBSETS, WEIGHTED
from dlint.model.loops.epochs import EpochLoop, epoch_loops, repeating_loops
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue
from dlint.semantics.values.values import (
    FALSE,
    NONE,
    TRUE,
    Literal,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_NOT_GIVEN = (ABSENT, NONE)
_COUNTING = {
    path: parameters
    for path, parameters in (OVER_DATASET | SUBSETS | WEIGHTED).items()
    if path not in DISTRIBUTED
}
"""Samplers of which it can be said how many samples an epoch draws."""


@dataclass(eq=False)
class LoaderVolume:
    """How much one loader gives."""

    loader: Loader

    @cached_property
    def data(self) -> DatasetSize:
        """The length of its data set, and the arrays of a sample."""
        sizes = self.loader.context[DatasetSizes]
        given = self.loader.given("dataset")
        if given is not None:
            return sizes.of(*given)
        values = self.loader.values("dataset")
        return sizes.any_of(values) if values else UNKNOWN_SIZE

    @property
    def tensors(self) -> int | None:
        """How many tensors a batch consists of."""
        known = self._is_stacked and self.data.sample is not None
        return len(self.data.sample) if known and self.data.sample is not None else None

    @property
    def sample_bytes(self) -> Range | None:
        """The bytes of one sample, once it is a tensor."""
        sample = self.data.sample
        return None if not sample else total(array.size for array in sample)

    @cached_property
    def batch_size(self) -> Range | None:
        """How many samples a full batch has."""
        if any(a.value not in _NOT_GIVEN for a in self.loader.argument("batch_sampler")):
            return None
        return joined(_count(a) for a in self.loader.argument("batch_size"))

    @property
    def batch_bytes(self) -> Range | None:
        """The bytes of a full batch."""
        sample, samples = self.sample_bytes, self.batch_size
        known = self._is_stacked and sample is not None and samples is not None
        return sample * samples if known and sample is not None and samples is not None else None

    @property
    def epoch_bytes(self) -> Range | None:
        """The bytes of all samples of an epoch, however many are in a batch."""
        sample, samples = self.sample_bytes, self.samples
        known = self._is_stacked and sample is not None and samples is not None
        return sample * samples if known and sample is not None and samples is not None else None

    @property
    def _is_stacked(self) -> bool:
        """Whether samples are stacked by the default collate function."""
        return all(a.value in _NOT_GIVEN for a in self.loader.argument("collate_fn"))

    @cached_property
    def batches(self) -> Range | None:
        """How many batches an epoch has."""
        samples, size = self.samples, self.batch_size
        if samples is None or size is None:
            return None
        quotient = samples / size
        if quotient is None:
            return None
        dropping = {a.value for a in self.loader.argument("drop_last")}
        if dropping <= {TRUE}:
            return quotient.floor()
        if dropping <= {ABSENT, FALSE}:
            return quotient.ceil()
        return quotient.floor() | quotient.ceil()

    @property
    def fills_batches(self) -> bool:
        """Whether the samples of an epoch are known to fall into full batches."""
        samples, size = self.samples, self.batch_size
        if samples is None or size is None or not (samples.is_exact and size.is_exact):
            return False
        return samples.low % size.low == 0

    @cached_property
    def samples(self) -> Range | None:
        """How many samples an epoch draws."""
        found = [a for a in self.loader.argument("sampler") if a.value not in _NOT_GIVEN]
        if not found:
            return self.data.length
        return joined(self._drawn_by(a.value) for a in found if not a.is_absent)

    @property
    def has_one_sample(self) -> bool:
        """Whether an epoch certainly draws one sample at most, so that there is no order."""
        samples = self.samples
        return samples is not None and samples.high <= 1 and not samples.assumed

    def _drawn_by(self, sampler: object) -> Range | None:
        """How many samples one sampler draws."""
        if not is_of_library(sampler):
            return None
        path, context = library_path(sampler), self.loader.context
        parameters = _COUNTING.get(path, ())
        passed = context.solver.passed.get(sampler)
        if not parameters or passed is None:
            return None
        number = passed.written(parameters, "num_samples")
        if number is not None and "num_samples" in parameters:
            return context[DatasetSizes].sizes.number(*number)
        first = passed.written(parameters, parameters[0])
        if first is None:
            return None
        if path in SUBSETS:
            return context[DatasetSizes].sizes.length(*first)
        return context[DatasetSizes].of(*first).length

    @cached_property
    def epochs(self) -> Range | None:
        """How often it is gone through, by the loops that train on it, or else by all."""
        loops = list(epoch_loops(self.loader)) or list(repeating_loops(self.loader))
        return joined(map(self._turns, loops))

    def _turns(self, epoch: EpochLoop) -> Range | None:
        """How often one loop goes around."""
        context = self.loader.context
        if epoch.loop.iterable is None:
            return None
        frame = context.solver.root(epoch.scope)
        return context[DatasetSizes].sizes.length(epoch.loop.iterable, frame)


def _count(alternative: ConditionalValue) -> Range | None:
    """The number that an argument is; 1 where `batch_size` is left to torch."""
    if alternative.value == ABSENT:
        return exactly(1)
    value = alternative.value.value if isinstance(alternative.value, Literal) else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return None
    return Range(value, value, () if alternative.assumed is None else (alternative.assumed,))


class _Volumes:
    """The volumes of the loaders that were asked for, each worked out once."""

    def __init__(self, _: AnalysisContext) -> None:
        self._of: dict[Loader, LoaderVolume] = {}

    def of(self, loader: Loader) -> LoaderVolume:
        """The volume of one loader."""
        return self._of.setdefault(loader, LoaderVolume(loader))


def volume_of(loader: Loader) -> LoaderVolume:
    """The volume of one loader; several rules ask for it."""
    return loader.context[_Volumes].of(loader)
