"""Containers that run a script of the project in the shared memory they get by default."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.containers import RUN
from dlint.model.loaders import Loaders
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


class Run(NamedTuple):
    """A script that a container runs."""

    place: Place
    script: str
    """Its path in the project."""
    workers: int | None
    """What the command says of the number of workers."""
    kind: str
    loaders: tuple[Loader, ...]
    """The loaders of the modules that the script imports, and its own."""


def runs(context: AnalysisContext) -> Iterator[Run]:
    """The scripts of the project that containers run, in the order of places."""
    name = RUN.rpartition(".")[2]
    for facts in context.modules:
        for call in filter(partial(_starts, context), facts.calls.get(name, ())):
            given = {
                a.keyword: a.value.value for a in call.arguments if isinstance(a.value, ex.Constant)
            }
            script = _script(context, str(given["script"]))
            if script is not None:
                workers = given["workers"]
                yield Run(
                    context.place_of(call),
                    script,
                    workers if isinstance(workers, int) else None,
                    str(given["kind"]),
                    tuple(_loaders(context, script)),
                )


def _starts(context: AnalysisContext, call: ex.Call) -> bool:
    found = context.solver.names.static(call.function, call.scope)
    return any(isinstance(value, External) and value.path == RUN for value in found)


def _script(context: AnalysisContext, name: str) -> str | None:
    """The one file that a path inside a container can be; the longer its match the better."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    for start in range(len(parts)):
        ending = "/" + "/".join(parts[start:])
        found = [path for path in context.project.files if path.endswith(ending)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _loaders(context: AnalysisContext, script: str) -> Iterator[Loader]:
    paths = context.project.graph.closed(script)
    for group in context[Loaders].by_call().values():
        yield from (loader for loader in group if loader.place.path in paths)
