"""Seeds that are set alike before each epoch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import entered_by as entered_as_given
from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import method_scope, own_attribute
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.order import is_inside
from dlint.analyses.dependence import ANYTHING, NOTHING, Dependence, by, dependence, within_epochs
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import positional
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Loop, With
from dlint.library_facts.seeding import EVERYTHING, TORCH_RESTORERS, TORCH_SEEDERS
from dlint.library_facts.varying import Source
from dlint.model.loops.batch_loops import BatchLoop, batch_loops, calls_in
from dlint.model.loops.epochs import counts, statement_name
from dlint.model.loops.module_makers import maker_of
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, Batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.epochs import EpochLoop
    from dlint.semantics.calls.call_contexts import CallContext


_APART = lazily(r"run|trial|fold|seed|rep|exp|split|round", re.I)
"""Names of what counts runs that have nothing to do with each other."""


_SEEDERS = TORCH_SEEDERS | EVERYTHING


def is_drawn_from_torch(loader: Loader) -> bool:
    """Whether a loader shuffles with the global generator: torch's own sampler, no generator."""
    if not all(a.truth is True for a in loader.argument("shuffle")):
        return False
    return all(a.value in (ABSENT, NONE) for a in loader.argument("generator"))


def repeated_seeds(context: AnalysisContext, epoch: EpochLoop) -> Iterator[ex.Call]:
    """Calls that seed torch alike in every epoch, before the batches are begun."""
    for call in _run_before(context, calls_in(epoch.loop.body), epoch.turn(context)):
        if call.statement.block is epoch.loop.body and _is_alike(context, epoch, call):
            yield call
    if epoch.inside:
        yield from _seeds_inside(context, epoch)


def _seeds_inside(context: AnalysisContext, epoch: EpochLoop) -> Iterator[ex.Call]:
    """The same at the beginning of the functions that each epoch enters for its batches."""
    for scope in epoch.inside:
        for call in _run_before(context, scope.calls, epoch.turn(context, scope)):
            if call.statement.block is scope.body and _is_alike(context, epoch, call):
                yield call


def _run_before(
    context: AnalysisContext, calls: Iterable[ex.Call], turn: list[Statement]
) -> Iterator[ex.Call]:
    """The calls that stand before the statements by which a body comes to its batches.

    What `with` enters around the batches does so too; what it leaves before them may put the
    generator back as it was.
    """
    begun = [s.body.statements[0] if isinstance(s, With) else s for s in turn]
    first = min((statement.span[0] for statement in begun), default=0)
    yield from (c for c in calls if c.span[0] < first and _lasts(context, c, turn))


def _lasts(context: AnalysisContext, call: ex.Call, turn: list[Statement]) -> bool:
    """Whether what a call seeds is so at the batches: in no manager that is left, or seeds anew."""
    entering = call.statement
    if not isinstance(entering, With) or not any(s.yields for s in callees_of(context, call)):
        return True
    inside = calls_in(entering.body)
    return entering in turn and not any(is_call_to(context, c, _SEEDERS) for c in inside)


def counts_epochs(epoch: EpochLoop, loader: Loader) -> bool:
    """Whether a loop goes on with what the last round left: no run, fold or setting of its own.

    Nor a model of its own, which each round makes.
    """
    if epoch.replaces(loader.made):
        return False
    is_counter = epoch.loop.iterable is None or counts(epoch.loop)
    if not is_counter or _APART.search(statement_name(epoch.loop)):
        return False
    return not any(_is_new(loader.context, name, epoch) for name in _called(epoch.batch_loop))


def _called(loop: BatchLoop) -> Iterator[ex.Reference]:
    """The names of what a loop over batches gives its batches first: the model."""
    for call in () if loop.body is None else calls_in(loop.body):
        given = next(iter(positional(call)), None)
        values = () if given is None else loop.context.values(given, call.scope)
        if isinstance(call.function, ex.Reference) and any(isinstance(v, Batch) for v in values):
            yield call.function


