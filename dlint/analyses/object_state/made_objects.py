"""Made objects: what the attributes hold of the one object that one call makes.

Question: which constant is an expression in the code of this object, and how does a test come out?
Followed are what the constructor and the methods that it calls write to `self`, under tests that
do not certainly fail, with what this call gives them or leaves to their defaults; names, parameters
of activations, and operators over them. Given up on (Unknown): attributes that other methods write
too, or that may be left with different values, and what `*` and `**` may give. Writes from outside
are asked for apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, Question, Slice
from dlint.analyses.callees import Targets, own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.guards import OPERATIONS, agreed
from dlint.analyses.object_state.attribute_defaults import may_be_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import UNKNOWN, Instance, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Store

_MOST = 60
"""How many activations that make the object are looked at."""


class MadeObject:
    """The object of a class of the project that one call makes, in one activation."""

    def __init__(
        self,
        context: AnalysisContext,
        cls: Class,
        call: ex.Call,
        frame: CallContext,
        left: Mapping[str, Located] | None = None,
    ) -> None:
        """`left`: what code from outside leaves in attributes, once the object is made."""
        self._context = context
        self.cls = cls
        self._call, self._frame = call, frame
        self._lineage = context.solver.classes.ancestors(cls)
        self._left = left or {}
        self._asked: list[str] = []
        self._open: set[str] = set()

    # -- what it holds

    @cached_property
    def activations(self) -> tuple[CallContext, ...]:
        """The constructor as this call enters it, and the functions that it calls."""
        solver = self._context.solver
        init = solver.classes.method(self.cls, "__init__")
        if init is None:
            return ()
        passed, made = CallArguments.of(self._call.arguments, self._frame), Instance(self.cls, True)
        waiting = [solver.frames.enter(init, self._call, passed, self._frame, None, made)]
        found, targets = dict.fromkeys(waiting), Targets(self._context, self.cls)
        while waiting and len(found) < _MOST:
            frame = waiting.pop()
            entered = [inner for c in frame.scope.calls for inner in targets.entered(c, frame)]
            waiting += [inner for inner in dict.fromkeys(entered) if inner not in found]
            found.update(dict.fromkeys(entered))
        return tuple(found)

    def runs(self, frame: CallContext) -> bool:
        """Whether an activation is of a method of this object, or of a function of no class."""
        return frame.scope.owner is None or frame.scope.owner in self._lineage

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that its making writes to."""
        stores = (store for frame in self.activations for store in frame.scope.stores)
        names = (own_attribute(store.target, store.scope) for store in stores)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def kept(self, name: str) -> list[Located]:
        """What its making may leave in an attribute."""
        stores = ((store, frame) for frame in self.activations for store in frame.scope.stores)
        return [
            (store.value, frame)
            for store, frame in stores
            if own_attribute(store.target, store.scope) == name
            and not self._is_passed_over(store, frame)
        ]

    def _is_passed_over(self, store: Store, frame: CallContext) -> bool:
        tests = tests_before(frame.scope, store.span)
        return any(self.outcome(test, frame) is (not truth) for test, truth in tests)

    def is_set_from_outside(self, name: str) -> bool:
        """Whether code may write to an attribute of the object once it is made."""
        written = self._context.project.writing(name)
        return any(
            attributes.written_on_self(store) is None and may_be_of(self._context, store, self.cls)
            for store in written
        )

    # -- what its code asks

    def outcome(self, test: ex.Expression, frame: CallContext) -> bool | None:
        """How a test comes out in an activation of its code; None where that is not known."""
        return constant_folding.truth(self.value(test, frame))

    def value(self, expression: ex.Expression, frame: CallContext) -> Value:
        """The constant that an expression is in an activation of its code, or Unknown."""
        return Slice(self._context, self._question).of(expression, frame)

    def attributes_behind(self, expression: ex.Expression, frame: CallContext) -> tuple[str, ...]:
        """The attributes of the object that the value of an expression rests on."""
        self._asked = []
        self.value(expression, frame)
        return tuple(dict.fromkeys(self._asked))

    @cached_property
    def _question(self) -> Question[Value]:
        own: dict[type, Callable[..., Value | None]] = {
            ex.Attribute: self._of_attribute,
            ex.Call: self._of_call,
            ex.Conditional: self._of_conditional,
            ex.Parameter: self._of_parameter,
        }
        return Question(UNKNOWN, agreed, {**OPERATIONS, **own})

    def _of_attribute(
        self, slice_: Slice[Value], attribute: ex.Attribute, frame: CallContext
    ) -> Value:
        name = own_attribute(attribute, frame.scope) if self.runs(frame) else None
        if name is None:
            return self._evaluated(attribute, frame)
        self._asked.append(name)
        if name in self._open or self.is_rewritten(name):
            return UNKNOWN
        self._open.add(name)
        left = self._left.get(name)
        found = slice_.joined(self.kept(name) if left is None else [left])
        self._open.discard(name)
        return found

    def is_rewritten(self, name: str) -> bool:
        """Whether a method that does not make the object writes to an attribute of it."""
        making = {frame.scope for frame in self.activations}
        return any(
            attributes.written_on_self(store) in self._lineage and store.scope not in making
            for store in self._context.project.writing(name)
        )

    def _of_call(self, slice_: Slice[Value], call: ex.Call, frame: CallContext) -> Value:
        """`bool(x)` of what is known; of other calls, what is known of them everywhere."""
        given = written(call, 0) if len(call.arguments) == 1 else None
        if given is not None and "builtins.bool" in library_callees(self._context, call):
            truth = constant_folding.truth(slice_.of(given, frame))
            return UNKNOWN if truth is None else Literal.of(truth)
        return self._evaluated(call, frame)

    def _of_conditional(
        self, slice_: Slice[Value], choice: ex.Conditional, frame: CallContext
    ) -> Value | None:
        truth = constant_folding.truth(slice_.of(choice.test, frame))
        return (
            None if truth is None else slice_.of(choice.then if truth else choice.otherwise, frame)
        )

    def _of_parameter(
        self, _: Slice[Value], parameter: ex.Parameter, frame: CallContext
    ) -> Value | None:
        """Nothing is known of what `*` or `**` may give."""
        unpacked = frame.call is not None and any(a.star for a in frame.call.arguments)
        return UNKNOWN if unpacked and frame.given(parameter.name) is None else None

    def _evaluated(self, expression: ex.Expression, frame: CallContext) -> Value:
        found = self._context.evaluator.of(expression, frame)
        values = {a.value if a.assumed is None else UNKNOWN for a in found}
        value = values.pop() if len(values) == 1 else UNKNOWN
        return value if isinstance(value, Literal) else UNKNOWN
