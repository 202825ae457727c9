"""opencv-threads-in-workers: OpenCV with all its threads, before the fork and in each worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_to
from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding
from dlint.library_facts.threads import OPENCV_LIMITS, OPENCV_PARALLEL
from dlint.model.workers.forked_use import forked_uses

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.workers.forked_use import ForkedUse


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders whose forked workers call OpenCV as the main process did, its threads not limited."""
    if any(calls_to(context, *OPENCV_LIMITS)):
        return
    for use in forked_uses(context, list(calls_to(context, *OPENCV_PARALLEL))):
        yield _finding(use)


def _finding(use: ForkedUse) -> Finding:
    message = (
        f"this DataLoader forks its workers ({use.workers}) when OpenCV has been used, and they "
        "use it again: each works with as many threads as there are cores, and builds whose pool "
        "does not survive a fork hang; call `cv2.setNumThreads(0)` below the imports"
    )
    return Finding(Severity.INFO, message, use.loader.place, use.related)
