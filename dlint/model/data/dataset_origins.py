"""Dataset origins: which calls make the object that an expression is, told apart by place.

Question: do two loaders take samples of one and the same data set? Followed is what
`dlint.analyses.backward` follows, the parts that `random_split` gives, and `.dataset` of a part (by
a loop over parts too), of a `Subset` and of a loader. A copy (`copy.deepcopy`) is a data set of its
own. Given up on (None): what more than calls may make, and what takes samples from others in any
other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.analyses.backward import Question, Slice
from dlint.analyses.binding import bind_to
from dlint.analyses.calls import library_callees
from dlint.analyses.constructions import construction
from dlint.analyses.keyed_comprehensions import KeyedComprehensions
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.library_facts.passthrough import SPLITS
from dlint.model.loading.loaders import Loaders
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import AllocationSite, ClassObject, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope, Statement
    from dlint.model.loading.loader import Loader

SUBSETS = frozenset({"torch.utils.data.Subset", "torch.utils.data.dataset.Subset"})
_WHOLE = library_signature(("dataset", "indices"))


class Origin(NamedTuple):
    """A call that makes a data set, in one activation; `position`: which part of a split."""

    call: ex.Call
    frame: CallContext
    position: int | None = None


Origins = frozenset[Origin] | None
_Of = Callable[[ex.Expression, CallContext], Origins]


class DatasetOrigins:
    """Asks for origins: `context[DatasetOrigins]`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def of(self, expression: ex.Expression, frame: CallContext) -> Origins:
        """The calls that may make what an expression is; None where anything else may."""
        return Slice(self._context, Question(None, _joined, _TABLE)).of(expression, frame)

    def parts(self, expression: ex.Expression, frame: CallContext) -> Origins:
        """The splits and subsets that an expression is a part of, by a loop over them too."""
        found = self.of(expression, frame)
        if found is not None:
            return found if all(map(self.is_part, found)) else None
        return _parts_by_values(self._context, expression, frame)

    def of_loader(self, loader: Loader) -> Origins:
        """The data sets that a loader takes its samples from."""
        given = loader.given("dataset")
        return None if given is None else self.of(*given)

    def whole(self, origin: Origin) -> Origins:
        """What a part is a part of; None where it is no part."""
        return _whole(self.of, self._context, origin)

    def constructions(self, loader: Loader, cls: Class) -> Iterator[CallContext]:
        """The constructors' activations that make a loader's data sets, of exactly one class."""
        for part in self.of_loader(loader) or ():
            made = self.whole(part) if self.is_part(part) else frozenset({part})
            for origin in made or ():
                if self.project_class(origin) is cls:
                    making = construction(self._context, cls, origin.call, origin.frame)
                    yield from () if making is None else (making,)

    def is_part(self, origin: Origin) -> bool:
        """Whether it is torch's `Subset`, made by itself or by `random_split`."""
        return _is_part(self._context, origin)

    def project_class(self, origin: Origin) -> Class | None:
        """The class of the project that it is an object of."""
        found = self._context.solver.values(origin.call.function, origin.frame)
        classes = [value.cls for value in found if isinstance(value, ClassObject)]
        return classes[0] if len(classes) == len(found) == 1 else None


class Assigned(NamedTuple):
    """A write to an attribute of an object from outside: `owner.name = value`, or `setattr`."""

    owner: ex.Expression
    name: str
    value: ex.Expression
    scope: Scope
    span: Span
    statement: Statement

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(self.scope.module.path, *self.span)


def assignments(context: AnalysisContext) -> tuple[Assigned, ...]:
    """The writes to attributes of objects, in the order of modules and places."""
    found = [one for facts in context.modules for one in _assigned_in(facts.module.scopes)]
    return tuple(sorted(found, key=lambda one: (one.scope.module.path, one.span)))


