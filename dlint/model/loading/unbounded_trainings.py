"""Trainers of Hugging Face whose data have no length, and that are told no number of steps.

Question: where would `max_steps` have to be given? Followed are configurations to the calls that
make them. Silent where a configuration is not known, or may be changed after it was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, calls_to
from dlint.analyses.control.path_tests import can_run
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.hugging_face import SETTERS
from dlint.model.loading.hugging_face import Data, Training, configurations, kind_of_data, trainings
from dlint.model.loading.loader_conflicts import expects_error
from dlint.semantics.values.conditional_value import ConditionalValue
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Instance, Value

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext


class UnboundedTraining(NamedTuple):
    """A trainer that is given a stream and no number of steps."""

    place: Place
    """Where `max_steps` would have to be given: the trainer's configuration, or the trainer."""
    trainer: str | None
    trainer_place: Place
    data_place: Place | None
    """Where the trainer is given the stream."""


def unbounded_trainings(context: AnalysisContext) -> Iterator[UnboundedTraining]:
    """The trainers whose data have no length, by configurations that leave `max_steps` at -1."""
    for training in context[trainings]:
        if expects_error(training.call.statement) or not can_run(context, training.call):
            continue
        for place in _open_places(context, training):
            made = context.place_of(training.call)
            given = training.given.place("train_dataset")
            yield UnboundedTraining(place, training.call.name, made, given)


def _open_places(context: AnalysisContext, training: Training) -> Iterator[Place]:
    """Where `max_steps` would have to be given; nothing where it may be, or data have a length."""
    data = training.given.located("train_dataset")
    if data is None or kind_of_data(context, *data) is not Data.STREAM:
        return
    given = training.given.located("args")
    if given is None:
        if not training.given.may_be_given("args"):
            yield context.place_of(training.call)
        return
    made = configurations(context, *given)
    if made and all(_leaves_open(context, one) for one in made):
        yield from (Place(f.scope.module.path, *call.span) for call, f in sorted(made, key=_start))


def _start(made: Located) -> tuple[str, int]:
    return made[1].scope.module.path, made[0].span[0]


def _leaves_open(context: AnalysisContext, made: Located) -> bool:
    """Whether a configuration is certainly made, and left, without a number of steps."""
    call, frame = made
    assert isinstance(call, ex.Call)
    given = bind(context, call, frame=frame).alternatives("max_steps")
    return all(map(_is_open, given)) and not _is_changed(context, call)


def _is_open(alternative: ConditionalValue) -> bool:
    number = alternative.constant
    if alternative.is_absent:
        return True
    return isinstance(number, int | float) and number <= 0 and alternative.assumed is None


def _is_changed(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether something may write `max_steps` after the configuration was made."""
    if any(calls_anywhere(context, *SETTERS)):
        return True
    targets = [(s.target.value, s.scope) for s in context.project.writing("max_steps")]
    for setting in calls_to(context, "builtins.setattr"):
        first, name = written(setting, 0), ex.constant(written(setting, 1))
        if first is not None and (name is None or name.value == "max_steps"):
            targets.append((first, setting.scope))
    return any(_may_be(v, call) for target in targets for v in context.values(*target))


def _may_be(value: Value, call: ex.Call) -> bool:
    match value:
        case AllocationSite():
            return value.call is call
        case Instance():
            return value.cls.name == call.name
    return value == UNKNOWN
