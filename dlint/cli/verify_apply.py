"""`dlint verify --apply`: the fixes that pay or fix, written into the user's files."""

from __future__ import annotations

import sys

from dlint.fixes.write import WriteError, write_all
from dlint.verify.judge.results import WORTH_KEEPING, Mode, Outcome, Result, Verdict
from dlint.verify.plan.candidates import Candidate, diff_of, going_together, texts_of
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources


def kept(outcome: Outcome) -> list[Candidate]:
    """The candidates that a verdict recommends, once each; what pays more comes first.

    Of what costs time beside the others that are kept, the one that pays least is left out: what
    the rest is worth without it was not measured.
    """
    found: dict[str, Candidate] = {}
    harmful = {
        result.name for result in outcome.of(Mode.WITHOUT) if result.verdict is Verdict.SLOWER
    }

    def worth(result: Result) -> float:
        return -(result.estimate.speedup if result.estimate is not None else 1.0)

    for result in sorted(outcome.results, key=worth):
        together_only = result.mode is Mode.TOGETHER and result.verdict.value != "mends-crash"
        if result.verdict in WORTH_KEEPING and result.mode is not Mode.WITHOUT:
            if together_only:
                continue
            found.update((candidate.name, candidate) for candidate in result.candidates)
    left_out = [name for name in found if name in harmful][-1:]
    return [candidate for name, candidate in found.items() if name not in left_out]


def apply(outcome: Outcome, sources: Sources) -> None:
    """Write them, and show on standard error what was changed."""
    chosen = going_together(kept(outcome), sources)
    texts = texts_of(chosen, sources) or {}
    sys.stderr.write(diff_of(texts, sources))
    try:
        write_all([(sources.get(path), text) for path, text in sorted(texts.items())])
    except WriteError as error:
        raise UsageError(str(error)) from error
    names = ", ".join(candidate.name for candidate in chosen)
    sys.stderr.write(f"applied: {names}\n" if chosen else "nothing to apply\n")
