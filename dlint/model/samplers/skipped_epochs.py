"""Epochs that are set only where a test holds, of samplers that are made where it does not, too.

Question: may a run make a sampler, and pass by the one call that sets its epoch. Followed: the
tests around both, up to the function from which both are reached by the only known calls. Given up
on: functions that several calls enter, and tests that ask for more than an attribute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.call_paths import DEEP
from dlint.analyses.control.completions import constant_truth
from dlint.analyses.control.path_tests import PathTest, tests_of_call
from dlint.ir import expressions as ex
from dlint.model.data.unseeded_programs import files_run_with

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.samplers.distributed_samplers import Sampler
    from dlint.model.samplers.epoch_setters import EpochSetter

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
    ways = _ways_from_common(setter, sampler)
    if ways is None or not _is_always_made(sampler, ways[1]):
        return None
    around = (test for call in ways[0] for test in tests_of_call(call))
    tests = [one for one in around if constant_truth(one.test) is None]
    name = ex.dotted(tests[0].test) if len(tests) == 1 else None
    if name is None or not _may_fail(setter, tests[0]):
        return None
    return Skipped(setter.place, name)


_Way = list[ex.Call]


def _ways_from_common(setter: EpochSetter, sampler: Sampler) -> tuple[_Way, _Way] | None:
    """The calls from one function down to the setting and to the making of a sampler."""
    context, made = sampler.context, sampler.made
    setting = _way_to(context, [setter.call])
    making = _way_to(context, [made.call, *(f.call for f in made.frame.chain() if f.call)])
    makers = [call.scope for call in making]
    for count, call in enumerate(setting, 1):
        if call.scope in makers:
            return setting[:count], making[: makers.index(call.scope) + 1]
    return None


def _way_to(context: AnalysisContext, known: _Way) -> _Way:
    """Some calls, and those that lead to them, as long as each function has one known caller."""
    way = [*known]
    while len(way) <= DEEP and way[-1].scope.kind != "module":
        callers = callers_of(context, way[-1].scope)
        if len(callers) != 1:
            break
        way.append(callers[0])
    return way


def _is_always_made(sampler: Sampler, way: _Way) -> bool:
    """Whether each run that comes to the end of a way makes it, with ranks that it is told."""
    tests = (test for call in way for test in tests_of_call(call))
    certain = all(constant_truth(one.test) is one.truth for one in tests)
    return certain and all(sampler.given(name) is not None for name in _RANKS)


def _may_fail(setter: EpochSetter, test: PathTest) -> bool:
    """Whether the project writes False to the attribute that a test asks for."""
    if not isinstance(test.test, ex.Attribute) or not test.truth:
        return False
    _load_writers(setter, test.test.name)
    written = setter.context.project.writing(test.test.name)
    values = (ex.constant(store.value) for store in written)
    return any(value is not None and value.value is False for value in values)


def _load_writers(setter: EpochSetter, attribute: str) -> None:
    """Load the files that run with a setter and may write an attribute."""
    project, path = setter.context.project, setter.module.path
    writes = re.compile(rb"\.%b\b[^\n]*=" % re.escape(attribute.encode()))
    for other in files_run_with(setter.context, {path}):
        if project.says(other, writes):
            project.load(other)
