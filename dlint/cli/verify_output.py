"""What `dlint verify` says before it starts, and at the end."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from dlint.cli.verify_findings import Found
from dlint.cli.verify_progress import Progress
from dlint.verify import report
from dlint.verify.judge.results import Outcome
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.order import LOOKED_AT
from dlint.verify.plan.target_script import TargetScript, shown
from dlint.verify.report import words
from dlint.verify.run import loggers
from dlint.workspace.errors import UsageError


def announce(
    progress: Progress,
    program: TargetScript,
    tried: Sequence[Candidate],
    given: argparse.Namespace,
    protection: Sequence[str],
) -> None:
    """Say what is about to happen: a training script has side effects. `protection` tells which
    of them are kept from the user's files."""
    progress.note(f"dlint will run `{' '.join(shown(program.command()))}` many times:")
    progress.note(
        f"  a few to look at what it does, then to time it; {_spoken(given.budget)} in all "
        "(`--budget`);"
    )
    progress.note(
        "  each time stopped in the midst of training: its `finally` and `atexit` code "
        "does not run."
    )
    for line in protection:
        progress.note(f"  {line}")
    if not given.keep_loggers:
        progress.note(f"  Kept offline: {loggers.NAMES} (`--keep-loggers` to leave them).")
    if tried:
        progress.note(f"  Fixes to try: {', '.join(c.name for c in tried)}.")


def plan(
    program: TargetScript,
    tried: Sequence[Candidate],
    found: Found,
    given: argparse.Namespace,
    protection: Sequence[str],
    needing: Sequence[Candidate] = (),
    runs: bool = True,
) -> str:
    """What would be run, if anything `runs`; `needing` a GPU, where there is none, is not."""
    lines = [*_plan(program, tried, found, given, needing)]
    if not tried and not given.self_test and not given.tune:
        lines.append(_LOOKED_FOR if runs else "nothing to try: nothing would be run")
    if runs:
        lines += (f"files: {line}" for line in protection)
        lines += _amount(tried, given)
        lines.append(f"time: {_spoken(given.budget)} for everything (`--budget`)")
    return "\n".join(lines) + "\n"


_LOOKED_FOR = "no fix to try: two looks at the script; where its loop waits, workers are tried"


def _plan(
    program: TargetScript,
    tried: Sequence[Candidate],
    found: Found,
    given: argparse.Namespace,
    needing: Sequence[Candidate],
) -> Iterator[str]:
    yield f"program: {' '.join(shown(program.command()))}"
    yield f"files of the project that it imports, with itself: {found.files}"
    for candidate in tried:
        places = ", ".join(words.places(candidate))
        yield f"fix: {candidate.name} ({candidate.applicability}) at {places}"
        yield f"    judged by {candidate.observable.value}: {candidate.title}"
    for left in found.not_tried if not given.fix_file else ():
        yield f"not tried: {left.name} at {words.place(left.spot)}: {left.why}"
    yield from (f"needs a GPU, and there is none: {c.name}" for c in needing)
    if given.tune:
        yield "tuned: workers, queue and pinning of the loader that feeds the training: one run"
        yield "    that shows what binds it, then what promises most by turns; the best is compared"


def _amount(tried: Sequence[Candidate], given: argparse.Namespace) -> Iterator[str]:
    """How much is run of what is known beforehand."""
    timed = sum(candidate.observable not in LOOKED_AT for candidate in tried)
    tests = 1 if given.self_test else timed if timed < 2 else 1 + 2 * timed
    if tried or given.self_test:
        yield f"runs that are looked at: {2 + len(tried)} to {4 + 4 * len(tried)}"
    if tests:
        yield f"comparisons that are timed: up to {tests}, each of up to {2 * given.pairs} runs"


def self_test_note(outcome: Outcome) -> str:
    """What a comparison of the script with itself says of this machine."""
    (result,) = outcome.results
    found = result.estimate
    if found is None:
        return f"self-test: {result.why}"
    pair = math.expm1(found.spread)
    return (
        f"self-test: two runs of the same script differ by {pair:.1%} (standard deviation of the "
        f"ratio); with {found.pairs} pairs a speedup of {found.detectable:.2f}x is found in four "
        "of five cases"
    )


def show(outcome: Outcome, given: argparse.Namespace) -> None:
    """Print the results, and write them where the user wants them too."""
    text = report.load(given.output_format)(outcome)
    if given.output_file is None:
        sys.stdout.write(text)
    else:
        write(given.output_file, text)
    if given.report is not None:
        from dlint.verify.report.html import render

        write(given.report, render(outcome))


def write(path: str, text: str) -> None:
    """Write a text to a file. Raises UsageError."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
