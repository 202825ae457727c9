"""Dependence: does a value depend on the number of the worker, the rank, the epoch.

Lattice: pairs of sets of sources, what a value certainly depends on below what it possibly does.
Of several values that one may be, the certain sets meet and the possible ones are united; of the
operands of one operation both are united. The top is: nothing certain, `UNKNOWN` possible.
Followed: the steps of a backward slice; `+`, `-`, `*`, `^` of numbers, which differ where one
operand does; other operators, which may. Sources are library calls, environment variables, and what
whoever asks knows of names and parameters (`sources`). Options and attributes that nobody is seen
to write by a source stay as they are; so do names that nothing binds.
Evidence by name: a number that is only known as `rank` is one, and what is only known by a name of
epochs, steps or clocks may differ from epoch to epoch. A value that is known outweighs its name.
Given up on: operands that cancel each other, values that a loop carries from round to round (they
are unknown), what methods of objects change in place. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.attribute_values import is_set_by_methods
from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.control.path_tests import always_runs
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import varying
from dlint.library_facts.varying import Source
from dlint.semantics.values.values import External, Namespace

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Loop, Store
    from dlint.semantics.calls.call_contexts import CallContext

_NONE: frozenset[Source] = frozenset()


class Dependence(NamedTuple):
    """What a value certainly depends on, and what it possibly does."""

    certain: frozenset[Source]
    possible: frozenset[Source]

    @property
    def is_known(self) -> bool:
        """Whether all that it may depend on is known."""
        return Source.UNKNOWN not in self.possible

    def may_be_by(self, source: Source) -> bool:
        """Whether it may depend on a source, or on what is not known."""
        return bool(self.possible & {source, Source.UNKNOWN})


NOTHING = Dependence(_NONE, _NONE)
ANYTHING = Dependence(_NONE, frozenset({Source.UNKNOWN}))

Sources = Callable[[ex.Expression, "CallContext"], Dependence | None]
"""What whoever asks knows of an expression; None where that is nothing."""


def by(*sources: Source) -> Dependence:
    """The dependence of a value that differs by these."""
    return Dependence(frozenset(sources), frozenset(sources))


def one_of(found: Sequence[Dependence]) -> Dependence:
    """The join: of a value that is one of several."""
    certain = frozenset.intersection(*(d.certain for d in found)) if found else _NONE
    return Dependence(certain, _NONE.union(*(d.possible for d in found)))


def all_of(found: Iterable[Dependence]) -> Dependence:
    """Of a value that is made of all of some operands, and differs where one of them does."""
    parts = list(found)
    return Dependence(
        _NONE.union(*(d.certain for d in parts)), _NONE.union(*(d.possible for d in parts))
    )


def _uncertain(found: Dependence) -> Dependence:
    return Dependence(_NONE, found.possible)


def dependence(
    context: AnalysisContext,
    expression: ex.Expression,
    frame: CallContext,
    sources: Sources = lambda expression, frame: None,
) -> Dependence:
    """What an expression depends on, in one activation or over all of them."""
    return Slice(context, _question(sources)).of(expression, frame)


def within_epochs(loop: Loop) -> Sources:
    """The sources of what runs in a loop over epochs: its counter, and what was bound before."""
    start, end = loop.span

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        definition = expression.definition if isinstance(expression, ex.Reference) else None
        if definition is None:
            return None
        if definition in loop.definitions:
            return by(Source.EPOCH)
        return None if start <= definition.span[0] < end else NOTHING

    return known


def _question(sources: Sources) -> Question[Dependence]:
    return Question(ANYTHING, one_of, {kind: _first_known(sources, kind) for kind in _ASKED})


def _first_known(
    sources: Sources, kind: type
) -> Callable[[Slice[Dependence], ex.Expression, CallContext], Dependence | None]:
    def transfer(
        slice_: Slice[Dependence], expression: ex.Expression, frame: CallContext
    ) -> Dependence | None:
        known = sources(expression, frame)
        return _TABLE[kind](slice_, expression, frame) if known is None else known

    return transfer


# -- the transfer table


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> Dependence:
    return ANYTHING if constant.value is None else NOTHING


def _of_reference(slice_: Slice[Dependence], name: ex.Reference, frame: CallContext) -> Dependence:
    found = slice_.joined(steps(slice_.context, name, frame))
    if found.is_known or name.definition is not None:
        return _by_name(name.name, found)
    if varying.RANK_NAME.match(name.name):
        return by(Source.RANK)
    return ANYTHING if varying.EPOCH_NAME.search(name.name) else NOTHING


def _of_parameter(
    slice_: Slice[Dependence], parameter: ex.Parameter, frame: CallContext
) -> Dependence:
    return _by_name(parameter.name, slice_.joined(steps(slice_.context, parameter, frame)))


def _by_name(name: str, found: Dependence) -> Dependence:
    """What is known of a value by its name, where nothing else says what it is."""
    if found.certain or found.possible - {Source.UNKNOWN}:
        return found
    if varying.RANK_NAME.match(name) and found != NOTHING:
        return by(Source.RANK)
    return found


def _of_attribute(
    slice_: Slice[Dependence], attribute: ex.Attribute, frame: CallContext
) -> Dependence:
    """An option stays as it is; `get_worker_info().id` is the worker."""
    stored = _stored(slice_, attribute, frame)
    if stored is not None:
        return stored
    written = _written(slice_, attribute, frame)
    if written is not None:
        return written
    chain = list(_chain(attribute))
    if any(varying.EPOCH_NAME.search(part.name) for part in chain):
        return ANYTHING
    if varying.RANK_NAME.match(attribute.name):
        return by(Source.RANK)
    root = chain[-1].value
    while isinstance(root, ex.Reference) and root.definition is not None:
        root = root.definition.value
    if isinstance(root, ex.Call):
        is_info = varying.WORKER_INFO in _paths(slice_.context, root)
        if is_info and attribute.name == "id":
            return by(Source.WORKER)
        return _of_made(slice_, root, frame)
    return NOTHING if isinstance(root, ex.Reference | ex.Parameter) else ANYTHING


def _written(
    slice_: Slice[Dependence], attribute: ex.Attribute, frame: CallContext
) -> Dependence | None:
    """What other methods write there, where a source of it is seen; None where none is.

    It is certain where nobody else may write it.
    """
    context = slice_.context
    found = slice_.joined(steps(context, attribute, frame))
    if not found.possible - {Source.UNKNOWN}:
        return None
    return found if is_set_by_methods(context, attribute, frame) else _uncertain(found)


def _of_made(slice_: Slice[Dependence], made: ex.Call, frame: CallContext) -> Dependence:
    """An attribute of what a call gives: options of a command line vary by nothing."""
    found = slice_.context.solver.values(made, frame)
    is_parsed = bool(found) and all(isinstance(value, Namespace) for value in found)
    return NOTHING if is_parsed else ANYTHING


def _chain(attribute: ex.Attribute) -> Iterable[ex.Attribute]:
    current: ex.Expression = attribute
    while isinstance(current, ex.Attribute):
        yield current
        current = current.value


def _stored(
    slice_: Slice[Dependence], attribute: ex.Attribute, frame: CallContext
) -> Dependence | None:
    """What the function itself wrote there before; None where it wrote nothing."""
    name = ex.dotted(attribute)
    stores = [
        store
        for store in frame.scope.stores
        if name is not None
        and store.statement.span[1] <= attribute.span[0]
        and ex.dotted(store.target) == name
    ]
    if not stores:
        return None
    if any(_is_carried(store, attribute) for store in stores):
        return ANYTHING
    found = slice_.of(stores[-1].value, frame)
    certain = always_runs(stores[-1].statement, frame.scope.body)
    return found if certain else one_of([found, NOTHING])


def _is_carried(store: Store, attribute: ex.Attribute) -> bool:
    """Whether a loop around both writes what it read in the round before."""
    again = (
        part
        for part in walk.walk(store.value)
        if isinstance(part, ex.Attribute) and ex.dotted(part) == ex.dotted(attribute)
    )
    loops = walk.enclosing_loops(store.statement)
    return any(True for _ in loops) and any(True for _ in again)


def _of_unary(slice_: Slice[Dependence], unary: ex.Unary, frame: CallContext) -> Dependence:
    found = slice_.of(unary.operand, frame)
    return _uncertain(found) if unary.operator == "not" else found


def _of_binary(slice_: Slice[Dependence], binary: ex.Binary, frame: CallContext) -> Dependence:
    found = all_of(slice_.of(side, frame) for side in (binary.left, binary.right))
    return found if binary.operator in ("+", "-", "*", "^") else _uncertain(found)


def _of_comparison(
    slice_: Slice[Dependence], comparison: ex.Comparison, frame: CallContext
) -> Dependence:
    sides = (comparison.left, comparison.right)
    return _uncertain(all_of(slice_.of(side, frame) for side in sides))


def _of_subscript(
    slice_: Slice[Dependence], subscript: ex.Subscript, frame: CallContext
) -> Dependence:
    """`os.environ["RANK"]`."""
    return _of_variable(subscript.index)


def _of_variable(name: ex.Expression) -> Dependence:
    text = name.value if isinstance(name, ex.Constant) else None
    known = varying.VARIABLES.get(text) if isinstance(text, str) else None
    return ANYTHING if known is None else Dependence(known, known)


def _of_call(slice_: Slice[Dependence], call: ex.Call, frame: CallContext) -> Dependence | None:
    given = [argument.value for argument in call.arguments]
    paths = _paths(slice_.context, call)
    if len(paths) == 1:
        path = next(iter(paths))
        if path in varying.CALLS:
            return Dependence(varying.CALLS[path], varying.CALLS[path])
        if path in varying.PURE | varying.FOLDING:
            found = all_of(slice_.of(value, frame) for value in given)
            return found if path in varying.PURE else _uncertain(found)
    if call.name in ("get", "getenv") and given:
        return _of_variable(given[0])
    found = slice_.joined(steps(slice_.context, call, frame))
    return by(Source.RANK) if found == ANYTHING and call.name in varying.RANK_CALLS else found


def _paths(context: AnalysisContext, call: ex.Call) -> set[str]:
    """The library paths of what a call calls."""
    found = context.solver.names.static(call.function, call.scope)
    return {value.path for value in found if isinstance(value, External)}


_TABLE: dict[type, Callable[..., Dependence | None]] = {
    ex.Constant: _of_constant,
    ex.Reference: _of_reference,
    ex.Parameter: _of_parameter,
    ex.Attribute: _of_attribute,
    ex.Unary: _of_unary,
    ex.Binary: _of_binary,
    ex.Comparison: _of_comparison,
    ex.Subscript: _of_subscript,
    ex.Call: _of_call,
}
_ASKED = tuple(_TABLE)
