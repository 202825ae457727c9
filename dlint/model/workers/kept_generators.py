"""Generators that objects of worker code keep, and who draws from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses import guards
from dlint.analyses.backward import Located, steps
from dlint.analyses.callees import is_self, method_scope, root_name
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import handles_exception
from dlint.analyses.object_state.kinds import HeldKind
from dlint.analyses.object_state.state import Held, ObjectStates
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, If, Return, Scope, Statement
from dlint.library_facts.generators import GENERATORS, RESEEDING, WORKER_FACTS
from dlint.model.data.handles import opens_own
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.worker_code import WorkerCode, parts_of
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.writes import Write
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext


_MOST = 40
"""Steps from an attribute to what it is given."""


def drawing_loaders(context: AnalysisContext, kept: Held) -> list[Loader]:
    """The loaders whose workers use the generator."""
    return list(
        dict.fromkeys(
            loader
            for entry in context[WorkerCode].entries
            if any(not x.workers_absent for x in entry.loaders) and _draws(context, entry, kept)
            for loader in entry.loaders
        )
    )


def is_drawn_alike(context: AnalysisContext, kept: Held, loader: Loader) -> bool:
    """Whether its workers draw the same numbers, and nobody may want that."""
    if loader.workers_absent or _is_alone(loader):
        return False
    if _only_evaluates(context, loader):
        return False
    initialising = context[WorkerCode].initialising(loader)
    if not initialising:
        return loader.values("worker_init_fn") <= {NONE}
    return not any(_is_seeded_by(entry, kept.attribute) for entry in initialising)


def _only_evaluates(context: AnalysisContext, loader: Loader) -> bool:
    """Whether evaluation is all that is seen of the loaders that this call makes."""
    group = context[Loaders].by_call().get(loader.call, [])
    loops = [loop for one in group for loop in one.loops]
    return not any(one.trains for one in group) and any(loop.evaluates for loop in loops)


def only_replaces(context: AnalysisContext, kept: Held, loader: Loader) -> bool:
    """Whether workers draw only what stands in for a sample that could not be made."""
    entries = (entry for entry in context[WorkerCode].entries if loader in entry.loaders)
    scopes = dict.fromkeys(frame.scope for entry in entries for frame in entry.activations)
    drawing = [
        statement
        for scope in scopes
        if _uses(context, scope, kept)
        for statement in walk.statements(scope.body)
        if _reads(statement, kept.attribute)
    ]
    return bool(drawing) and all(map(_is_second_try, drawing))


def _reads(statement: Statement, attribute: str) -> bool:
    parts = (part for one in walk.expressions(statement) for part in walk.walk(one))
    return any(isinstance(part, ex.Attribute) and part.name == attribute for part in parts)


def _is_second_try(statement: Statement) -> bool:
    """Whether it handles an error, or runs in a round of a loop that has returned nothing."""
    if handles_exception(statement):
        return True
    return any(
        isinstance(before, If) and before.span[1] <= statement.span[0] and _returns(before)
        for loop in walk.enclosing_loops(statement)
        for before in loop.body.statements
    )


def _returns(test: If) -> bool:
    """Whether one side of a test gives a result."""
    inside = (*walk.statements(test.then), *walk.statements(test.otherwise))
    return any(isinstance(s, Return) and s.value is not None for s in inside)


def _is_alone(loader: Loader) -> bool:
    """Whether one worker draws for all, as the main process would."""
    return loader.workers_present is not None and loader.workers.several is None


def kept_generators(context: AnalysisContext) -> Iterator[Held]:
    """The generators that objects of worker code keep, in the order of places.

    One may be kept by several of them.
    """
    states = context[ObjectStates]
    found: dict[tuple[Place, str, Class], Held] = {}
    for cls in _working(context):
        for held in (*states.of(cls).held(HeldKind.GENERATOR), *_given_generators(context, cls)):
            found.setdefault((held.place, held.attribute, held.owner), held)
    yield from sorted(found.values(), key=lambda h: (h.place, h.attribute, h.owner.name))


def _given_generators(context: AnalysisContext, cls: Class) -> Iterator[Held]:
    """The generators that those who make objects of a class give to its constructor.

    What makes one in worker code makes it anew there.
    """
    state = context[ObjectStates].of(cls)
    for write in state.stores:
        for call in _made_outside(context, write):
            paths = library_callees(context, call)
            what = next((GENERATORS[path] for path in paths if path in GENERATORS), None)
            own = state.entry(call.span, context.solver.root(call.scope)) is not None
            if what is not None and not own and call.scope not in context[WorkerCode].functions:
                init = write.frame.scope
                made, kept = context.place_of(call), Place(init.module.path, *write.span)
                owner, kind = init.owner or cls, HeldKind.GENERATOR
                yield Held(kind, what, write.attribute, call, made, owner, False, kept)


def _made_outside(context: AnalysisContext, write: Write) -> Iterator[ex.Call]:
    """The calls of what a constructor's parameter is given, where an attribute keeps that."""
    waiting, seen = [(write.value, write.frame)], set[Located]()
    while waiting and len(seen) < _MOST:
        located = waiting.pop()
        if located in seen:
            continue
        seen.add(located)
        value, frame = located
        if isinstance(value, ex.Call) and frame.scope is not write.frame.scope:
            yield value
        elif isinstance(value, ex.Attribute):
            waiting += _kept_before(value, frame)
        elif not isinstance(value, ex.Call):
            waiting += steps(context, value, frame)


