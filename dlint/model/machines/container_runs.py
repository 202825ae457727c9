"""Scripts of the project that containers run, and the loaders that they come to.

Question: which script does a line of a Dockerfile, a compose file or a shell script start in a
container, with how many workers? The frontends lower such lines to calls; a path inside the
container is matched with the one file of the project that ends like it. Given up on: paths that
several files may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_to
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.containers import RUN
from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class ContainerRun(NamedTuple):
    """A script that a container runs."""

    place: Place
    script: str
    """Its path in the project."""
    workers: int | None
    """What the command says of the number of workers."""
    kind: str
    is_open: bool
    """Whether the command may be given words that are not known."""
    loaders: tuple[Loader, ...]
    """The loaders of the modules that the script imports, and its own."""
    description: Place | None
    """Where the container is described, if not by its command alone."""


def container_runs(context: AnalysisContext) -> Iterator[ContainerRun]:
    """The scripts of the project that containers run, in the order of places."""
    for call in calls_to(context, RUN):
        given = {
            a.keyword: a.value.value for a in call.arguments if isinstance(a.value, ex.Constant)
        }
        script = _script(context, str(given["script"]))
        if script is not None:
            context.project.load(script)
            workers = given["workers"]
            yield ContainerRun(
                context.place_of(call),
                script,
                workers if isinstance(workers, int) else None,
                str(given["kind"]),
                bool(given["is_open"]),
                tuple(_loaders(context, script)),
                _description(call),
            )


def _description(call: ex.Call) -> Place | None:
    said = written(call, None, "described")
    return None if said is None else Place(call.scope.module.path, *said.span)


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
