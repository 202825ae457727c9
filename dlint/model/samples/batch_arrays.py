"""Arrays that collate functions make of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import is_call_to
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts import batches as known
from dlint.model.samples import samples
from dlint.model.samples.gathered_parts import gathers_arrays

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


_CHAIN = 8


class BatchArray(NamedTuple):
    """A call that joins samples to an array, which the function returns as it is."""

    place: Place
    function: Scope
    name: str


def batch_arrays(loader: Loader) -> Iterator[BatchArray]:
    """The arrays that the collate functions of a loader return."""
    for function in samples.collate_functions(loader) or ():
        if function.yields or function.is_async:
            continue
        for result in function.returns:
            for part, key in _parts(result):
                call = _joined(loader, part, function)
                if call is not None and not _is_small(call, part, key):
                    place = Place(call.scope.module.path, *call.span)
                    yield BatchArray(place, function, call.name or "")


def _parts(result: ex.Expression) -> Iterator[tuple[ex.Expression, str]]:
    """The parts of a batch, with their keys in a dict."""
    value = _defined(result)
    if isinstance(value, ex.Sequence):
        yield from ((item, "") for item in value.items)
    elif isinstance(value, ex.Mapping):
        for key, item in value.items:
            text = key.value if isinstance(key, ex.Constant) else ""
            yield item, text if isinstance(text, str) else ""
    else:
        yield result, ""


def _defined(e: ex.Expression) -> ex.Expression:
    for _ in range(_CHAIN):
        if not isinstance(e, ex.Reference) or e.definition is None:
            break
        e = e.definition.value
    return e


def _joined(loader: Loader, part: ex.Expression, function: Scope) -> ex.Call | None:
    """The joining call that a part is the result of, reshaped or converted at most."""
    e = part
    for _ in range(_CHAIN):
        e = _defined(e)
        if not isinstance(e, ex.Call):
            return None
        if is_call_to(loader.context, e, known.JOINING) or _is_gathered(loader, e, function):
            return e
        if not isinstance(e.function, ex.Attribute) or e.name not in known.KEEPING:
            return None
        e = e.function.value
    return None


def _is_gathered(loader: Loader, call: ex.Call, function: Scope) -> bool:
    """`np.array(images)` of a list with an array of each sample."""
    listed = written(call, 0)
    if listed is None or not is_call_to(loader.context, call, known.GATHERING):
        return False
    return gathers_arrays(loader, listed, function)


def _is_small(call: ex.Call, part: ex.Expression, key: str) -> bool:
    """Whether names say that an array holds a number or two for each sample."""
    names = [key]
    names += [p.name for p in (part, *_names(call)) if isinstance(p, ex.Reference | ex.Attribute)]
    constants = [p.value for p in _names(call) if isinstance(p, ex.Constant)]
    names += [value for value in constants if isinstance(value, str)]
    return any(known.SMALL.search(name) for name in names)


def _names(call: ex.Call) -> Iterator[ex.Expression]:
    for argument in call.arguments:
        yield from walk.walk(argument.value)