def _is_new(context: AnalysisContext, model: ex.Reference, epoch: EpochLoop) -> bool:
    """Whether each epoch makes a model, and not of one that was there before."""
    batches = epoch.batch_loop
    made = maker_of(context, model, context.solver.root(batches.scope))
    if made is None:
        return False
    if made.scope not in epoch.inside and not is_inside(made.statement, epoch.loop):
        return False
    if isinstance(batches.statement, Loop) and is_inside(made.statement, batches.statement):
        return False
    wrapped = ex.Call | ex.Parameter if library_callees(context, made) else ex.Call
    return not any(isinstance(origin_of(value), wrapped) for value in positional(made))


def _is_alike(context: AnalysisContext, epoch: EpochLoop, call: ex.Call) -> bool:
    given = [argument.value for argument in call.arguments]
    if not all(_is_fixed(context, epoch, call, value) for value in given):
        return False
    if is_call_to(context, call, _SEEDERS):
        return bool(given)
    if _may_be_replaced(context, epoch, call):
        return False
    if any(_hands_on(context, epoch, scope, bool(given)) for scope in callees_of(context, call)):
        return True
    return any(_seeds_by_own(context, epoch, scope) for scope in _entered_always(context, call))


def _entered_always(context: AnalysisContext, call: ex.Call) -> Iterator[Scope]:
    """The functions that what a call enters calls in turn, whatever tests come out as.

    By the values of this call: `getattr(callback, event)(self)` of `self.signal("begin")`. What
    goes through batches itself draws after it has seeded.
    """
    looping = {loop.scope for loop in context[batch_loops]}
    root = context.solver.root(call.scope)
    for scope, frame in entered_as_given(context, call, root):
        for inner in scope.calls if scope not in looping else ():
            if not any(walk.tests(inner.statement)):
                yield from (entered for entered, _ in entered_as_given(context, inner, frame))


def _seeds_by_own(context: AnalysisContext, epoch: EpochLoop, scope: Scope) -> bool:
    """Whether a method always seeds torch with what its object holds in every epoch."""
    return any(
        own_attribute(origin := origin_of(argument.value), scope) is not None
        and not _is_written(context, epoch, origin, scope)
        for call in scope.calls
        if is_call_to(context, call, TORCH_SEEDERS) and not any(walk.tests(call.statement))
        for argument in call.arguments
    )


def _may_be_replaced(context: AnalysisContext, epoch: EpochLoop, call: ex.Call) -> bool:
    """Whether the object whose method is called may be another one in each epoch."""
    callee = call.function
    owner = callee.value if isinstance(callee, ex.Attribute) else None
    return owner is not None and _is_bound_in(context, epoch, owner, call.scope)


def _hands_on(context: AnalysisContext, epoch: EpochLoop, scope: Scope, is_given: bool) -> bool:
    """Whether a function of the project seeds torch with what it is given, or by its default.

    Or with what its object holds in every epoch. A context manager does before it yields. What
    stands behind a test, or in a `with` that may put the generator back, need not.
    """
    defaults = ((spec.name, ex.constant(spec.default)) for spec in scope.parameters)
    fixed = {name for name, default in defaults if is_given or _is_number(default)}
    yielded = min((each.span[0] for each in scope.yields), default=scope.span[1])
    begun = [call for call in scope.calls if call.span[0] < yielded]
    if any(is_call_to(context, call, TORCH_RESTORERS) for call in begun):
        return False
    return any(
        _is_held(context, epoch, argument.value, scope, fixed)
        for call in begun
        if is_call_to(context, call, TORCH_SEEDERS)
        if not any(isinstance(s, If | With) for s in walk.ancestors(call.statement))
        for argument in call.arguments
    )


def _is_number(default: ex.Constant | None) -> bool:
    return default is not None and default.value is not None


