"""removed-api: what newer versions of torch and torchdata no longer have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, ReplaceExpression, ReplaceStatement
from dlint.findings.places import Place
from dlint.model.versions.admitted import Versions
from dlint.model.versions.removed_names import (
    DataSource,
    SixUse,
    data_sources,
    next_calls,
    pipe_imports,
    six_uses,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE
_INSTEAD = {
    "container_abcs": "`collections.abc`",
    "string_classes": "`(str, bytes)`",
    "int_classes": "`int`",
    "inf": "`math.inf`",
    "nan": "`math.nan`",
    "PY3": "`sys.version_info`",
    "PY37": "`sys.version_info`",
}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """`.next()`, `torch._six`, data sources of samplers, data pipes."""
    for call in next_calls(context):
        message = (
            "iterators of a DataLoader have no method `next` since torch 1.13, so this raises "
            f"AttributeError; write `next({call.receiver})`"
        )
        fixed = ReplaceExpression(call.place, f"next({call.receiver})")
        fix = Fix(_SAFE, "Call `next` as a function", (fixed,))
        yield Finding(
            Severity.ERROR, message, call.place, (), fix, needs=("iterator-without-next",)
        )
    for use in six_uses(context):
        yield _six(use)
    for source in data_sources(context):
        yield _data_source(context, source)
    yield from _pipe_findings(context)


def _pipe_findings(context: AnalysisContext) -> Iterator[Finding]:
    """The first import of data pipes in each file: behind it nothing runs."""
    found: dict[str, list[tuple[Place, str]]] = {}
    for place, name in pipe_imports(context):
        found.setdefault(place.path, []).append((place, name))
    for (place, name), *others in found.values():
        message = (
            f"`{name}` is gone since torchdata 0.10, so the import raises ModuleNotFoundError; "
            "use a Dataset, or pin an older torchdata"
        )
        related = tuple(Related(other, "it is imported here too") for other, _ in others[:3])
        yield Finding(Severity.ERROR, message, place, related)


def _six(use: SixUse) -> Finding:
    error = f"the import raises {use.error}" if use.is_import else f"this raises {use.error}"
    known = [_INSTEAD[name] for name in use.names if name in _INSTEAD]
    advice = f"use {' and '.join(known)}" if known else "what it held is in the standard library"
    message = f"torch has no `torch._six` since 2.0, so {error}; {advice}"
    fix = None
    if use.fixed is not None:
        operation: Operation = (
            ReplaceStatement(use.place, use.fixed)
            if use.is_import
            else ReplaceExpression(use.place, use.fixed)
        )
        fix = Fix(_SAFE, "Take it from the standard library", (operation,))
    return Finding(Severity.ERROR, message, use.place, (), fix, needs=("without-torch-six",))


def _data_source(context: AnalysisContext, source: DataSource) -> Finding:
    """The argument that `Sampler.__init__` took up to torch 2.9."""
    admitted = context[Versions].torch(source.path)
    required = admitted.ever("sampler-requires-data-source")
    advice = "leave the call out" if required else "call `super().__init__()`"
    if required:
        advice += ", or call `super().__init__()` where torch is newer than 2.0"
    message = (
        "`Sampler` takes no `data_source` since torch 2.10, so this constructor raises TypeError; "
        + advice
    )
    fix = None
    if source.position is not None:
        operation = RemoveArgument(source.place, "data_source", source.position)
        fix = Fix(_UNSAFE if required else _SAFE, "Leave out `data_source`", (operation,))
    needs = ("sampler-refuses-data-source",)
    return Finding(Severity.ERROR, message, source.place, (), fix, needs=needs)
