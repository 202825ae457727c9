"""Draws by which a data set of the project changes its own samples.

Question: does `__getitem__` of the object that one call makes, or what it calls, certainly cut,
turn, shift or flip a sample by a number that it draws? Followed: a number that bounds a slice of
what is no attribute of the data set, that functions of torchvision and the like are given, and a
test of it that decides whether a sample is changed; tests on the way that the object's attributes
decide as they were made, and those of a sample's size; and that what is changed goes into what
`__getitem__` returns. Given up on: draws that are made in loops or for each element, that choose
another sample, probabilities and tests that are not known, and data sets whose code seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import is_call_to
from dlint.analyses.control.path_tests import handles_exception
from dlint.analyses.guards import on_way
from dlint.analyses.object_state.made_objects import MadeObject
from dlint.analyses.object_state.sample_access import BY_INDEX
from dlint.analyses.result_parts import parts_made_of, results
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Match
from dlint.library_facts.seeding import EVERYTHING, SEEDERS
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.samples.chances import Chances, comes_of, is_drawn
from dlint.model.samples.drawn_tasks import (
    is_asked_for,
    is_beside_original,
    is_kept_by_chance,
)
from dlint.model.samples.random_transforms import is_in_rounds, is_noise, makes_views
from dlint.model.samples.sample_changes import changes_sample
from dlint.model.workers.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.file_data import Guard
    from dlint.findings.places import Place
    from dlint.model.data.dataset_origins import Origin
    from dlint.semantics.calls.call_contexts import CallContext

_SEEDING = SEEDERS.keys() | EVERYTHING


class OwnDrawing(NamedTuple):
    """A draw by which an object changes each of its samples.

    `applied`: where its `__getitem__` asks for that. `switches` are the attributes that let it
    draw, `settings` all that tests of what it draws rest on. `beside_original`: the sample holds
    what is changed as it was, too, so that undoing the change is what is learnt. `by_size`: a test
    of the sample's size decides whether it draws.
    """

    made: MadeObject
    place: Place
    applied: Place
    switches: tuple[str, ...]
    settings: tuple[str, ...]
    beside_original: bool
    by_size: bool


def own_drawing(
    context: AnalysisContext, origin: Origin, left: Mapping[str, Located] | None = None
) -> OwnDrawing | None:
    """Where the code of a data set draws by what it changes each sample; None where it may not.

    `left`: what is left in its attributes from outside, once it is made.
    """
    cls = context[DatasetOrigins].project_class(origin)
    if cls is None:
        return None
    entries = [e for e in context[WorkerCode].of_class(cls) if e.role in BY_INDEX]
    calls = [called for entry in entries for called in entry.calls()]
    if any(is_call_to(context, call, _SEEDING) for call, _ in calls):
        return None
    made = MadeObject(context, cls, origin.call, origin.frame, left)
    found = [drawing for call, frame in calls for drawing in _drawn(context, made, call, frame)]
    return min(found, key=lambda drawing: (drawing.by_size, drawing.beside_original), default=None)


def _drawn(
    context: AnalysisContext, made: MadeObject, call: ex.Call, frame: CallContext
) -> Iterator[OwnDrawing]:
    """What one call draws, if it changes each sample that is taken of the object."""
    if not is_drawn(context, call) or is_noise(call):
        return
    activations = (frame, *(outer.caller for outer in frame.chain() if outer.caller is not None))
    calls = (call, *(outer.call for outer in frame.chain() if outer.call is not None))
    if not all(map(made.runs, activations)) or not all(map(_is_once, calls)):
        return
    if any(map(makes_views, calls[1:])) or is_asked_for(context, call):
        return
    chances, guards = Chances(context, made), list(on_way(frame, call.span))
    open_ = [guard for guard in guards if not chances.may_come_out(guard)]
    if not all(map(chances.asks_for_size, open_)):
        return
    switches = _switches(made, guards)
    if not changes_sample(context, chances, call, frame, switched=bool(switches)):
        return
    reached = zip(calls[1:], activations[1:], strict=True)
    if all(c in parts_made_of(a.scope, results(a.scope)) for c, a in reached):
        beside = is_kept_by_chance(call) or any(map(is_beside_original, calls[1:]))
        place, applied = context.place_of(call), context.place_of(calls[-1])
        settings = _settings(made, call, frame, guards)
        yield OwnDrawing(made, place, applied, switches, settings, beside, bool(open_))


def _switches(made: MadeObject, guards: list[Guard]) -> tuple[str, ...]:
    """The attributes that tests rest on which the object decides as it was made."""
    decided = [guard for guard in guards if made.outcome(guard.test, guard.frame) is not None]
    names = (name for g in decided for name in made.attributes_behind(g.test, g.frame))
    return tuple(dict.fromkeys(names))


def _settings(
    made: MadeObject, call: ex.Call, frame: CallContext, guards: list[Guard]
) -> tuple[str, ...]:
    """The attributes that the tests on the way rest on, and those of what the call draws."""
    asked = [(guard.test, guard.frame) for guard in guards]
    branches = (s for s in walk.statements(call.scope.body) if isinstance(s, If))
    asked += [(branch.test, frame) for branch in branches if comes_of(branch.test, call)]
    return tuple(dict.fromkeys(name for one in asked for name in made.attributes_behind(*one)))


def _is_once(call: ex.Call) -> bool:
    """Whether no loop makes a call again, and it is made where nothing failed."""
    outer = walk.ancestors(call.statement)
    matched = any(isinstance(statement, Match) for statement in outer)
    return not (matched or is_in_rounds(call) or handles_exception(call.statement))