def _is_held(
    context: AnalysisContext, epoch: EpochLoop, seed: ex.Expression, scope: Scope, fixed: set[str]
) -> bool:
    """Whether a seed is what the object holds, or is made of such parameters and numbers alone."""
    origin = origin_of(seed)
    if own_attribute(origin, scope):
        return not _is_written(context, epoch, origin, scope)

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        if isinstance(expression, ex.Parameter):
            return NOTHING if expression.name in fixed else ANYTHING
        return ANYTHING if isinstance(expression, ex.Attribute) else None

    found = dependence(context, seed, context.solver.root(scope), known)
    return bool(_parameters(seed)) and not found.may_be_by(Source.EPOCH)


def _is_fixed(
    context: AnalysisContext, epoch: EpochLoop, call: ex.Call, seed: ex.Expression
) -> bool:
    """Whether an expression has the same value in every epoch."""
    scope = call.scope
    before = within_epochs(epoch.loop)

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        if isinstance(expression, ex.Attribute) and _is_written(
            context, epoch, expression, frame.scope
        ):
            return by(Source.EPOCH)
        if frame.scope is epoch.scope:
            return before(expression, frame)
        taken = _parameters(expression) if frame.scope in epoch.inside else []
        if any(_may_be_new(context, epoch, one, frame.scope) for one in taken):
            return by(Source.EPOCH)
        return NOTHING if isinstance(expression, ex.Parameter) else None

    found = dependence(context, seed, context.solver.root(scope), known)
    return not found.may_be_by(Source.EPOCH)


def _parameters(expression: ex.Expression) -> list[ex.Parameter]:
    """The parameters that an expression of its function is made of."""
    return [part for part in parts_in_function(expression) if isinstance(part, ex.Parameter)]


def _may_be_new(
    context: AnalysisContext, epoch: EpochLoop, parameter: ex.Parameter, scope: Scope
) -> bool:
    """Whether an epoch may give a parameter of a function that it enters what it has bound."""
    way = (*epoch.inside, epoch.scope)
    if takes_receiver(scope) and parameter.name == scope.parameters[0].name:
        found = [_object_of(frame) for frame in context.evaluator.callers(scope)]
    else:
        found = epoch.given(context, parameter, scope)
    given = [g for g in found if g is None or g[1] in way]
    return not given or any(g is None or _is_bound_in(context, epoch, *g) for g in given)


def _object_of(frame: CallContext) -> tuple[ex.Expression, Scope] | None:
    """The object whose method a call enters, and where the call stands."""
    callee = None if frame.call is None else frame.call.function
    if frame.caller is None or not isinstance(callee, ex.Attribute):
        return None
    return callee.value, frame.caller.scope


def _is_written(
    context: AnalysisContext, epoch: EpochLoop, attribute: ex.Expression, scope: Scope
) -> bool:
    """Whether an epoch may write an attribute, or one that it hangs on, of whatever object.

    Or whether a method of the object tells what it is, as a property does.
    """
    entered, names = {*entered_by(context, calls_in(epoch.loop.body))}, set[str]()
    while isinstance(attribute, ex.Attribute):
        own = own_attribute(attribute, scope)
        if own is not None and _is_method(context, own, scope):
            return True
        names.add(attribute.name)
        attribute = attribute.value
    written = (store for name in names for store in context.project.writing(name))
    return any(
        store.scope in entered
        or (store.scope is epoch.scope and is_inside(store.statement, epoch.loop))
        for store in written
    )


def _is_method(context: AnalysisContext, name: str, scope: Scope) -> bool:
    """Whether a name of the object whose method this is, or is nested in, is one of a method."""
    method = method_scope(scope)
    owner = None if method is None else method.owner
    return owner is not None and context.solver.classes.method(owner, name) is not None


def _is_bound_in(
    context: AnalysisContext, epoch: EpochLoop, given: ex.Expression, scope: Scope
) -> bool:
    if scope in epoch.inside:
        return any(_may_be_new(context, epoch, one, scope) for one in _parameters(given))
    start, end = epoch.loop.span
    names = [p for p in walk.walk(given) if isinstance(p, ex.Reference) and p.definition]
    calls = any(isinstance(p, ex.Call) for p in walk.walk(given))
    return calls or any(
        n.definition is not None and start <= n.definition.span[0] < end for n in names
    )
