"""Data sets: how many samples they have, and what arrays a sample consists of.

Question: what are the length of a data set and the arrays of one sample? Known are torch's
`TensorDataset`, `Subset`, `ConcatDataset` and `random_split`, the data sets of torchvision with
their transforms, and classes of the project by what `__len__` and `__getitem__` return. Where
several data sets are possible the answer is joined over them. Streams have no length here, what a
slice of a data set is the data set says, and a class that takes samples with a library's method has
no length that is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.constructions import construction
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_over_calls
from dlint.analyses.volume.arrays import Array, Arrays, one_of
from dlint.analyses.volume.indexing import selects_rows
from dlint.analyses.volume.ranges import Range, exactly, joined, total
from dlint.analyses.volume.sizes import Sizes, with_inner
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.torchvision import DatasetFacts, dataset_facts
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.values.values import (
    ClassObject,
    Literal,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.semantics.calls.call_contexts import CallContext

_DATA = ("torch.utils.data.", "torch.utils.data.dataset.")
_SUBSET = ("dataset", "indices")
_CONCAT = ("datasets",)
_SPLIT = ("dataset", "lengths")
_ONE = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class DatasetSize:
    """The length of a data set and the arrays of a sample, each None where it is not known."""

    length: Range | None = None
    sample: Arrays | None = None


UNKNOWN_SIZE = DatasetSize()


class DatasetSizes:
    """Asks for the sizes of data sets: `context[DatasetSizes]`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self.sizes = Sizes(context, lambda expression, frame: self.of(expression, frame).length)
        self._open: set[object] = set()

    def of(self, expression: ex.Expression, frame: CallContext) -> DatasetSize:
        """The size of the data set that an expression denotes."""
        origin = self._bound(*origin_over_calls(self._context, expression, frame))
        if isinstance(origin[0], ex.Subscript) and isinstance(origin[0].index, ex.Slice):
            return UNKNOWN_SIZE
        known = self._part(*origin) or self._made(*origin)
        return known or self.any_of(self._context.solver.values(expression, frame))

    def _bound(self, name: ex.Expression, frame: CallContext) -> tuple[ex.Expression, CallContext]:
        """What a name of the module, or of a function around, is bound to in one place."""
        if not isinstance(name, ex.Reference) or name.definition is not None:
            return name, frame
        found = self.sizes.outer(name.name, frame)
        return found[0] if len(found) == 1 else (name, frame)

    def _made(self, call: ex.Expression, frame: CallContext) -> DatasetSize | None:
        """What one call makes, where it stands or by a function of the project: its own size."""
        key = ("made", call)
        if not isinstance(call, ex.Call) or key in self._open:
            return None
        entered = self.sizes.targets.entered(call, frame)
        results = [(result, e) for e in entered for result in e.scope.returns]
        if results:
            self._open.add(key)
            found = _one_of([self.of(*result) for result in results])
            self._open.discard(key)
            return found
        rows = written(call, 0, "indices")
        if rows is not None and selects_rows(call, rows):
            return DatasetSize(self.sizes.length(rows, frame))
        made = self._constructed(call, frame)
        if made is not None:
            return made
        paths = self.sizes.paths(call, frame)
        is_known = len(paths) == 1 and not paths.isdisjoint(TENSOR_DATASETS)
        return self._of_tensors(_arguments(call, frame)) if is_known else None

    def any_of(self, values: Iterable[Value]) -> DatasetSize:
        """The size of one of several data sets."""
        return _one_of([self._of_value(value) for value in values])

    def _constructed(self, call: ex.Call, frame: CallContext) -> DatasetSize | None:
        """The object that a call of a class of the project makes, by what the call gives."""
        targets = self.sizes.targets.of(call.function, frame)
        made = targets[0] if len(targets) == 1 else None
        key = ("made", call)
        if not isinstance(made, ClassObject):
            return None
        self._open.add(key)
        found = self._of_class(made.cls, construction(self._context, made.cls, call, frame))
        self._open.discard(key)
        return found

    def _part(self, value: ex.Expression, frame: CallContext) -> DatasetSize | None:
        """One of the parts that `random_split` gives, where it is told which."""
        position: object = None
        if isinstance(value, ex.Item) and not value.starred:
            call, position = value.value, value.position
        elif isinstance(value, ex.Subscript) and isinstance(value.index, ex.Constant):
            call, position = value.value, value.index.value
        else:
            return None
        while isinstance(call, ex.Reference) and call.definition is not None:
            call = call.definition.value
        if not isinstance(call, ex.Call) or not isinstance(position, int):
            return None
        if not self.sizes.paths(call, frame) & SPLITS:
            return None
        passed = _arguments(call, frame)
        lengths, whole = self._split(passed)
        fits = lengths is not None and -len(lengths) <= position < len(lengths)
        return DatasetSize(lengths[position] if lengths and fits else None, whole.sample)

    def _split(self, passed: CallArguments) -> tuple[list[Range | None] | None, DatasetSize]:
        """The lengths of the parts, and the data set that is split."""
        given, sizes = passed.written(_SPLIT, "dataset"), passed.written(_SPLIT, "lengths")
        whole = UNKNOWN_SIZE if given is None else self.of(*given)
        if sizes is None:
            return None, whole
        items = _items(sizes[0])
        if items is None:
            return None, whole
        numbers = [self.sizes.number(item, sizes[1]) for item in items]
        return _portions(numbers, whole.length), whole

    # -- values

    def _of_value(self, value: Value) -> DatasetSize:
        if value in self._open:
            return UNKNOWN_SIZE
        self._open.add(value)
        cls = attributes.project_class(value)
        if cls is not None:
            found = self._of_class(cls)
        elif is_of_library(value):
            passed = self._context.solver.passed.get(value)
            found = (
                UNKNOWN_SIZE
                if passed is None
                else self._of_library(library_path(value), _in_frame(passed, value.frame))
            )
        else:
            found = UNKNOWN_SIZE
        self._open.discard(value)
        return found

    def _of_class(self, cls: Class, making: CallContext | None = None) -> DatasetSize:
        """A class of the project, by what its methods return: of any object, or of one."""
        classes, sizes = self._context.solver.classes, self.sizes
        length, getter = classes.method(cls, "__len__"), classes.method(cls, "__getitem__")
        counted: Range | None = None
        if length is not None:
            frame = sizes.frame(length, cls, making)
            counted = joined(sizes.number(result, frame) for result in length.returns)
        if getter is None or getter.yields:
            return DatasetSize(counted)
        frame = sizes.frame(getter, cls, making)
        return DatasetSize(counted, one_of(sizes.arrays(r, frame) for r in getter.returns))

    def _of_library(self, path: str, passed: CallArguments) -> DatasetSize:
        name = path.rpartition(".")[2]
        if path in TENSOR_DATASETS:
            return self._of_tensors(passed)
        if path in SPLITS:
            lengths, whole = self._split(passed)
            return DatasetSize(None if lengths is None else joined(lengths), whole.sample)
        if path.startswith(_DATA) and name == "Subset":
            return self._of_subset(passed)
        if path.startswith(_DATA) and name == "ConcatDataset":
            return self._of_several(passed)
        facts = dataset_facts(path)
        return UNKNOWN_SIZE if facts is None else self._of_images(facts, passed)

    def _of_tensors(self, passed: CallArguments) -> DatasetSize:
        arrays = [self.sizes.array(a.value, frame) for a, frame in passed.arguments if not a.star]
        elements = [None if array is None else array.element for array in arrays]
        known = tuple(element for element in elements if element is not None)
        lengths = [array.dims[0] for array in arrays if array is not None and array.dims]
        lengths += [
            self.sizes.item_length(a.value, f) for a, f in passed.arguments if a.star == "*"
        ]
        counted = next((length for length in lengths if length is not None), None)
        whole = bool(known) and len(known) == len(passed.arguments)
        return DatasetSize(counted, known if whole else None)

    def _of_subset(self, passed: CallArguments) -> DatasetSize:
        given, indices = passed.written(_SUBSET, "dataset"), passed.written(_SUBSET, "indices")
        sample = None if given is None else self.of(*given).sample
        return DatasetSize(None if indices is None else self.sizes.length(*indices), sample)

    def _of_several(self, passed: CallArguments) -> DatasetSize:
        given = passed.written(_CONCAT, "datasets")
        items = None if given is None else _items(given[0])
        if given is None or items is None:
            return UNKNOWN_SIZE
        found = [self.of(item, given[1]) for item in items]
        return DatasetSize(
            total(size.length for size in found), one_of(size.sample for size in found)
        )

    # -- torchvision

    def _of_images(self, facts: DatasetFacts, passed: CallArguments) -> DatasetSize:
        return DatasetSize(self._chosen(facts, passed), self._sample(facts, passed))

    def _chosen(self, facts: DatasetFacts, passed: CallArguments) -> Range | None:
        """The length of the part that the arguments ask for."""
        given = passed.written(facts.parameters, facts.choice) if facts.choice else None
        if given is None:
            length = facts.lengths.get(facts.default)
            return None if length is None or passed.unpacked("**") else exactly(length)
        found = (a.value for a in self._context.evaluator.of(*given))
        parts = [v.value if isinstance(v, Literal) else None for v in found]
        lengths = [facts.lengths.get(p) if isinstance(p, str | bool) else None for p in parts]
        return joined(None if length is None else exactly(length) for length in lengths)

    def _sample(self, facts: DatasetFacts, passed: CallArguments) -> Arrays | None:
        """The image as its transform leaves it, and the label."""
        height, width = (None if n is None else exactly(n) for n in (facts.height, facts.width))
        dims = (exactly(facts.channels), height, width)
        image: Array | None = Array(dims, "uint8", is_image=True)
        given = passed.written(facts.parameters, "transform")
        if given is not None and image is not None:
            values = self._context.solver.values(*given)
            image = self.sizes.transforms.any_of(values, image)
        target = passed.written(facts.parameters, "target_transform")
        if image is None or image.is_image or target is not None or not facts.targets:
            return None
        return image, Array((), "int64")


