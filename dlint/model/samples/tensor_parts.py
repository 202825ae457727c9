"""Which parts of a batch are tensors, by what the data set gives for one sample.

torch's own collate function makes tensors of numbers, arrays and tensors, and leaves texts alone.
A part is named as the loop takes it: by its position, or by its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import certainly_calls, library_callees
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.ir import expressions as ex
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.tensors import OF_TENSORS, UNSTACKED
from dlint.library_facts.torchvision import dataset_facts
from dlint.semantics.calls import attributes
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.values import Value

Key = int | str
_Asks = Callable[["AnalysisContext", ex.Expression, "Scope"], bool]
_TEXTS = frozenset(
    {"builtins.str", "os.path.basename", "os.path.dirname", "os.path.join", "os.path.abspath"}
)
"""Functions of the standard library that give a text."""
_REDUCING = frozenset({"sum", "mean", "std", "prod"})
"""Methods by which an array or a tensor becomes a smaller one, or a number."""


def part_of(value: ex.Expression) -> Key | None:
    """The position or key by which a value is taken out of a batch; None where it is not plain."""
    found = origin_of(value)
    if isinstance(found, ex.Subscript) and isinstance(found.index, ex.Constant):
        key, whole = found.index.value, _is_batch(origin_of(found.value))
        return key if whole and isinstance(key, int | str) else None
    if isinstance(found, ex.Item) and not found.starred and found.position >= 0:
        return found.position if _is_batch(found.value) else None
    return None


def _is_batch(value: ex.Expression) -> bool:
    """Whether a value is what a loop takes of its iterable, or the second of what it counts."""
    if isinstance(value, ex.Item):
        inner = value.value
        counted = isinstance(inner, ex.Element) and _counts(inner)
        return value.position == 1 and counted
    return isinstance(value, ex.Element) and not _counts(value)


def _counts(element: ex.Element) -> bool:
    return isinstance(element.source, ex.Call) and element.source.name == "enumerate"


def is_tensor_part(loader: Loader, key: Key) -> bool:
    """Whether a part of each batch of a loader certainly is a tensor."""
    if loader.values("collate_fn") - {NONE}:
        return False
    found = [_gives_tensor(loader.context, value, key) for value in loader.values("dataset")]
    return bool(found) and all(found)


def is_text_part(loader: Loader, key: Key) -> bool:
    """Whether a part of each batch of a loader certainly is a list of texts: names, paths."""
    if loader.values("collate_fn") - {NONE}:
        return False
    found = [_gives(loader.context, value, key, _is_text) for value in loader.values("dataset")]
    return bool(found) and all(found)


def _gives_tensor(context: AnalysisContext, dataset: Value, key: Key) -> bool:
    if is_of_library(dataset):
        labels = key == 1 and _are_numbers(context, dataset)
        return labels or library_path(dataset) in TENSOR_DATASETS
    return _gives(context, dataset, key, _is_number)


def _are_numbers(context: AnalysisContext, dataset: AllocationSite) -> bool:
    """Whether the labels of a library's data set are single numbers, and stay so."""
    passed, facts = context.solver.passed.get(dataset), dataset_facts(library_path(dataset))
    if passed is None or facts is None or facts.targets != 1 or passed.unpacked("**"):
        return False
    given = passed.written(facts.parameters, "target_transform")
    return given is None or context.solver.values(*given) == {NONE}


def _gives(context: AnalysisContext, dataset: Value, key: Key, is_such: _Asks) -> bool:
    """Whether each sample of a data set of the project that is written out holds such a part."""
    cls = attributes.project_class(dataset)
    method = None if cls is None else context.solver.classes.method(cls, "__getitem__")
    if method is None or method.yields or method.decorators or not method.returns:
        return False
    parts = [_part(sample, key) for r in method.returns for sample in alternatives_of(r)]
    return all(
        part is not None and all(is_such(context, way, method) for way in alternatives_of(part))
        for part in parts
    )


def _part(sample: ex.Expression, key: Key) -> ex.Expression | None:
    """What a sample that is written out holds by a key."""
    if isinstance(sample, ex.Mapping):
        items = [(ex.constant(k), v) for k, v in sample.items]
        found = [v for k, v in items if k is not None and k.value == key]
        return found[-1] if found and all(k is not None for k, _ in items) else None
    if isinstance(sample, ex.Sequence) and isinstance(key, int) and key < len(sample.items):
        plain = not any(isinstance(item, ex.Starred) for item in sample.items)
        return sample.items[key] if plain else None
    return None


def _is_number(context: AnalysisContext, value: ex.Expression, method: Scope) -> bool:
    match _receiver(value):
        case ex.Constant() as constant:
            return isinstance(constant.value, int | float)
        case ex.Parameter() as parameter:
            return parameter.name in _index(method)
        case ex.Binary() as binary:
            sides = (origin_of(binary.left), origin_of(binary.right))
            if any(isinstance(s, ex.Call) and _makes_tensor(context, s) for s in sides):
                return True
            numbers = [s for s in sides if isinstance(s, ex.Parameter | ex.Constant)]
            return len(numbers) == 2 and all(_is_number(context, s, method) for s in numbers)
        case ex.Subscript() as taken:
            return _is_array(context, taken.value, method)
        case ex.Call() as call:
            return _makes_tensor(context, call)
    return False


def _is_text(context: AnalysisContext, value: ex.Expression, _: Scope) -> bool:
    """Whether a value of a sample is a text, which the default collate function leaves alone."""
    match origin_of(value):
        case ex.Format():
            return True
        case ex.Constant() as constant:
            return isinstance(constant.value, str | bytes)
        case ex.Call() as call:
            return certainly_calls(context, call, _TEXTS)
    return False


def _receiver(value: ex.Expression) -> ex.Expression:
    """The value that methods which tensors and arrays alone have are called on."""
    found = origin_of(value)
    while isinstance(found, ex.Call) and isinstance(found.function, ex.Attribute):
        if found.name not in OF_TENSORS | _REDUCING:
            break
        found = origin_of(found.function.value)
    return found


def _index(method: Scope) -> Iterator[str]:
    """The parameter that a data set is indexed by: a number, by every sampler of torch."""
    given = method.parameters[1 if takes_receiver(method) else 0 :]
    return (parameter.name for parameter in given[:1])


def _is_array(context: AnalysisContext, value: ex.Expression, method: Scope) -> bool:
    """Whether a value is an array that a library made, so that its rows are arrays or numbers."""
    values = context.values(value, method)
    made = [v.call for v in values if isinstance(v, AllocationSite)]
    return len(made) == len(values) > 0 and all(_makes_tensor(context, call) for call in made)


def _makes_tensor(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call makes a number, an array of numbers or a tensor."""
    if ex.is_free(call.function) and call.name in ("int", "float", "len"):
        return True
    paths = library_callees(context, call)
    return bool(paths) and all(
        path.startswith(("torch.", "numpy.")) and path.rpartition(".")[2] not in UNSTACKED
        for path in paths
    )
