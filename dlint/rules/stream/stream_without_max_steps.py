"""stream-without-max-steps: trainers that are given a stream, and not how many steps to take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, calls_to
from dlint.analyses.control.path_tests import can_run
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.hugging_face import SETTERS
from dlint.model.hugging_face import Data, Training, configurations, kind_of_data, trainings
from dlint.model.loader_conflicts import expects_error
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Instance, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Trainers whose data have no length, by configurations that leave `max_steps` at -1."""
    reported: set[Place] = set()
    for training in context[trainings]:
        if expects_error(training.call.statement) or not can_run(context, training.call):
            continue
        for place in _unbounded(context, training):
            if place not in reported:
                reported.add(place)
                yield _finding(context, training, place)


def _finding(context: AnalysisContext, training: Training, place: Place) -> Finding:
    made = context.place_of(training.call)
    given = training.given.place("train_dataset")
    related = [Related(given, "the data are a stream")] if given is not None else []
    if made != place:
        related.insert(0, Related(made, "the trainer is made here"))
    return Finding(
        Severity.ERROR,
        f"`{training.call.name}` raises ValueError when it is made: its training data are a "
        "stream without a length, so epochs do not say when to stop, and `max_steps` is not set; "
        "pass `max_steps=…`",
        place,
        tuple(related),
    )


def _unbounded(context: AnalysisContext, training: Training) -> Iterator[Place]:
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
    value = alternative.value
    if value == ABSENT:
        return True
    number = value.value if isinstance(value, Literal) else None
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
