"""tokenizer-used-before-fork: a fast tokenizer in the main process, then in forked workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding
from dlint.model.workers.forked_use import forked_uses
from dlint.model.workers.tokenizers import decides_on_parallelism, encodings

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.workers.forked_use import ForkedUse


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders whose forked workers encode with what has encoded before."""
    if decides_on_parallelism(context):
        return
    for use in forked_uses(context, list(encodings(context))):
        yield _finding(use)


def _finding(use: ForkedUse) -> Finding:
    message = (
        "a fast tokenizer is used before this DataLoader forks its workers "
        f"({use.workers}) and again in them: it has threads by then, so each worker warns that "
        "the process was forked after parallelism has been used, and does without; set "
        "`TOKENIZERS_PARALLELISM` before the first use, or encode in one place only"
    )
    return Finding(Severity.INFO, message, use.loader.place, use.related)