def _one_of(found: list[DatasetSize]) -> DatasetSize:
    """The size of one of several data sets."""
    return DatasetSize(joined(size.length for size in found), one_of(size.sample for size in found))


def _in_frame(passed: CallArguments, frame: CallContext) -> CallArguments:
    """The arguments of an object, for all activations where these are not told apart."""
    own = ((a, frame if given.scope is frame.scope else given) for a, given in passed.arguments)
    return CallArguments(tuple(own))


def _items(listed: ex.Expression) -> tuple[ex.Expression, ...] | None:
    """What a list that is written out holds; None for another, and where code fills it later."""
    while isinstance(listed, ex.Reference) and listed.definition is not None:
        definition = listed.definition
        if is_resized(listed.name, with_inner(definition.scope)):
            return None
        listed = definition.value
    return listed.items if isinstance(listed, ex.Sequence) else None


def _portions(numbers: list[Range | None], length: Range | None) -> list[Range | None]:
    """The lengths of parts: numbers of samples, or fractions that come to 1 together."""
    known = [number for number in numbers if number is not None]
    if any(number.low < 0 for number in known):
        return [None] * len(numbers)
    if sum(number.high for number in known) > _ONE:
        return numbers
    parts = (None if n is None or length is None else n * length for n in numbers)
    return [None if part is None else part.floor() for part in parts]


def _arguments(call: ex.Call, frame: CallContext) -> CallArguments:
    return CallArguments.of(call.arguments, frame)
