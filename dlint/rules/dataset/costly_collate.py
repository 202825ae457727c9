"""costly-collate: batches of NumPy arrays, which workers send by value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import is_call_to
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts import batches as known
from dlint.model import samples
from dlint.model.loaders import Loaders
from dlint.model.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Collate functions that return arrays of joined samples, in loaders with workers."""
    reported: set[Place] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            if loader.workers_present is None:
                continue
            found = next(batch_arrays(loader), None)
            if found is not None and found.place not in reported:
                reported.add(found.place)
                yield _finding(loader, found)


def _finding(loader: Loader, found: BatchArray) -> Finding:
    assert loader.workers_present is not None
    message = (
        f"`{found.function.name}` returns a NumPy array: a worker copies it through a pipe, byte "
        f"by byte, while a tensor goes through shared memory ({text_of(loader.workers_present)}); "
        "return a tensor, such as by `torch.from_numpy`"
    )
    related = (Related(loader.place, "the workers of this loader collate with it"),)
    return Finding(Severity.WARNING, message, found.place, related)


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
                call = _joined(loader.context, part, function)
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


def _joined(context: AnalysisContext, part: ex.Expression, scope: Scope) -> ex.Call | None:
    """The joining call that a part is the result of, reshaped or converted at most."""
    e = part
    for _ in range(_CHAIN):
        e = _defined(e)
        if not isinstance(e, ex.Call):
            return None
        if is_call_to(context, e, known.JOINING):
            return e
        if not isinstance(e.function, ex.Attribute) or e.name not in known.KEEPING:
            return None
        e = e.function.value
    return None


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
