"""Draws by which a data set of the project changes its own samples.

Question: does `__getitem__`, or what it calls, certainly cut, turn or shift each sample by a number
that it draws? Followed: a number that bounds a slice of what is no attribute of the data set, that
functions of torchvision and the like are given, and a test of it that decides whether a sample is
changed. Given up on: draws that are not made for each sample, that choose another sample, that are
made for each element, probabilities that are no written number, and data sets whose code seeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.object_state.sample_access import BY_INDEX
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, If
from dlint.library_facts.random_transforms import changes_by_argument
from dlint.library_facts.seeding import EVERYTHING, SEEDERS, drawn_by
from dlint.model.samples.random_transforms import is_noise
from dlint.model.workers.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext

_SEEDING = SEEDERS.keys() | EVERYTHING


def own_drawing(context: AnalysisContext, cls: Class) -> Place | None:
    """Where the code of a data set draws by what it changes each sample; None where it may not."""
    entries = [e for e in context[WorkerCode].of_class(cls) if e.role in BY_INDEX]
    calls = [called for entry in entries for called in entry.calls()]
    if any(is_call_to(context, call, _SEEDING) for call, _ in calls):
        return None
    own = {None, *context.solver.classes.ancestors(cls)}
    for call, frame in calls:
        if call.scope.owner not in own:
            continue  # an object that it holds draws as that was made: `random_transform` asks
        drawn = any(drawn_by(path) is not None for path in library_callees(context, call))
        for_each = drawn and not is_noise(call) and _always_runs(call, frame)
        if for_each and _changes_sample(context, call):
            return context.place_of(call)
    return None


def _always_runs(call: ex.Call, frame: CallContext) -> bool:
    around = (outer.call for outer in frame.chain() if outer.call is not None)
    return all(call_always_runs(each, each.scope.body) for each in (call, *around))


def _changes_sample(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a drawn number decides how, or whether, a sample is changed."""
    return any(
        _is_bound(part, call) or _is_given(context, part, call) or _is_choice(part, call)
        for part in walk.parts(call.scope.body)
    ) or any(
        isinstance(statement, If) and _is_decided(statement, call)
        for statement in walk.statements(call.scope.body)
    )


def _is_bound(part: ex.Expression, call: ex.Call) -> bool:
    """`wave[start:start + n]`, of what the function has of one sample."""
    if not isinstance(part, ex.Subscript) or _is_own(part.value, call.scope):
        return False
    slices = (inner for inner in walk.walk(part.index) if isinstance(inner, ex.Slice))
    return any(_comes_of(bound, call) for inner in slices for bound in inner.bounds if bound)


def _is_own(whole: ex.Expression, scope: Scope) -> bool:
    """Whether something is an attribute of the data set: all samples, perhaps."""
    origin = origin_of(whole)
    return isinstance(origin, ex.Attribute) and is_self(origin.value, scope)


def _is_given(context: AnalysisContext, part: ex.Expression, call: ex.Call) -> bool:
    """`TF.rotate(image, angle)`."""
    if not isinstance(part, ex.Call) or part is call:
        return False
    given = any(_comes_of(argument.value, call) for argument in part.arguments)
    return given and any(map(changes_by_argument, library_callees(context, part)))


def _is_choice(part: ex.Expression, call: ex.Call) -> bool:
    """`image.flip(-1) if random.random() < 0.5 else image`."""
    if not isinstance(part, ex.Conditional) or not _is_by_chance(part.test, call):
        return False
    sides = (part.then, part.otherwise)
    names = [side.name for side in sides if isinstance(side, ex.Reference)]
    return len(names) == 1 and any(
        isinstance(inner, ex.Reference) and inner.name == names[0]
        for side in sides
        if not isinstance(side, ex.Reference)
        for inner in walk.walk(side)
    )


def _is_decided(choice: If, call: ex.Call) -> bool:
    """`if random.random() < 0.5: image = image.flip(-1)`, with nothing else."""
    if choice.otherwise.statements or not _is_by_chance(choice.test, call):
        return False
    changed = [s for s in choice.then.statements if isinstance(s, Bind)]
    return len(changed) == len(choice.then.statements) > 0 and all(
        any(
            isinstance(inner, ex.Reference) and inner.name == definition.name
            for inner in walk.walk(statement.value)
        )
        for statement in changed
        for definition in statement.definitions
    )


def _is_by_chance(test: ex.Expression, call: ex.Call) -> bool:
    """Whether a drawn number alone decides a test: a probability that the object holds may be 0."""
    if not _comes_of(test, call):
        return False
    inside = {*walk.walk(call)}
    parts = [part for part in walk.walk(test) if part not in inside]
    held = (p for p in parts if isinstance(p, ex.Reference | ex.Attribute))
    return all(
        isinstance(o := origin_of(part), ex.Constant) or call in walk.walk(o) for part in held
    )


def _comes_of(expression: ex.Expression, call: ex.Call) -> bool:
    """Whether an expression, or what a local name in it is bound to, holds a call."""
    parts = list(walk.walk(expression))
    behind = (origin_of(part) for part in parts if isinstance(part, ex.Reference))
    return call in parts or any(call in walk.walk(origin) for origin in behind)
