"""Epochs that are set only where a test holds, of samplers that are made where it does not, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import constant_truth
from dlint.analyses.control.path_tests import PathTest, tests_of_call
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.findings.places import Place
    from dlint.model.samplers.distributed_samplers import EpochSetter, Sampler

_RANKS = ("num_replicas", "rank")


class Skipped(NamedTuple):
    """The call that sets the epoch, and the test that it stands behind, as it is written."""

    place: Place
    test: str


def skipped(sampler: Sampler) -> Skipped | None:
    """The one call of `set_epoch` on a sampler, where a run may make that and pass by the call.

    `if args.distributed: sampler.set_epoch(epoch)` beside a sampler that is made in any case, in a
    project that somewhere writes False to `distributed`. The sampler must be told its ranks, as it
    raises without a process group else (`DistributedSampler.__init__` of
    torch/utils/data/distributed.py). None where the test is not plain.
    """
    if len(sampler.setters) != 1 or sampler.may_be_set_unseen or sampler.is_counted_by_hand:
        return None
    setter = sampler.setters[0]
    if setter.call.scope is not sampler.made.call.scope or not _is_always_made(sampler):
        return None
    tests = [one for one in tests_of_call(setter.call) if constant_truth(one.test) is None]
    name = ex.dotted(tests[0].test) if len(tests) == 1 else None
    if name is None or not _may_fail(setter, tests[0]):
        return None
    return Skipped(setter.place, name)


def _is_always_made(sampler: Sampler) -> bool:
    """Whether each run of its function makes it, with ranks that it is told."""
    tests = tests_of_call(sampler.made.call)
    certain = all(constant_truth(one.test) is one.truth for one in tests)
    return certain and all(sampler.given(name) is not None for name in _RANKS)


def _may_fail(setter: EpochSetter, test: PathTest) -> bool:
    """Whether the project writes False to the attribute that a test asks for."""
    if not isinstance(test.test, ex.Attribute) or not test.truth:
        return False
    written = setter.context.project.writing(test.test.name)
    values = (ex.constant(store.value) for store in written)
    return any(value is not None and value.value is False for value in values)
