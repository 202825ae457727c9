"""Sizes: how many numbers, and of what type, the arrays are that expressions denote.

Question: what is the number, the length or the arrays of an expression? Numbers and lengths are
ranges, arrays the leaves of a sample (a tuple, list or dict of arrays and numbers), each with its
dimensions and its type. Transfer: functions that make arrays of a size (`torch.zeros`,
`np.random.rand`, …), those that keep or change it (`view`, `permute`, `float`), indices and
slices, transforms of torchvision, arithmetic with its broadcasting, `len`. Followed are names of
functions and modules, parameters (what the call at hand gives, else what all callers give),
attributes of the object by its state after construction (by what one call gives the constructor,
where one object is asked about), properties of other objects by what they return, both sides of
choices, functions of the project to what they return.

Given up on are names that other modules bind to arrays, what takes something in or out after it was
made, empty lists, attributes that are written again later, and whatever no table knows: the answer
is None. Budget: 1,500 expressions a question; one that is still open has no answer inside itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from dlint.analyses import backward
from dlint.analyses.attribute_values import property_results
from dlint.analyses.callees import Targets, is_self, method_scope
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.resizing import is_resized
from dlint.analyses.volume import array_calls
from dlint.analyses.volume.arrays import Array, Arrays, combined, multiplied, one_of, scalar
from dlint.analyses.volume.images import Transforms
from dlint.analyses.volume.indexing import at_most, indexed, selects_rows, sliced
from dlint.analyses.volume.ranges import Range, exactly, joined
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.walk import bindings_of, inner_scopes
from dlint.library_facts.array_sizes import ELEMENTWISE
from dlint.library_facts.passthrough import keeps_length
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import External, Instance, Literal, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope

T = TypeVar("T")
Step = tuple[ex.Expression, CallContext]
Length = Callable[[ex.Expression, CallContext], Range | None]

_MOST = 1_500


class Sizes:
    """Asks for numbers, lengths and arrays; `of_dataset` says how long a data set is."""

    def __init__(self, context: AnalysisContext, of_dataset: Length) -> None:
        self.context = context
        self._of_dataset = of_dataset
        self.targets = Targets(context, None)
        self.transforms = Transforms(context.solver, self.number)
        self._open: set[tuple[object, ...]] = set()
        self._asked = 0
        self._made_by: dict[CallContext, CallContext] = {}

    def frame(self, method: Scope, cls: Class, making: CallContext | None = None) -> CallContext:
        """The activation of a method on an object of exactly this class, by whoever calls it.

        `making` is the activation of its constructor, where one object is asked about.
        """
        closure = self.context.solver.root(method.parent or method)
        frame = CallContext(method, closure=closure, receiver=Instance(cls))
        if making is not None:
            self._made_by[frame] = making
        return frame

    # -- questions

    def number(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        """How many an expression denotes."""
        found = self.context.evaluator.of(expression, frame)
        ranges = [_of_literal(a.value, a.assumed) for a in found]
        known = joined(ranges)
        if known is not None:
            return known
        return self._asking("number", expression, frame, self._number, joined)

    def length(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        """What `len` of an expression gives."""
        return self._asking("length", expression, frame, self._length, joined)

    def item_length(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        """What `len` of the first item of a written list gives."""
        return self._asking("item length", expression, frame, self._item_length, joined)

    def arrays(self, expression: ex.Expression, frame: CallContext) -> Arrays | None:
        """The arrays that an expression consists of: one, or the leaves of a sample."""
        return self._asking("arrays", expression, frame, self._arrays, one_of)

    def array(self, expression: ex.Expression, frame: CallContext) -> Array | None:
        """The one array that an expression is."""
        found = self.arrays(expression, frame)
        return found[0] if found is not None and len(found) == 1 else None

    def _asking(
        self,
        question: str,
        expression: ex.Expression,
        frame: CallContext,
        leaf: Callable[[ex.Expression, CallContext], T | None],
        join: Callable[[Iterable[T | None]], T | None],
    ) -> T | None:
        """The answer for an expression, joined over all that it may stand for."""
        key = (question, expression, frame)
        self._asked = self._asked + 1 if self._open else 0
        if key in self._open or self._asked > _MOST:
            return None
        self._open.add(key)
        steps = self._steps(expression, frame)
        if steps is None:
            found = leaf(expression, frame)
        else:
            found = join([self._asking(question, *step, leaf, join) for step in steps])
        self._open.discard(key)
        return found

    # -- what expressions stand for

    def _steps(self, expression: ex.Expression, frame: CallContext) -> list[Step] | None:
        """The expressions that one stands for; None where it stands for itself."""
        match expression:
            case ex.Reference() if expression.definition is not None:
                changed = is_resized(expression.name, with_inner(frame.scope))
                return [] if changed else [(expression.definition.value, frame)]
            case ex.Reference():
                return self.outer(expression.name, frame)
            case ex.Parameter():
                return self._passed(expression.name, frame)
            case ex.Conditional():
                return [(expression.then, frame), (expression.otherwise, frame)]
            case ex.Join():
                return [(part, frame) for part in expression.alternatives]
            case ex.Attribute() if is_self(expression.value, frame.scope):
                return self._kept(expression.name, frame) or None
            case ex.Attribute():
                return list(property_results(self.context, expression, frame)) or None
            case ex.Call():
                entered = self.targets.entered(expression, frame)
                return [(r, e) for e in entered for r in e.scope.returns] or None
            case ex.Item():
                return list(backward.steps(self.context, expression, frame)) or None
        return None

    def outer(self, name: str, frame: CallContext) -> list[Step]:
        """What a name of an enclosing function or of the module may be."""
        outer = frame.closure
        while outer is not None:
            found = bindings_of(outer.scope, name)
            if found and outer.scope.kind != "class":
                changed = is_resized(name, outer.scope.module.scopes)
                return [] if changed else [(definition.value, outer) for definition in found]
            outer = outer.closure
        return []

    def _passed(self, name: str, frame: CallContext) -> list[Step]:
        """What the call at hand gives to a parameter, or all callers do, or its default."""
        given = frame.given(name)
        if given is not None:
            return [given]
        callers = [] if frame.call is not None else self.context.evaluator.callers(frame.scope)
        spec = next((s for s in frame.scope.parameters if s.name == name), None)
        default = None if spec is None else spec.default
        outer = self.context.solver.root(frame.scope.parent or frame.scope)
        found = [caller.given(name) for caller in callers] or [None]
        if default is None:
            return [] if None in found else [step for step in found if step is not None]
        return [step or (default, outer) for step in found]

    def _kept(self, name: str, frame: CallContext) -> list[Step]:
        """What the constructor writes to an attribute, or a property gives."""
        cls = self._class_of(frame)
        if cls is None:
            return []
        method = self.context.solver.classes.method(cls, name)
        making = self._made_by.get(frame)
        if method is not None:
            inner = self.frame(method, cls, making)
            return [(result, inner) for result in method.returns]
        state = self.context[ObjectStates].of(cls)
        makers = {frame.scope for frame in state.activations}
        family = self.context.solver.classes.family(cls)
        methods = [method for member in family for method in member.methods.values()]
        later = (s for s in self.context.project.writing(name) if s.scope not in makers)
        if is_resized(f"self.{name}", methods) or any(
            attributes.written_on_self(s) in family for s in later
        ):
            return []
        return [
            (w.value, making if making is not None and _begins(w.frame, making) else w.frame)
            for w in state.writes
            if w.attribute == name and not w.inside
        ]

    def _class_of(self, frame: CallContext) -> Class | None:
        if isinstance(frame.receiver, Instance):
            return frame.receiver.cls
        method = method_scope(frame.scope)
        return None if method is None else method.owner

    # -- numbers and lengths

    def _number(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        match expression:
            case ex.Constant():
                return _of_literal(Literal.of(expression.value), None)
            case ex.Binary():
                left = self.number(expression.left, frame)
                right = self.number(expression.right, frame)
                return _arithmetic(expression.operator, left, right)
            case ex.Call(arguments=(argument,)) if not argument.star:
                return self._of_function(expression, argument.value, frame)
            case ex.Subscript(value=ex.Attribute(name="shape", value=base)):
                return self._dimension(base, expression.index, frame)
        return None

    def _of_function(
        self, call: ex.Call, argument: ex.Expression, frame: CallContext
    ) -> Range | None:
        """`len(x)`, `int(x)`, `math.ceil(x)`, `x.size(0)`."""
        paths = self.paths(call, frame)
        if "builtins.len" in paths:
            return self.length(argument, frame)
        if isinstance(call.function, ex.Attribute) and call.name == "size":
            return self._dimension(call.function.value, argument, frame)
        number = self.number(argument, frame)
        if number is None:
            return None
        if paths & {"builtins.int", "math.floor"}:
            return number.floor()
        return number.ceil() if "math.ceil" in paths else None

    def _dimension(
        self, base: ex.Expression, index: ex.Expression, frame: CallContext
    ) -> Range | None:
        array, which = self.array(base, frame), self.number(index, frame)
        if array is None or which is None or not which.is_exact:
            return None
        fits = -len(array.dims) <= which.low < len(array.dims)
        return array.dims[int(which.low)] if fits else None

    def _length(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        found = self._listed(expression, frame)
        found = self._of_dataset(expression, frame) if found is None else found
        if found is None and isinstance(expression, ex.Subscript):
            objects = self.context.solver.values(expression.value, frame)
            if not any(map(_is_object, objects)):
                return at_most(self, expression.index, frame)
        return found

    def _listed(self, expression: ex.Expression, frame: CallContext) -> Range | None:
        """The length of a list or an array: of what slices and indices make no sample of."""
        match expression:
            case ex.Sequence():
                starred = any(isinstance(item, ex.Starred) for item in expression.items)
                known = expression.items and not starred  # an empty one is there to be filled
                return exactly(len(expression.items)) if known else None
            case ex.Comprehension() if len(expression.iterables) == 1:
                return (
                    None if expression.conditions else self.length(expression.iterables[0], frame)
                )
            case ex.Subscript(index=ex.Slice() as part):
                whole = self._asking("items", expression.value, frame, self._listed, joined)
                return sliced(self, whole, part, frame)
            case ex.Call():
                counted = self._counted(expression, frame)
                if counted is not None:
                    return counted
        from_array = self.array(expression, frame)
        return from_array.dims[0] if from_array is not None and from_array.dims else None

    def _item_length(self, listed: ex.Expression, frame: CallContext) -> Range | None:
        items = listed.items if isinstance(listed, ex.Sequence) else ()
        known = items and not isinstance(items[0], ex.Starred)
        return self.length(items[0], frame) if known else None

    def _counted(self, call: ex.Call, frame: CallContext) -> Range | None:
        """The length of `range(…)`, and of what keeps the length of its argument."""
        paths = self.paths(call, frame)
        numbers = [self.number(a.value, frame) for a in call.arguments if not a.star]
        if any(path == "builtins.range" or path.endswith(".trange") for path in paths):
            return array_calls.range_length(numbers)
        first = written(call, 0)
        if first is None or not (any(map(keeps_length, paths)) or selects_rows(call, first)):
            return None
        return self.length(first, frame)

    def paths(self, call: ex.Call, frame: CallContext) -> frozenset[str]:
        """The library callables that a call may be one of."""
        found = self.context.solver.names.static(call.function, frame.scope)
        return frozenset(value.path for value in found if isinstance(value, External))

    # -- arrays

    def _arrays(self, expression: ex.Expression, frame: CallContext) -> Arrays | None:
        match expression:
            case ex.Constant():
                if isinstance(expression.value, str):
                    return ()
                made = scalar(type(expression.value).__name__)
                return None if made is None else (made,)
            case ex.Sequence():
                return self._all(expression.items, frame)
            case ex.Mapping():
                return self._all([value for _, value in expression.items], frame)
        found = self._single(expression, frame)
        return None if found is None else (found,)

    def _all(self, items: Iterable[ex.Expression], frame: CallContext) -> Arrays | None:
        """The leaves of several expressions."""
        found = [self.arrays(item, frame) for item in items]
        known = [one for one in found if one is not None]
        return tuple(a for one in known for a in one) if len(known) == len(found) else None

    def _single(self, expression: ex.Expression, frame: CallContext) -> Array | None:
        match expression:
            case ex.Subscript():
                base = self.array(expression.value, frame)
                return None if base is None else indexed(self, base, expression.index, frame)
            case ex.Binary():
                return self._of_operator(expression, frame)
            case ex.Unary() if expression.operator != "not":
                return self.array(expression.operand, frame)
            case ex.Element():
                base = self.array(expression.iterable, frame)
                return None if base is None else base.element
            case ex.Call():
                return array_calls.made(self, expression, frame)
            case ex.Item():
                return array_calls.item(self, expression, frame)
        return None

    def _of_operator(self, made: ex.Binary, frame: CallContext) -> Array | None:
        """What an operator makes of two arrays; None where one of them is a list, or not known."""
        if any(isinstance(ex.unnamed(side), ex.Sequence) for side in (made.left, made.right)):
            return None
        left, right = self.array(made.left, frame), self.array(made.right, frame)
        if left is None or right is None:
            return None
        if made.operator == "@":
            return multiplied(left, right)
        return combined(left, right) if made.operator in ELEMENTWISE else None


def _begins(frame: CallContext, making: CallContext) -> bool:
    """Whether an activation is that of the constructor itself, by whoever makes an object."""
    return frame.call is None and frame.scope is making.scope


def with_inner(scope: Scope) -> list[Scope]:
    """A scope and those that are defined in it."""
    return [scope, *inner_scopes(scope)]


def _of_literal(value: object, assumed: str | None) -> Range | None:
    number = value.value if isinstance(value, Literal) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return Range(number, number, () if assumed is None else (assumed,))


def _arithmetic(operator: str, left: Range | None, right: Range | None) -> Range | None:
    if left is None or right is None:
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "//":
            quotient = left / right
            return None if quotient is None else quotient.floor()
    return None


def _is_object(value: Value) -> bool:
    """Whether a slice of a value is what its class makes of it, as of a data set."""
    path = library_path(value)
    return attributes.project_class(value) is not None or path.startswith(("torch", "datasets."))
