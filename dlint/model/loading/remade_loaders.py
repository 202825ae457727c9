"""Loaders that a loop makes anew.

Question: does each round of an epoch loop make a loader, and of the same arguments? Followed: names
to what they are bound to in the round; the function that each round enters, by what it is given;
attributes that constructors alone write; data sets of the project whose constructors draw nothing;
files that are read, where rounds write none.
Given up on: other calls, but those that give one number, and names of what is resized somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.calls import certainly_calls, library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.object_state.sample_access import sample_methods
from dlint.analyses.repetition import contains
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_of, parts_gone_through, parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, If, Loop, Return, Scope, Statement
from dlint.ir.walk import bindings_of
from dlint.library_facts.checkpoints import READING
from dlint.library_facts.readers import FILE_WRITERS, INDEX_READERS, READERS
from dlint.library_facts.samplers import REORDERING
from dlint.library_facts.seeding import drawn_by
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import EpochLoop
from dlint.model.loops.given_loaders import loaders_in
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import signature_of
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.values import ClassObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_VARYING = (ex.Parameter, ex.Join, ex.Element, ex.Item, ex.Entered)
"""What a name may be bound to that is not the same in each round, or is not known here."""
_NUMBERS = frozenset({"cpu_count", "is_available", "int", "len"})
"""Names of calls that give the same number each time."""
_READERS = (INDEX_READERS | READERS.keys()) - READING
_SAVING = ("torch.save",)
_PLAIN = frozenset({"staticmethod", "classmethod", "override"})
"""Decorators that keep nothing of what a function returns."""
_SEEDED = frozenset({"torch.Generator", "torch.Generator().manual_seed"})
"""What makes a generator that always begins alike, as its seed says."""
_SORTING = frozenset({"argsort", "sort", "reverse"})


def takes_over(loader: Loader, name: str) -> bool:
    """Whether an argument is what another loader has: `pin_memory=loader.pin_memory`."""
    given = loader.given(name)
    made = None if given is None else origin_of(given[0])
    if given is None or not isinstance(made, ex.Attribute) or made.name != name:
        return False
    return bool(loaders_in(loader.context, made.value, given[1].scope))


def is_made_in(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether the call runs in each epoch, or a function that makes nothing else does."""
    scope = loader.call.scope
    here = scope is epoch.scope or scope in epoch.inside
    if epoch.makes(loader.made):
        return (here and not _is_made_once(loader, epoch)) or _is_called_for(loader, epoch)
    return _is_read_for(loader, epoch)


