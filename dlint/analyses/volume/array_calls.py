"""Calls that make arrays, or others of arrays: how large their results are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.volume.arrays import Array, Dimension, scalar
from dlint.analyses.volume.images import dtype_name
from dlint.analyses.volume.ranges import Range, exactly
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.library_facts import array_sizes as known
from dlint.semantics.calls.call_contexts import CallArguments, CallContext

if TYPE_CHECKING:
    from dlint.analyses.volume.sizes import Sizes
    from dlint.library_facts.array_sizes import Maker

_NUMBERS = {"builtins.int": "int", "builtins.len": "int", "builtins.float": "float"}


def range_length(numbers: list[Range | None]) -> Range | None:
    """How many numbers `range` of one or two arguments gives; an unknown start is 0 or more."""
    if not 1 <= len(numbers) <= 2 or numbers[-1] is None:
        return None
    start, stop = exactly(0) if len(numbers) == 1 else numbers[0], numbers[-1]
    return replace(stop, low=0) if start is None else stop - start


def made(sizes: Sizes, call: ex.Call, frame: CallContext) -> Array | None:
    """The array that a call gives; None where that is not known."""
    for path in sizes.paths(call, frame):
        if path in known.MAKERS:
            return _new(sizes, known.MAKERS[path], call, frame)
        first = written(call, 0)
        if path in known.KEEPING_FUNCTIONS and first is not None:
            return _kept(sizes, call, first, path, frame)
        if path in known.TENSOR_TYPES:
            return _of_tensor_type(sizes, call, path, frame)
        if path in known.IMAGE_READERS:
            channels, dtype = known.IMAGE_READERS[path]
            count = None if channels is None else exactly(channels)
            return Array((count, None, None), dtype, is_image=path.startswith("PIL."))
        if path in _NUMBERS:
            return scalar(_NUMBERS[path])
    transformed = _transformed(sizes, call, frame)
    if transformed is not None:
        return transformed
    return _method(sizes, call, frame) if isinstance(call.function, ex.Attribute) else None


def item(sizes: Sizes, part: ex.Item, frame: CallContext) -> Array | None:
    """One of the arrays that a call gives at once: drawn samples, or their labels."""
    call = ex.unnamed(part.value)
    if not isinstance(call, ex.Call) or part.starred or part.position not in (0, 1):
        return None
    found = (known.DRAWN_SAMPLES.get(path) for path in sizes.paths(call, frame))
    samples = next(filter(None, found), None)
    if samples is None or any(argument.star for argument in call.arguments):
        return None
    usual = dict(zip(("n_samples", "n_features"), (samples.number, samples.features), strict=True))
    passed = CallArguments.of(call.arguments, frame)
    if any(passed.keyword(name) for name in known.OTHER_SHAPES):
        return None
    dims: list[Dimension] = []
    for name, number in usual.items():
        given = passed.written(samples.parameters, name) if name in samples.parameters else None
        dims.append(exactly(number) if given is None else sizes.number(*given))
    return Array(tuple(dims[: 2 - part.position]), "float64")


def _new(sizes: Sizes, maker: Maker, call: ex.Call, frame: CallContext) -> Array | None:
    if any(argument.star for argument in call.arguments):
        return None
    passed = CallArguments.of(call.arguments, frame)
    dtype = _dtype(passed, maker.parameters) or maker.dtype
    if maker.shape == "*":
        plain = positional(call)
        given = passed.keyword("size")
        dims = _dims(sizes, plain if given is None else [given[0].value], frame)
        return Array(dims, dtype) if dims is not None else None
    name = maker.parameters[0] if maker.shape in ("range", "square") else maker.shape
    size = passed.written(maker.parameters, name)
    dims = None if size is None else _dims(sizes, [size[0]], size[1])
    if dims is None or (maker.shape == "range" and len(call.arguments) > len(maker.parameters)):
        return None
    return Array(dims * 2 if maker.shape == "square" else dims, dtype)


def _dims(
    sizes: Sizes, values: list[ex.Expression], frame: CallContext
) -> tuple[Dimension, ...] | None:
    """The dimensions that arguments say, one by one or in a tuple."""
    if len(values) == 1:
        only = values[0]
        while isinstance(only, ex.Reference) and only.definition is not None:
            only = only.definition.value
        if isinstance(only, ex.Sequence):
            values = list(only.items)
    if any(isinstance(value, ex.Starred) for value in values):
        return None
    return tuple(sizes.number(value, frame) for value in values)


def _dtype(passed: CallArguments, parameters: tuple[str, ...] = ()) -> str | None:
    given = passed.written(parameters, "dtype")
    return None if given is None else dtype_name(given[0])


def _kept(
    sizes: Sizes, call: ex.Call, first: ex.Expression, path: str, frame: CallContext
) -> Array | None:
    """An array of the size of the first argument; of a list of numbers if that is one.

    torch makes numbers of its own default type of Python's.
    """
    passed = CallArguments.of(call.arguments, frame)
    found = sizes.array(first, frame)
    plain = found is None or not found.dims
    if plain:
        found = _of_list(sizes, first, frame) or found
    if found is None:
        return None
    if plain and path.startswith("torch.") and found.dtype == "float64":
        found = found.of_type("float32")
    return found.of_type(_dtype(passed))


def _of_tensor_type(sizes: Sizes, call: ex.Call, path: str, frame: CallContext) -> Array | None:
    """The tensor that a type is called for: of dimensions, or of what a sequence holds."""
    values = positional(call)
    if not values or any(argument.star for argument in call.arguments):
        return None
    dtype = known.TENSOR_TYPES[path]
    first = sizes.array(values[0], frame)
    if len(values) > 1 or (first is not None and not first.dims):
        return Array(tuple(sizes.number(value, frame) for value in values), dtype)
    found = _kept(sizes, call, values[0], path, frame)
    return None if found is None else found.of_type(dtype)


def _of_list(sizes: Sizes, value: ex.Expression, frame: CallContext) -> Array | None:
    """The array that is made of a list of arrays or numbers that are alike."""
    while isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    length = sizes.length(value, frame)
    if isinstance(value, ex.Sequence) and value.items:
        element = sizes.array(value.items[0], frame)
    elif isinstance(value, ex.Comprehension):
        element = sizes.array(value.element, frame)
    else:
        return None
    return None if element is None else replace(element, dims=(length, *element.dims))


def _transformed(sizes: Sizes, call: ex.Call, frame: CallContext) -> Array | None:
    """What a transform object gives for what it is called with."""
    first = written(call, 0)
    if first is None:
        return None
    values = sizes.context.solver.values(call.function, frame)
    if not values or not all(map(sizes.transforms.is_known, values)):
        return None
    image = sizes.array(first, frame)
    return None if image is None else sizes.transforms.any_of(values, image)


def _method(sizes: Sizes, call: ex.Call, frame: CallContext) -> Array | None:
    """What a method of an array gives."""
    assert isinstance(call.function, ex.Attribute)
    base = sizes.array(call.function.value, frame)
    if base is None:
        return None
    values = positional(call)
    name = call.name or ""
    if name in known.CASTING_METHODS:
        return base.of_type(known.CASTING_METHODS[name])
    if name in known.KEEPING_METHODS:
        named = [a.value for a in call.arguments if not a.star]
        return base.of_type(next(filter(None, map(dtype_name, named)), None))
    if name in ("view", "reshape"):
        dims = _dims(sizes, values, frame)
        return None if dims is None else base.reshaped(dims)
    if name == "convert" and base.is_image and values and isinstance(values[0], ex.Constant):
        channels = known.IMAGE_MODES.get(str(values[0].value))
        return None if channels is None else replace(base, dims=(exactly(channels), *base.dims[1:]))
    if name == "item":
        return scalar("int" if base.dtype.startswith(("int", "uint")) else "float")
    return _rearranged(sizes, name, base, values, frame)


def _rearranged(
    sizes: Sizes, name: str, base: Array, values: list[ex.Expression], frame: CallContext
) -> Array | None:
    """Methods that change the order or the number of dimensions."""
    numbers = [sizes.number(value, frame) for value in values]
    axes = [int(n.low) for n in numbers if n is not None and n.is_exact]
    count = len(base.dims)
    if len(axes) != len(numbers) or any(not -count - 1 <= axis <= count for axis in axes):
        return None
    if name == "permute" and sorted(axes) == list(range(count)):
        return replace(base, dims=tuple(base.dims[axis] for axis in axes))
    if name == "transpose" and len(axes) == 2 and max(axes) < count:
        dims = list(base.dims)
        dims[axes[0]], dims[axes[1]] = dims[axes[1]], dims[axes[0]]
        return replace(base, dims=tuple(dims))
    if name == "unsqueeze" and len(axes) == 1:
        at = axes[0] if axes[0] >= 0 else count + 1 + axes[0]
        return replace(base, dims=(*base.dims[:at], exactly(1), *base.dims[at:]))
    if name in ("flatten", "ravel") and not axes:
        return replace(base, dims=(base.items,))
    return replace(base, dims=base.dims[::-1]) if name == "t" and count == 2 else None