def _assigned_in(scopes: Sequence[Scope]) -> Iterator[Assigned]:
    for scope in scopes:
        for store in scope.stores:
            target = store.target
            if isinstance(target, ex.Attribute):
                span = store.span
                value = store.value
                yield Assigned(target.value, target.name, value, scope, span, store.statement)
        for call in (call for call in scope.calls if call.name == "setattr"):
            owner, name, given = (written(call, position) for position in range(3))
            named = ex.constant(name)
            if owner and given and named is not None and isinstance(named.value, str):
                yield Assigned(owner, named.value, given, scope, call.span, call.statement)


# -- the transfer table


def _joined(found: Sequence[Origins]) -> Origins:
    known = [one for one in found if one is not None]
    return frozenset[Origin]().union(*known) if len(known) == len(found) else None


def _of_call(slice_: Slice[Origins], call: ex.Call, frame: CallContext) -> Origins:
    context = slice_.context
    found = context.solver.values(call.function, frame)
    made = library_callees(context, call) or all(isinstance(v, ClassObject) for v in found)
    if not made or not (found or library_callees(context, call)):
        return None
    return frozenset({Origin(call, frame)})


def _of_part(slice_: Slice[Origins], item: ex.Item, frame: CallContext) -> Origins:
    return _nth(slice_, slice_.of(item.value, frame), None if item.starred else item.position)


def _of_subscript(slice_: Slice[Origins], item: ex.Subscript, frame: CallContext) -> Origins:
    keyed = slice_.context[KeyedComprehensions].item(item, frame)
    if keyed is not None:
        return slice_.of(*keyed)
    index = item.index.value if isinstance(item.index, ex.Constant) else None
    return _nth(slice_, slice_.of(item.value, frame), index if isinstance(index, int) else None)


def _nth(slice_: Slice[Origins], whole: Origins, position: int | None) -> Origins:
    """One of the parts that a split gives."""
    if not whole or not all(_is_split(slice_.context, origin) for origin in whole):
        return None
    return frozenset(origin._replace(position=position) for origin in whole)


def _of_attribute(slice_: Slice[Origins], read: ex.Attribute, frame: CallContext) -> Origins:
    if read.name != "dataset":
        return None
    by_way = slice_.of(read.value, frame)
    owners = by_way or _parts_by_values(slice_.context, read.value, frame)
    parts = [_whole(slice_.of, slice_.context, origin) for origin in owners or ()]
    if parts and None not in parts:
        return _joined(parts)
    loaders = slice_.context[Loaders].denoted(read.value, frame.scope)
    given = [loader.given("dataset") for loader in loaders]
    taken = [None if one is None else slice_.of(*one) for one in given]
    return _joined(taken) if taken else None


def _parts_by_values(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Origins:
    """The splits and subsets that an expression is a part of, where all that it may be are some."""
    values = context.solver.values(expression, frame)
    made = [value for value in values if library_path(value) in SUBSETS | SPLITS]
    known = [Origin(v.call, v.frame) for v in made if isinstance(v, AllocationSite)]
    return frozenset(known) if known and len(known) == len(values) else None


def _whole(of: _Of, context: AnalysisContext, origin: Origin) -> Origins:
    if not _is_part(context, origin):
        return None
    passed = CallArguments.of(origin.call.arguments, origin.frame)
    given = bind_to(context, passed, _WHOLE).located("dataset")
    return None if given is None else of(*given)


def _is_part(context: AnalysisContext, origin: Origin) -> bool:
    paths = library_callees(context, origin.call)
    return bool(paths) and set(paths) <= SUBSETS | SPLITS


def _is_split(context: AnalysisContext, origin: Origin) -> bool:
    paths = library_callees(context, origin.call)
    return bool(paths) and set(paths) <= SPLITS


_TABLE: dict[type, Callable[[Slice[Origins], Any, CallContext], Origins]] = {
    ex.Call: _of_call,
    ex.Item: _of_part,
    ex.Subscript: _of_subscript,
    ex.Attribute: _of_attribute,
}