def _is_made_once(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether the round that makes the loader sees to it that no other does.

    `if epoch >= 50 and not unfrozen: …; unfrozen = True` holds once.
    """
    call, loop = loader.call, epoch.loop
    if call.scope is not epoch.scope:
        return False
    around = walk.ancestors(call.statement)
    tested = (s for s in around if isinstance(s, If) and contains(loop.span, s.span))
    return any(
        contains(branch.span, definition.span)
        for branch in tested
        for part in walk.walk(branch.test)
        if isinstance(part, ex.Reference)
        for definition in bindings_of(call.scope, part.name)
    )


def _is_called_for(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether the loop goes through what a function that only makes the loader returns.

    In a function that each round enters, what a test decides over may be kept for other rounds.
    """
    call = _call_of(loader, loader.call.scope, epoch) if _only_makes(loader) else None
    if call is None or not attributes.decorators(loader.call.scope) <= _PLAIN:
        return False
    return call.scope is epoch.scope or not any(walk.tests(call.statement))


def _is_read_for(loader: Loader, epoch: EpochLoop) -> bool:
    """The same of a property, which each loop over the batches asks for them."""
    scope, loop = loader.call.scope, epoch.batch_loop
    if "property" not in attributes.decorators(scope) or list(loop.loaders) != [loader.made]:
        return False
    read = (p for p in parts_gone_through(loop.iterable) if isinstance(p, ex.Attribute))
    return _only_makes(loader) and any(part.name == scope.name for part in read)


def _only_makes(loader: Loader) -> bool:
    """Whether a function makes a loader, names what that is made of, and returns it."""
    made, scope = loader.call, loader.call.scope
    parts = set(parts_in_function(made))
    return [origin_of(value) for value in scope.returns] == [made] and all(
        isinstance(statement, Return) or _names_one_of(parts, statement)
        for statement in walk.statements(scope.body)
    )


def _names_one_of(parts: set[ex.Expression], statement: Statement) -> bool:
    """Whether a statement does nothing but give one of some parts a name."""
    return isinstance(statement, Bind) and not statement.stores and statement.value in parts


def outlasts(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether one loader may serve several rounds: not where each pass makes one of its own.

    `__iter__` does, and so does a generator that makes the loader whose batches it hands on; loops
    within it may still begin that one again and again.
    """
    made = loader.made
    makers = [made.call, *(frame.call for frame in made.frame.chain() if frame.call)]
    return not any(_is_begun_anew(loader, call.scope, epoch) for call in makers)


def _is_begun_anew(loader: Loader, scope: Scope, epoch: EpochLoop) -> bool:
    """Whether a function that makes the loader is entered by each pass over what it gives."""
    if epoch.scope is scope:
        return False
    if scope.name == "__iter__" and scope.owner is not None:
        return True
    made_here = loader.context[Loaders].by_call().get(loader.call, [])
    return bool(scope.yields) and any(
        loop.scope is scope for other in made_here for loop in other.loops
    )


def is_made_alike(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether every round makes a loader of the same arguments, as far as names tell.

    An argument that is itself made by a call may be another one each time.
    """
    context, call = loader.context, loader.call
    if call.scope is epoch.scope:
        return all(_is_kept(context, a.value, call.scope, epoch.loop) for a in call.arguments)
    return all(_is_given(loader, a.value, call.scope, epoch) for a in call.arguments)


def _call_of(loader: Loader, scope: Scope, epoch: EpochLoop) -> ex.Call | None:
    """The only call that enters a function, in the epoch loop or on the way to it."""
    calls = _calls_of(loader, scope, epoch)
    return calls[0] if len(calls) == 1 else None


def _calls_of(loader: Loader, scope: Scope, epoch: EpochLoop) -> list[ex.Call]:
    """The calls that may enter a function, in the epoch loop or in a function on the way to it.

    They are those by which the loader is made, or else all of that name.
    """
    found = [
        call
        for outer in _outer(scope, epoch)
        for call in outer.calls
        if call.name == scope.name and _is_in_each(call, epoch)
    ]
    entering = [f.call for f in loader.made.frame.chain() if f.scope is scope and f.call in found]
    return entering or found


def _outer(scope: Scope, epoch: EpochLoop) -> list[Scope]:
    """The functions that may call another one on the way from the epoch loop to the batches."""
    way = [*epoch.inside, epoch.scope]
    return [way[way.index(scope) + 1]] if scope in epoch.inside else way


def _is_in_each(call: ex.Call, epoch: EpochLoop) -> bool:
    """Whether a call stands in the epoch loop, or in a function that each round enters."""
    return call.scope is not epoch.scope or epoch.loop in walk.enclosing_loops(call.statement)


def _is_kept(context: AnalysisContext, expression: ex.Expression, scope: Scope, loop: Loop) -> bool:
    """Whether an expression reads only what the loop does not write."""
    for part in _read_by(expression, loop.span):
        if isinstance(part, ex.Call) and not _gives_alike(context, part, loop.body):
            return False
        if isinstance(part, ex.Reference) and _is_changed(part.name, scope, loop):
            return False
        if isinstance(part, ex.Attribute) and _is_written(context, part):
            return False
    return True


def _read_by(expression: ex.Expression, within: Span) -> Iterator[ex.Expression]:
    """The parts of an expression; for names bound `within` to one value, those of that value."""
    waiting, seen = [expression], set[ex.Definition]()
    while waiting:
        for part in walk.walk(waiting.pop()):
            bound = part.definition if isinstance(part, ex.Reference) else None
            if (
                bound is None
                or isinstance(bound.value, _VARYING)
                or not contains(within, bound.span)
            ):
                yield part
            elif bound not in seen:
                seen.add(bound)
                waiting.append(bound.value)


def _is_changed(name: str, scope: Scope, loop: Loop) -> bool:
    """Whether a loop binds a name, or something takes things into or out of what it stands for."""
    bound = any(contains(loop.span, d.span) for d in bindings_of(scope, name))
    return bound or is_resized(name, scope.module.scopes)


def _gives_alike(context: AnalysisContext, call: ex.Call, body: Block) -> bool:
    """Whether a call gives the same number in each round, or data of the same samples."""
    if call.name in _NUMBERS or _makes_alike(context, call):
        return True
    if certainly_calls(context, call, _SEEDED):
        return True
    return certainly_calls(context, call, _READERS) and not _writes_files(context, body)


def _writes_files(context: AnalysisContext, body: Block) -> bool:
    """Whether a round writes files, other than what torch saves: one of them may be read again."""
    calls = list(calls_in(body))
    calls += [call for scope in entered_by(context, calls) for call in scope.calls]
    return any(
        call.name in FILE_WRITERS and library_callees(context, call) != _SAVING for call in calls
    )


def _makes_alike(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call makes a data set of the project, as its arguments say: nothing is drawn."""
    values = context.values(call.function, call.scope)
    classes = [value.cls for value in values if isinstance(value, ClassObject)]
    known = bool(classes) and len(classes) == len(values)
    if not known or not all(sample_methods(context, cls) for cls in classes):
        return False
    calls = (inner for scope in entered_by(context, [call]) for inner in scope.calls)
    return not any(_draws(context, inner) for inner in calls)


def _draws(context: AnalysisContext, call: ex.Call) -> bool:
    return call.name in REORDERING - _SORTING or any(
        drawn_by(path) is not None for path in library_callees(context, call)
    )


def _is_written(context: AnalysisContext, attribute: ex.Attribute) -> bool:
    """Whether an attribute of this name is written outside constructors."""
    return any(store.scope.name != "__init__" for store in context.project.writing(attribute.name))


def _is_given(
    loader: Loader,
    expression: ex.Expression,
    scope: Scope,
    epoch: EpochLoop,
) -> bool:
    """The same of a function that each round enters: its parameters are what the call gives."""
    parts = _read_by(expression, scope.span)
    return all(_is_same(loader, part, scope, epoch) for part in parts)


def _is_same(
    loader: Loader,
    part: ex.Expression,
    scope: Scope,
    epoch: EpochLoop,
) -> bool:
    match part:
        case ex.Call():
            return _gives_alike(loader.context, part, epoch.loop.body)
        case ex.Attribute():
            return not _is_written(loader.context, part)
        case ex.Reference(definition=ex.Definition(value=ex.Parameter(name=name))):
            return is_self(part, scope) or _is_given_alike(loader, name, scope, epoch)
    return not isinstance(part, ex.Reference) or _is_kept_outside(part, scope, epoch)


def _is_kept_outside(name: ex.Reference, scope: Scope, epoch: EpochLoop) -> bool:
    """Whether a name is bound outside a function, and not anew by the rounds around that."""
    around = scope.parent
    while around is not None and around is not epoch.scope:
        around = around.parent
    if name.definition is not None:
        return False
    return around is None or not _is_changed(name.name, epoch.scope, epoch.loop)


def _is_given_alike(loader: Loader, parameter: str, scope: Scope, epoch: EpochLoop) -> bool:
    """Whether each call of a function on the way to the batches always gives it the same."""
    calls = _calls_of(loader, scope, epoch)
    return bool(calls) and all(_gives(loader, c, parameter, scope, epoch) for c in calls)


def _gives(loader: Loader, outer: ex.Call, parameter: str, scope: Scope, epoch: EpochLoop) -> bool:
    """Whether a call gives a parameter the same in each round."""
    if any(argument.star for argument in outer.arguments):
        return False
    given = _argument(outer, scope, parameter)
    if given is None:
        defaults = (spec.default for spec in scope.parameters if spec.name == parameter)
        return isinstance(next(defaults, None), ex.Constant | ex.Reference | ex.Attribute)
    if outer.scope is epoch.scope:
        return _is_kept(loader.context, given, epoch.scope, epoch.loop)
    return _is_given(loader, given, outer.scope, epoch)


def _argument(call: ex.Call, scope: Scope, name: str) -> ex.Expression | None:
    """What a call gives to a parameter, where it unpacks nothing."""
    signature = signature_of(scope, has_receiver=takes_receiver(scope))
    return written(call, signature.position(name), name)
