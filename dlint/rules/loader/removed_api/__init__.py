"""removed-api: what newer versions of torch and torchdata no longer have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, ReplaceExpression, ReplaceStatement
from dlint.model.versions import Versions
from dlint.rules.loader.removed_api import removed

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
    for call in removed.next_calls(context):
        message = (
            "iterators of a DataLoader have no method `next` since torch 1.13, so this raises "
            f"AttributeError; write `next({call.receiver})`"
        )
        mended = ReplaceExpression(call.place, f"next({call.receiver})")
        fix = Fix(_SAFE, "Call `next` as a function", (mended,))
        yield Finding(Severity.ERROR, message, call.place, (), fix)
    for use in removed.six_uses(context):
        yield _six(use)
    for source in removed.data_sources(context):
        finding = _data_source(context, source)
        if finding is not None:
            yield finding
    for place, name in removed.pipe_imports(context):
        message = (
            f"`{name}` is gone since torchdata 0.11, so the import raises ModuleNotFoundError; "
            "use a Dataset, or pin an older torchdata"
        )
        yield Finding(Severity.ERROR, message, place)


def _six(use: removed.SixUse) -> Finding:
    error = (
        "the import raises ModuleNotFoundError" if use.is_import else "this raises AttributeError"
    )
    known = [_INSTEAD[name] for name in use.names if name in _INSTEAD]
    advice = f"use {' and '.join(known)}" if known else "what it held is in the standard library"
    message = f"torch has no `torch._six` since 2.0, so {error}; {advice}"
    fix = None
    if use.mended is not None:
        operation: Operation = (
            ReplaceStatement(use.place, use.mended)
            if use.is_import
            else ReplaceExpression(use.place, use.mended)
        )
        fix = Fix(_SAFE, "Take it from the standard library", (operation,))
    return Finding(Severity.ERROR, message, use.place, (), fix)


def _data_source(context: AnalysisContext, source: removed.DataSource) -> Finding | None:
    """The argument that `Sampler.__init__` took up to torch 2.9."""
    admitted = context[Versions].torch(source.path)
    if not admitted.ever("sampler-refuses-data-source"):
        return None
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
    return Finding(Severity.ERROR, message, source.place, (), fix)
