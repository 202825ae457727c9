"""Models that normalize over the batch one value per channel and sample.

Question: which batch norm of a model, called on batches of a loop, gets one value per channel from
each sample, so that a batch of one sample raises in training? Followed: `nn.Sequential` that is
written out, or of which comprehensions and loops that have a round at least make the layers,
`forward` of modules of the project and their submodules, also in a loop over a `ModuleList`, layers
that keep, flatten or pool to a point; the dimensions of a sample where the volume of the loader
knows them.
Known models of torchvision are in a table. Given up on: layers and calls that no table knows,
models that only parameters name, and everything behind them. A norm over more than one value per
sample is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice, displays_behind, steps
from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.lists import first_items
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_of, origin_over_calls
from dlint.analyses.volume.first_rounds import first_filled
from dlint.analyses.volume.least_lengths import least_length
from dlint.analyses.written_arguments import positional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts import batch_norms as facts
from dlint.library_facts.batch_norms import ShapeEffect
from dlint.model.loops.module_makers import maker_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.semantics.calls.call_contexts import CallContext

_NN = "torch.nn."
_MOST = 200
"""Layers of one model that are looked at."""


class Shape(NamedTuple):
    """Dimensions of a batch: how many, and whether each channel of a sample is one value.

    `ends_in_channels`: they are counted by the last dimension, as behind a `Linear`.
    """

    dims: int | None = None
    is_point: bool = False
    ends_in_channels: bool = False


UNKNOWN_SHAPE = Shape()
FLAT = Shape(2, is_point=True)


class PointNorm(NamedTuple):
    """A batch norm over one value per channel and sample: its words, and where it is made."""

    what: str
    place: Place


@dataclass(eq=False)
class _Model:
    """What happens to the shape of a batch in one model."""

    context: AnalysisContext
    found: list[PointNorm] = field(default_factory=list)
    classes: set[Class] = field(default_factory=set)
    asked: int = 0

    def applied(self, layer: ex.Call, shape: Shape) -> Shape:
        """The shape behind the layer, or the model, that a call makes."""
        self.asked += 1
        paths = library_callees(self.context, layer) if self.asked < _MOST else ()
        path = next(iter(paths), "") if len(paths) == 1 else ""
        name = path.rpartition(".")[2]
        if path.startswith(_NN) and name == "Sequential":
            return self._sequence(layer, shape)
        effect = facts.LAYERS.get(name) if path.startswith(_NN) else None
        if effect is not None:
            return self._behind(effect, name, layer, shape)
        results = list(steps(self.context, layer, self.context.solver.root(layer.scope)))
        if len(results) == 1:
            # a function of the project that makes it
            made = origin_of(results[0][0])
            return self.applied(made, shape) if isinstance(made, ex.Call) else UNKNOWN_SHAPE
        for value in self.context.values(layer, layer.scope):
            cls = attributes.project_class(value)
            if cls is not None and cls not in self.classes:
                self.classes.add(cls)
                return self._forward(cls, shape)
        return UNKNOWN_SHAPE

    def _sequence(self, layer: ex.Call, shape: Shape) -> Shape:
        frame = self.context.solver.root(layer.scope)
        for argument in layer.arguments:
            given = argument.value
            for value in self._listed(given, frame) if argument.star else (given,):
                shape = self._next(value, shape)
        return shape

    def _next(self, value: ex.Expression | None, shape: Shape) -> Shape:
        made = None if value is None else origin_of(value)
        if isinstance(made, ex.Comprehension):
            return self._repeated(made, shape)
        return self.applied(made, shape) if isinstance(made, ex.Call) else UNKNOWN_SHAPE

    def _repeated(self, made: ex.Comprehension, shape: Shape) -> Shape:
        """Behind the layers that a comprehension makes. It may make only one: a norm that the
        second round alone comes to is none.
        """
        behind = self._next(made.element, shape)
        certain = len(self.found)
        again = self._next(made.element, behind)
        del self.found[certain:]
        return behind if again == behind else UNKNOWN_SHAPE

    def _listed(self, layers: ex.Expression, frame: CallContext) -> Iterator[ex.Expression | None]:
        """The layers of a list that is written out; a comprehension stands for those it makes."""
        named = layers.name if isinstance(layers, ex.Reference) else ""
        grows = is_resized(named, [frame.scope])
        made = None if grows else origin_of(layers)
        displays = None if grows else displays_behind(self.context, layers, frame)
        display, where = displays[0] if displays and len(displays) == 1 else (None, frame)
        if isinstance(made, ex.Comprehension):
            yield made if least_length(self.context, made, frame) else None
        elif isinstance(made, ex.Binary) and made.operator == "+":
            yield from self._listed(made.left, frame)
            yield from self._listed(made.right, frame)
        elif isinstance(display, ex.Sequence):
            yield from self._in_turn(display.items, where)
        else:
            begun = first_items(layers, frame.scope)
            begun = begun or tuple(first_filled(self.context, layers, frame))
            yield from self._in_turn(begun, frame)
            yield None

    def _in_turn(
        self, items: Iterable[ex.Expression], frame: CallContext
    ) -> Iterator[ex.Expression | None]:
        for item in items:
            if isinstance(item, ex.Starred):
                yield from self._listed(item.value, frame)
            else:
                yield item

    def _behind(self, effect: ShapeEffect, name: str, layer: ex.Call, shape: Shape) -> Shape:
        may_be_two = shape.dims is None and shape.ends_in_channels
        has_two = may_be_two and name in facts.NORM_OF_FEATURES
        if effect is ShapeEffect.NORM and (shape.is_point or has_two):
            self.found.append(PointNorm(f"`{name}`", self.context.place_of(layer)))
        match effect:
            case ShapeEffect.LINEAR:
                return shape._replace(ends_in_channels=True)
            case ShapeEffect.FLAT:
                return FLAT if not layer.arguments else UNKNOWN_SHAPE
            case ShapeEffect.POINT:
                size = ex.constant(next(iter(positional(layer)), None))
                is_one = size is not None and size.value == 1
                return Shape(shape.dims, is_point=is_one)
            case ShapeEffect.KEEPS:
                # a convolution of a kernel of 1 leaves a point a point
                kernel = [ex.constant(value) for value in positional(layer)[2:3]]
                same = name.startswith("Conv") and any(k and k.value == 1 for k in kernel)
                return shape if same else Shape(shape.dims)
        return shape

    def _forward(self, cls: Class, shape: Shape) -> Shape:
        """A module of the project: what its `forward` returns for a batch of a shape."""
        method = self.context.solver.classes.method(cls, "forward")
        if method is None or len(method.parameters) < len(("self", "x")):
            return UNKNOWN_SHAPE
        entry = method.parameters[1].name
        slice_ = Slice(self.context, self._question(cls, entry, shape))
        frame = self.context.solver.root(method)
        for call in method.calls:
            slice_.of(call, frame)
        return slice_.joined((result, frame) for result in method.returns)

    def _question(self, cls: Class, entry: str, shape: Shape) -> Question[Shape]:
        def of_parameter(_: Slice[Shape], part: ex.Parameter, frame: CallContext) -> Shape:
            return shape if part.name == entry else UNKNOWN_SHAPE

        def of_call(slice_: Slice[Shape], call: ex.Call, frame: CallContext) -> Shape:
            layers = self._layers_called(cls, call.function, frame)
            given = positional(call)
            if layers:
                inner = slice_.of(given[0], frame) if given else UNKNOWN_SHAPE
                return reduce(lambda before, layer: self.applied(layer, before), layers, inner)
            receiver = call.function.value if isinstance(call.function, ex.Attribute) else None
            is_method = receiver is not None and not library_callees(self.context, call)
            subject = receiver if is_method else next(iter(given), None)
            if subject is None:
                return UNKNOWN_SHAPE
            rest = given if is_method else given[1:]
            if call.name in facts.SAME_CALLS:
                return slice_.of(subject, frame)
            return FLAT if _flattens(call, rest) else UNKNOWN_SHAPE

        return Question(UNKNOWN_SHAPE, _joined, {ex.Parameter: of_parameter, ex.Call: of_call})

    def _layers_called(
        self, cls: Class, callee: ex.Expression, frame: CallContext
    ) -> list[ex.Call]:
        """The calls that make the submodules which `self.layer(x)` calls, or `layer(x)` of a loop
        over `self.layers`, in their order; of those that a comprehension makes, one.
        """
        own = self._layer(cls, callee, frame)
        element = ex.unnamed(callee)
        if own is not None or not isinstance(element, ex.Element):
            return [] if own is None else [own]
        held = self._layer(cls, element.source, frame)
        listed = None if held is None else next(iter(positional(held)), None)
        if held is None or listed is None or held.name != "ModuleList":
            return []
        made, where = origin_of(listed), self.context.solver.root(held.scope)
        if isinstance(made, ex.Comprehension) and not least_length(self.context, made, where):
            return []
        items = [made.element] if isinstance(made, ex.Comprehension) else []
        items = list(made.items) if isinstance(made, ex.Sequence) else items
        calls = [layer for item in items if isinstance(layer := origin_of(item), ex.Call)]
        return calls if len(calls) == len(items) else []

    def _layer(self, cls: Class, callee: ex.Expression, frame: CallContext) -> ex.Call | None:
        """The call that makes the submodule that `self.layer` is."""
        if not isinstance(callee, ex.Attribute) or not is_self(callee.value, frame.scope):
            return None
        writes = [w for w in self.context[ObjectStates].of(cls).writes if not w.inside]
        own = [w for w in writes if w.attribute == callee.name]
        made = [origin_over_calls(self.context, w.value, w.frame)[0] for w in own]
        layer = made[0] if len(made) == 1 else None
        return layer if isinstance(layer, ex.Call) else None


def _joined(shapes: object) -> Shape:
    found = set(shapes)  # type: ignore[call-overload]
    return found.pop() if len(found) == 1 else UNKNOWN_SHAPE


def _flattens(call: ex.Call, rest: list[ex.Expression]) -> bool:
    """`torch.flatten(x, 1)`, `x.view(n, -1)`, `x.reshape(n, -1)`."""
    last = ex.constant(rest[-1]) if rest else None
    if last is None:
        return False
    if call.name == "flatten":
        return len(rest) == 1 and last.value == 1
    return call.name in ("view", "reshape") and len(rest) == len((0, -1)) and last.value == -1


def point_norm(context: AnalysisContext, call: ex.Call, dims: int | None) -> PointNorm | None:
    """The batch norm in the model that a call runs, which a batch of one sample makes raise.

    `dims`: the dimensions of a batch, where they are known.
    """
    shape = FLAT if dims == len(("samples", "features")) else Shape(dims)
    for made in _models(context, call):
        path = next(iter(library_callees(context, made)), "")
        pooled = facts.POOLED.get(path)
        if pooled is not None:
            return PointNorm(f"`{made.name}` ({pooled})", context.place_of(made))
        model = _Model(context)
        model.applied(made, shape)
        if model.found:
            return model.found[0]
    return None


def _models(context: AnalysisContext, call: ex.Call) -> Iterator[ex.Call]:
    """The calls that make the one model that a call runs."""
    made = maker_of(context, call.function, context.solver.root(call.scope))
    if made is not None:
        yield made
        return
    values = context.values(call.function, call.scope)
    if len(values) == 1:
        yield from (value.call for value in values if isinstance(value, AllocationSite))
