"""dropped-eval-samples: an evaluation that leaves samples out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import ModuleIndex
from dlint.model.call_contexts import used
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.roles import is_only_tried, only_evaluates
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, TRUE, ClassObject, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.loops import BatchLoop

_ONE = Literal.of(1)
_MESSAGE = (
    "this DataLoader is only evaluated, and `drop_last=True` leaves out the samples of the last "
    "batch if it is not full, and the metric is then not that of the whole data; leave `drop_last` "
    "out"
)

_SHARED = (
    "one function makes a DataLoader to train on and one that is only evaluated, both with "
    "`drop_last=True`: the evaluation leaves out the samples of the last batch if it is not full, "
    "and its metric is not that of the whole data; drop it for training alone"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that drop their last batch, and that only evaluation loops read to the end."""
    for call, group in context[Loaders].by_call().items():
        loaders = used(group)
        wanting = [loader for loader in loaders if _is_wanting(loader)]
        if wanting and len(wanting) < len(loaders) and _is_shared(loaders, wanting):
            maker = Related(wanting[0].context_place, "this loader is only evaluated")
            at = wanting[0].argument_place("drop_last")
            yield Finding(Severity.WARNING, _SHARED, wanting[0].place, (maker,), argument=at)
        if not wanting or len(wanting) < len(loaders):
            continue
        if not context[Consumption].train_from(call):
            first = loaders[0]
            at = first.argument_place("drop_last")
            yield Finding(Severity.WARNING, _MESSAGE, first.place, (), _fix(first), at)


def _is_wanting(loader: Loader) -> bool:
    found = loader.argument("drop_last")
    if not found or any(a.value != TRUE or a.assumed is not None for a in found):
        return False
    if any(a.value not in (ABSENT, NONE) for a in loader.argument("sampler")):
        return False
    if all(a.value in (ABSENT, _ONE) for a in loader.argument("batch_size")):
        return False  # a batch of one sample is always full
    if not loader.is_made or any(loop.stops_early for loop in loader.loops):
        return False
    if is_only_tried(loader) or takes_full_batches(loader):
        return False
    return only_evaluates(loader)


def _is_shared(loaders: list[Loader], wanting: list[Loader]) -> bool:
    """Whether callers of one function get a loader each, to train on or to evaluate only."""
    others = [loader for loader in loaders if loader not in wanting]
    places = {loader.context_place for loader in others}
    return (
        all(loader.has_context for loader in loaders)
        and any(loader.trains for loader in others)
        and not any(loader.context_place in places for loader in wanting)
    )


def _fix(loader: Loader) -> Fix | None:
    """Evaluate all samples, where the call itself drops some."""
    if loader.written("drop_last") is None:
        return None
    operation = RemoveArgument(loader.place, "drop_last", loader.position("drop_last"), "False")
    return Fix(Applicability.UNSAFE, "Evaluate the last batch too", (operation,))


_SIZE = re.compile(r"^(n_?)?(val_?|test_?|eval_?)?batch_?size$|^bs$", re.I)
"""Names of the number of samples in a batch."""

_COMPARING = re.compile(rb"contrastiv|contrast_loss|info_?nce|nce_loss|nt_?xent|triplet", re.I)
"""Words of losses that compare the samples of a batch with one another."""


def takes_full_batches(loader: Loader) -> bool:
    """Whether an evaluation counts by the size of a batch, or its loss depends on that size."""
    project = loader.context.project
    modules = {loader.call.scope.module, *(loop.scope.module for loop in loader.loops)}
    return any(map(_counts_by_size, loader.loops)) or any(
        _COMPARING.search(project.text(module.path)) or _builds_by_size(loader.context, module)
        for module in modules
    )


def _builds_by_size(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a model of the project is made for batches of one size."""
    calls = [call for scope in module.scopes for call in scope.calls]
    sized = (call for call in calls if any(map(_is_size, call.arguments)))
    return any(_is_model(context, call) for call in sized)


def _is_model(context: AnalysisContext, call: ex.Call) -> bool:
    classes = context.solver.classes
    found = context.values(call.function, call.scope)
    bases = [b for v in found if isinstance(v, ClassObject) for b in classes.externals(v.cls)]
    return any(base.startswith("torch.nn.") for base in bases)


def _is_size(argument: ex.Argument) -> bool:
    given = argument.value
    named = given.name if isinstance(given, ex.Reference | ex.Attribute) else ""
    return any(name and _SIZE.search(name) for name in (argument.keyword, named))


def _counts_by_size(loop: BatchLoop) -> bool:
    """Whether a loop speaks of the size of a batch that was not taken from the batch itself."""
    for statement in () if loop.body is None else walk.statements(loop.body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Reference | ex.Attribute) and _SIZE.search(part.name):
                    made = part.definition if isinstance(part, ex.Reference) else None
                    if made is None or made.span < loop.statement.span:
                        return True
    return False