def _kept_before(part: ex.Attribute, frame: CallContext) -> list[Located]:
    """What a function has put into an attribute of its own object, where it does that once."""
    if not is_self(part.value, frame.scope):
        return []
    stores = [s for s in frame.scope.stores if ex.spelled(s.target) == ex.spelled(part)]
    return [(stores[0].value, frame)] if len(stores) == 1 else []


def _working(context: AnalysisContext) -> dict[Class, None]:
    """The classes whose methods run in workers; where that is a base, also those derived."""
    classes: dict[Class, None] = {}
    for entry in context[WorkerCode].entries:
        for frame in entry.activations:
            owner = entry.targets.owner(frame.scope)
            if owner is not None and owner is not entry.cls:
                classes |= dict.fromkeys(context.solver.classes.descendants(owner))
            classes |= {} if owner is None else {owner: None}
    return classes


def _draws(context: AnalysisContext, entry: Entry, kept: Held) -> bool:
    """Whether workers use the generator as they got it, in the code of this entry."""
    if entry.role == "worker_init_fn" or opens_own(entry, kept.attribute):
        return False
    scopes = dict.fromkeys(frame.scope for frame in entry.activations)
    if any(map(_tells_workers_apart, scopes)):
        return False
    return any(_uses(context, scope, kept) for scope in scopes)


def _tells_workers_apart(scope: Scope) -> bool:
    return any(
        isinstance(part, ex.Reference | ex.Attribute) and part.own_name in WORKER_FACTS
        for part in parts_of(scope)
    )


def _uses(context: AnalysisContext, scope: Scope, kept: Held) -> bool:
    """Whether a method of an object with this generator reads it, and does not seed it."""
    method = method_scope(scope)
    if method is None or method.owner is None:
        return False
    if kept.owner not in context.solver.classes.family(method.owner):
        return False
    used = any(
        isinstance(part, ex.Attribute)
        and part.name == kept.attribute
        and is_self(part.value, scope)
        and not guards.is_off(context, context.solver.root(scope), part.span)
        for part in parts_of(scope)
    )
    return used and not any(_reseeds(call, kept.attribute) for call in scope.calls)


def _reseeds(call: ex.Call, attribute: str) -> bool:
    callee = call.function
    return (
        call.name in RESEEDING
        and isinstance(callee, ex.Attribute)
        and root_name(callee.value, call.scope) == f"self.{attribute}"
    )


def _is_seeded_by(entry: Entry, attribute: str) -> bool:
    """Whether a `worker_init_fn` does something about the generator."""
    return any(
        isinstance(part, ex.Attribute) and part.name in (attribute, "dataset")
        for frame in entry.activations
        for part in parts_of(frame.scope)
    )
