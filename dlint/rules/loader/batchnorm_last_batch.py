"""batchnorm-last-batch: a last batch of one sample, of which batch norm has no statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import SetArgument
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Jump, Loop, Return
from dlint.library_facts.batch_norms import SAME_CALLS
from dlint.model.batch_norms import PointNorm, point_norm
from dlint.model.loaders import Loaders
from dlint.model.loops import calls_in
from dlint.model.volume import LoaderVolume, volume_of
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, NONE, Batch, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop


class Found(NamedTuple):
    """A loop that trains a model with such a norm on every batch of a loader."""

    loop: BatchLoop
    norm: PointNorm


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that leave one sample over, for a model that normalizes over the batch."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            finding = _of_loader(context, loader)
            if finding is not None:
                yield finding
                break


def _of_loader(context: AnalysisContext, loader: Loader) -> Finding | None:
    volume = volume_of(loader)
    if not loader.is_made or not _keeps_last(loader) or not _may_be_one(volume):
        return None
    for loop in loader.loops:
        norm = _norm(context, loader, loop) if _reads_all(loop) else None
        if norm is not None:
            return _finding(loader, volume, Found(loop, norm))
    return None


def _keeps_last(loader: Loader) -> bool:
    """Whether the loader certainly makes batches itself, and gives the last one as it is."""
    given = {
        name: {a.value for a in loader.argument(name)} for name in ("batch_sampler", "drop_last")
    }
    collate = {a.value for a in loader.argument("collate_fn")}
    return (
        given["batch_sampler"] <= {ABSENT, NONE}
        and given["drop_last"] <= {ABSENT, FALSE}
        and collate <= {ABSENT, NONE}
    )


def _may_be_one(volume: LoaderVolume) -> bool:
    """Whether the last batch is one sample, or it is not known how many samples there are."""
    samples, size = volume.samples, volume.batch_size
    if size is None or not size.is_exact or size.low <= 1:
        return False
    return samples is None or (samples.is_exact and samples.low % size.low == 1)


def _reads_all(loop: BatchLoop) -> bool:
    """Whether a loop that takes gradients goes on to the last batch, whatever it looks like."""
    if not isinstance(loop.statement, Loop) or loop.is_single or not loop.takes_gradients:
        return False
    return not any(isinstance(s, Return | Jump) for s in walk.statements(loop.statement.body))


def _norm(context: AnalysisContext, loader: Loader, loop: BatchLoop) -> PointNorm | None:
    """The norm in the model that each round calls on the batch, in train mode."""
    loop_statement = loop.statement
    if loop.body is None or not isinstance(loop_statement, Loop) or _is_frozen(loop):
        return None
    for call in calls_in(loop.body):
        given = next(iter(positional(call)), None)
        if given is None or not runs_each_round(call, loop_statement):
            continue
        if _is_batch(loader, context.values(_source(given), call.scope)):
            norm = point_norm(context, call, _dimensions(loader, given))
            if norm is not None:
                return norm
    return None


def _is_batch(loader: Loader, values: Iterable[Value]) -> bool:
    """Whether values are batches of a loader, whichever activation has made it."""
    found = [v.loader for v in values if isinstance(v, Batch)]
    one_call = all(made.call is loader.made.call for made in found)
    return loader.made in found and one_call and len(found) == len(list(values))


def _source(given: ex.Expression) -> ex.Expression:
    """The part of a batch that is given, before it is copied or converted."""
    part = given
    while True:
        made = origin_of(part)
        callee = made.function if isinstance(made, ex.Call) else None
        if not isinstance(made, ex.Call) or not isinstance(callee, ex.Attribute):
            return part
        if made.name not in SAME_CALLS:
            return part
        part = callee.value


def _is_frozen(loop: BatchLoop) -> bool:
    """Whether something is switched to evaluation and nothing back: `model.eval()`."""
    names = {call.name for call in loop.scope.calls}
    return "eval" in names and "train" not in names


def _dimensions(loader: Loader, given: ex.Expression) -> int | None:
    """The dimensions of the part of a batch that an expression is; None where not known."""
    sample = volume_of(loader).data.sample
    part = origin_of(_source(given))
    position = part.position if isinstance(part, ex.Item) else 0
    if not sample or position >= len(sample):
        return None
    return len(sample[position].dims) + 1


def _finding(loader: Loader, volume: LoaderVolume, found: Found) -> Finding:
    samples, size = volume.samples, volume.batch_size
    assumed = [*(samples.assumed if samples else ()), *(size.assumed if size else ())]
    by = f", by the {', '.join(dict.fromkeys(assumed))}" if assumed else ""
    if samples is None or size is None:
        which = "where the number of samples leaves one over, the last batch is a single one, and"
    else:
        which = f"{samples.low:,.0f} samples in batches of {size.low:,.0f}{by} leave one over, and"
    message = (
        f"{which} {found.norm.what} raises ValueError for a batch of one sample in training: "
        "expected more than 1 value per channel; set `drop_last=True`"
    )
    related = (
        Related(found.norm.place, "the batch norm is made here"),
        Related(found.loop.place, "this loop trains on every batch"),
    )
    severity = Severity.INFO if samples is None else Severity.ERROR
    return Finding(severity, message, loader.place, related, _fix(loader))


def _fix(loader: Loader) -> Fix | None:
    if not loader.is_spelled_out or loader.written("drop_last") is not None:
        return None
    operation = SetArgument(loader.place, "drop_last", "True", loader.position("drop_last"))
    return Fix(Applicability.UNSAFE, "Leave out the last batch", (operation,))
