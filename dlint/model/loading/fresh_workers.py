"""Whether the workers of a loader begin as new interpreters, and on whose word.

Question: by which method do workers start, wherever the project says that it runs; what only works
when they are forked fails there. Followed: what the program chooses, the Python versions and the
platforms that the project admits. A program that looks at its platform is taken to provide for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.library_facts.start_methods import FRESH, StartMethod
from dlint.model.machines.platforms import Admission, Platforms
from dlint.model.transfers.devices import chooses_itself
from dlint.model.transfers.mps_paths import excludes_mps
from dlint.model.workers.starting import (
    are_surely_forked,
    is_method_chosen,
    start_methods_of,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex
    from dlint.model.loading.loader import Loader

_ELSEWHERE = "spawn (macOS, Windows) or forkserver (Python 3.14 on Linux)"


@dataclass(frozen=True, slots=True)
class FreshWorkers:
    """How workers start on Linux, and the platform that the project admits besides."""

    methods: frozenset[StartMethod]
    admission: Admission | None

    @property
    def severity(self) -> Severity:
        """How bad it is to count on forked workers."""
        said = self.admission is not None and self.admission.sign is None
        if self.methods <= FRESH or said:
            return Severity.ERROR
        likely = self.methods & FRESH or self.admission is not None
        return Severity.WARNING if likely else Severity.INFO

    @property
    def methods_text(self) -> str:
        """The methods by which they begin as new interpreters."""
        if self.methods <= FRESH:
            return " or ".join(sorted(self.methods))
        if self.admission is not None:
            return f"spawn ({self.admission.in_words})"
        return _ELSEWHERE


def fresh_workers_of(
    context: AnalysisContext, loader: Loader, script: ModuleIndex | None = None
) -> FreshWorkers:
    """How the workers of a loader start, wherever the project says that it runs.

    `script` is the module that is run, where it is known.
    """
    platforms = context[Platforms]
    modules = {loop.scope.module for loop in loader.loops} | {loader.call.scope.module}
    provided = any(platforms.are_asked_for(module) for module in modules)
    decided = provided or is_method_chosen(context, loader)
    module = script or loader.call.scope.module
    admitted = platforms.spawning(loader.call.scope.module.path)
    admission = None if decided else admitted or _shown(context, loader, module)
    return FreshWorkers(start_methods_of(context, loader), admission)


def are_forked_everywhere(context: AnalysisContext, loader: Loader) -> bool:
    """Whether workers are forked by what the project says, and nothing in it shows Windows.

    The device `mps` is one of several, and a platform that is admitted one besides Linux.
    """
    if not are_surely_forked(context, loader):
        return False
    admission = fresh_workers_of(context, loader).admission
    return admission is None or admission.sign is None or admission.is_by_device


def has_none_where_shown(context: AnalysisContext, loader: Loader) -> bool:
    """Whether a loader has no workers on the platform that the code shows.

    It asks for the platform, and 0 is what one of the answers gives.
    """
    module = loader.call.scope.module
    platforms = context[Platforms]
    shown = platforms.shown(module.path)
    if shown is None or shown.is_by_device or not platforms.are_asked_for(module):
        return False
    return any(a.integer == 0 for a in loader.argument("num_workers"))


def _shown(context: AnalysisContext, loader: Loader, module: ModuleIndex) -> Admission | None:
    """A platform that the code shows, unless that is by the device `mps`, and no run with this
    device makes the loader, or the module that is run chooses another one."""
    admission = context[Platforms].shown(module.path)
    if admission is None or not admission.is_by_device:
        return admission
    other = excludes_mps(context, loader.call) or chooses_itself(context, module)
    return None if other else admission
