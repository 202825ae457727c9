"""Data sets of which one part trains and another is only evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, Question, Slice
from dlint.analyses.call_graph import callers_of
from dlint.analyses.guards import results_by_tests
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Loop
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.model.data.dataset_origins import DatasetOrigins, Origin
from dlint.model.data.split_attributes import whole_assignments
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.phase_loaders import evaluated_phases
from dlint.model.loading.roles import is_only_evaluated
from dlint.model.samples.applied_transforms import applied_transforms
from dlint.model.samples.own_augmentations import own_drawing
from dlint.model.samples.random_transforms import drawing, is_in_rounds
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, ClassObject, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Scope, Statement
    from dlint.model.data.dataset_origins import Assigned
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_Calls = frozenset[ex.Call] | None


class SharedData(NamedTuple):
    """A data set of which one part trains and another is only evaluated."""

    whole: Origin
    trains: Loader
    evaluates: Loader
    place: Place


def shared_data(context: AnalysisContext) -> list[SharedData]:
    """The data sets that a training loader and one that only evaluates take parts of."""
    wholes: dict[Origin, list[tuple[Loader, Origin]]] = {}
    for loaders in context[Loaders].by_call().values():
        for loader in loaders:
            for whole, part in _taken(context, loader):
                wholes.setdefault(whole, []).append((loader, part))
    found = (_shared(context, whole, taken) for whole, taken in wholes.items())
    return [*(one for one in found if one is not None), *_by_phase(context)]


def _by_phase(context: AnalysisContext) -> Iterator[SharedData]:
    """Data sets whose parts one call gives loaders for all phases: `{phase: DataLoader(part)}`."""
    origins = context[DatasetOrigins]
    for loader in (x for loaders in context[Loaders].by_call().values() for x in loaders):
        given = loader.given("dataset") if loader.trains and evaluated_phases(loader) else None
        parts = None if given is None else origins.parts(*given)
        found = [origins.whole(part) for part in parts or ()]
        wholes = {whole for one in found for whole in one or ()}
        if parts and None not in found and len(wholes) == 1:
            (whole,) = wholes
            place = context.place_of(next(iter(parts)).call) if len(parts) == 1 else loader.place
            if _is_for_all(context, loader, whole):
                yield SharedData(whole, loader, loader, place)


def _is_for_all(context: AnalysisContext, loader: Loader, whole: Origin) -> bool:
    """Whether the rounds that make a loader for each phase make no data set for each of them."""
    of_whole = _way_to(whole.call, whole.frame)
    of_loader = _way_to(loader.call, loader.made.frame)
    rounds = next((call for call in of_loader if is_in_rounds(call)), None)
    further = (call for call in of_whole if call not in of_loader)
    if rounds in of_whole or any(map(is_in_rounds, further)):
        return False
    made, asked = whole.call.scope, loader.call.scope
    known = whole.frame.call is not None or made is asked or made.kind == "module"
    of_one = made.owner is not None and made.owner is asked.owner
    return known or of_one or _is_entered_once(context, made)


def _is_entered_once(context: AnalysisContext, scope: Scope) -> bool:
    """Whether one call alone leads to a function, and to the one that makes it, in no rounds.

    Whoever runs the outermost function runs both that and what it does with the result.
    """
    seen: set[Scope] = set()
    while scope.kind == "function" and scope not in seen:
        calls = callers_of(context, scope)
        if len(calls) != 1 or is_in_rounds(calls[0]):
            return bool(seen) and not calls
        seen.add(scope)
        scope = calls[0].scope
    return scope.kind == "module"


def _way_to(call: ex.Call, frame: CallContext) -> list[ex.Call]:
    """A call, and those that lead to it, as far as activations are told apart."""
    return [call, *(outer.call for outer in frame.chain() if outer.call is not None)]


def _taken(context: AnalysisContext, loader: Loader) -> Iterator[tuple[Origin, Origin]]:
    """The data sets of which a loader takes a part, each with the part."""
    origins = context[DatasetOrigins]
    for part in origins.of_loader(loader) or ():
        if origins.is_part(part):
            yield from ((whole, part) for whole in origins.whole(part) or ())
        elif all(a.value not in (ABSENT, NONE) for a in loader.argument("sampler")):
            yield part, part


def _shared(
    context: AnalysisContext, whole: Origin, taken: list[tuple[Loader, Origin]]
) -> SharedData | None:
    training = [(loader, part) for loader, part in taken if loader.trains]
    evaluated = [
        (loader, part)
        for loader, part in taken
        if is_only_evaluated(loader) and loader.is_iterated and _is_of(context, loader, whole)
    ]
    for loader, part in evaluated:
        for other, of in training:
            apart = other.call is not loader.call or other.made != loader.made
            if apart and (part != of or part == whole):
                by_sampler = part == whole
                place = loader.place if by_sampler else context.place_of(part.call)
                return SharedData(whole, other, loader, place)
    return None


def _is_of(context: AnalysisContext, loader: Loader, whole: Origin) -> bool:
    """Whether all that a loader may read are parts of one data set, or it itself."""
    origins = context[DatasetOrigins]
    found = origins.of_loader(loader) or ()
    return all(part == whole or whole in (origins.whole(part) or ()) for part in found)


def written_for_one_part(
    context: AnalysisContext, data: SharedData, written: list[Assigned]
) -> Place | None:
    """The write that decides for both parts, where each was to have a transform of its own.

    Of one that a function makes for what it is given, the call that comes last.
    """
    calls = _by_calls(context, data, written[0]) if len(written) == 1 else []
    if calls:
        return _last_call(context, data, written[0], calls)
    replaced = any(a.name == "dataset" for a in whole_assignments(context, data.whole))
    looped = any(any(walk.enclosing_loops(a.statement)) for a in written)
    looped = looped and not _are_together(written)
    last = written[-1]
    if rounds := _rounds_of(last):
        alone = len(written) == 1 and not replaced and not _is_tested(data.whole, last)
        return last.place if alone and _set_in_turn(context, last, rounds) else None
    if replaced or looped or len({a.scope for a in written}) > 1 or _is_tested(data.whole, last):
        return None
    if not _is_by_part(context, last):
        return None
    before = _made_with(context, data.whole, last)
    if last.name not in TRANSFORM_ARGUMENTS and not before:
        return None
    own = (last.value, context.solver.root(last.scope))
    others = [*((a.value, context.solver.root(a.scope)) for a in written), *before]
    differ = any(_is_another(context, one, own) for one in others)
    draws = drawing(context, *own)
    return last.place if differ or draws is not None else None


def _rounds_of(written: Assigned) -> list[Loop]:
    """The loops that go through the parts to write to, or through the names of these."""
    loops = walk.enclosing_loops(written.statement)
    return [loop for loop in loops if _is_brought(loop, written.owner)]


def _is_brought(loop: Loop, expression: ex.Expression) -> bool:
    """Whether it is what each round brings, a part or an attribute of that, or an item by it."""
    match made := origin_of(expression):
        case ex.Attribute() | ex.Item():
            return _is_brought(loop, made.value)
        case ex.Subscript():
            return _is_brought(loop, made.value) or _is_brought(loop, made.index)
        case ex.Element():
            return made.iterable is loop.iterable
    return False


def _set_in_turn(context: AnalysisContext, written: Assigned, rounds: list[Loop]) -> bool:
    """Whether each round of a loop sets another transform by another part, and does no more.

    So nothing can read a sample before the last round has set its transform for all parts.
    """
    owner = origin_of(written.owner)
    by_part = isinstance(owner, ex.Attribute) and owner.name == "dataset"
    plain = all(_sets_attributes(s) for loop in rounds for s in loop.body.statements)
    if not (by_part and plain and written.name in TRANSFORM_ARGUMENTS):
        return False
    values = context.solver.values(written.value, context.solver.root(written.scope))
    parts = [part for part in parts_in_function(written.value) if isinstance(part, ex.Element)]
    return len(values) > 1 and any(_is_brought(loop, part) for loop in rounds for part in parts)


def _sets_attributes(statement: Statement) -> bool:
    """Whether it does nothing but write to attributes of objects."""
    stores = statement.stores if isinstance(statement, Bind) else ()
    plain = isinstance(statement, Bind) and not statement.definitions
    return plain and all(isinstance(store.target, ex.Attribute) for store in stores)


def _is_tested(whole: Origin, written: Assigned) -> bool:
    """Whether a test may leave a write out where the data set is made that it is to."""
    beside = whole.call.scope is written.scope
    of_whole = set(walk.tests(whole.call.statement)) if beside else set()
    return not of_whole.issuperset(walk.tests(written.statement))


def _is_another(context: AnalysisContext, one: Located, own: Located) -> bool:
    """Whether a transform is not the one that is set, nor none: made elsewhere, or by other tests.

    Where one function makes both, what its calls return is asked by what each of them gives it.
    """
    values, last = (context.solver.values(*located) for located in (one, own))
    if values <= {NONE}:
        return False
    made, last_made = (Slice(context, _MAKING).of(*located) for located in (one, own))
    return values != last or bool(made and last_made and made.isdisjoint(last_made))


def _joined(found: Sequence[_Calls]) -> _Calls:
    known = [one for one in found if one is not None]
    return frozenset[ex.Call]().union(*known) if len(known) == len(found) else None


def _making(slice_: Slice[_Calls], call: ex.Call, frame: CallContext) -> _Calls:
    """The calls of libraries and classes that make what a call gives, by the tests on the way."""
    found = slice_.context.solver.values(call.function, frame)
    if found and all(isinstance(value, ClassObject | External) for value in found):
        return frozenset({call})
    return slice_.joined(results_by_tests(slice_.context, call, frame))


_MAKING = Question[_Calls](None, _joined, {ex.Call: _making})


def _made_with(context: AnalysisContext, whole: Origin, last: Assigned) -> list[Located]:
    """What a data set is made with as a transform, or as the switch of what it draws itself."""
    applied = applied_transforms(context, whole)
    found = [(a.value, a.frame) for a in applied if a.attribute == last.name]
    if found:
        return found
    left = {last.name: (last.value, context.solver.root(last.scope))}
    for own in (own_drawing(context, whole), own_drawing(context, whole, left)):
        if own is not None and last.name in own.switches:
            return own.made.kept(last.name)
    return []


def _by_calls(context: AnalysisContext, data: SharedData, assigned: Assigned) -> list[CallContext]:
    """The calls of a function that writes to what each of them gives it, in their order."""
    origins, owner = context[DatasetOrigins], origin_of(assigned.owner)
    part = origin_of(owner.value) if isinstance(owner, ex.Attribute) else None
    if not isinstance(part, ex.Parameter) or assigned.scope.kind != "function":
        return []
    frames = [
        frame
        for frame in context.evaluator.callers(assigned.scope)
        if any(o.call is data.whole.call for o in origins.of(assigned.owner, frame) or ())
    ]
    calls = [frame for frame in frames if frame.call is not None]
    calls.sort(key=lambda frame: (0, 0) if frame.call is None else frame.call.span)
    return calls if len(calls) > 1 else []


def _last_call(
    context: AnalysisContext, data: SharedData, assigned: Assigned, frames: list[CallContext]
) -> Place | None:
    """The last of some calls in one function that each set the attribute for another part."""
    calls = [frame.call for frame in frames if frame.call is not None]
    replaced = any(a.name == "dataset" for a in whole_assignments(context, data.whole))
    apart = len({call.scope for call in calls}) > 1 or any(walk.tests(assigned.statement))
    chosen = any(any(walk.tests(call.statement)) for call in calls)
    looped = any(any(walk.enclosing_loops(call.statement)) for call in calls)
    between = (s for s in walk.statements(calls[0].scope.body) if isinstance(s, Loop))
    looped = looped or any(calls[0].span < s.span < calls[-1].span for s in between)
    if replaced or apart or chosen or looped or assigned.name not in TRANSFORM_ARGUMENTS:
        return None
    set_to = [context.solver.values(assigned.value, frame) for frame in frames]
    return context.place_of(calls[-1]) if any(v != set_to[-1] for v in set_to) else None


def _are_together(written: list[Assigned]) -> bool:
    """Whether nothing but assignments stands between some writes, so that none is read before."""
    blocks = {assigned.statement.block for assigned in written}
    first, last = written[0].span, written[-1].span
    return len(blocks) == 1 and all(
        isinstance(statement, Bind)
        for block in blocks
        for statement in block.statements
        if first[0] <= statement.span[0] <= last[1]
    )


def _is_by_part(context: AnalysisContext, assigned: Assigned) -> bool:
    """Whether it is written by way of a part: `part.dataset.transform = …`.

    Not by one of several parts: which of them it is may differ from time to time.
    """
    owner = origin_of(assigned.owner)
    if not isinstance(owner, ex.Attribute) or owner.name != "dataset":
        return False
    root = context.solver.root(assigned.scope)
    return context[DatasetOrigins].of(owner.value, root) is not None
