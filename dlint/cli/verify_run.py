"""What `dlint verify` does, from its arguments to its exit code."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from dlint import rule_docs
from dlint.cli.recovering import recover
from dlint.cli.target import check_writable, program_of
from dlint.cli.verify_findings import Found, find
from dlint.cli.verify_output import announce, plan, self_test_note, show
from dlint.cli.verify_progress import Progress, follow
from dlint.cli.verify_protection import previewed, protected
from dlint.cli.verify_tune import tuner_of
from dlint.verify.errors import UnmeasurableError
from dlint.verify.judge.kept import Kept
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.statistics import FEWEST, MOST
from dlint.verify.measure.busy import busy
from dlint.verify.measure.windows import Asked
from dlint.verify.options import Options
from dlint.verify.plan import patches
from dlint.verify.plan.candidates import UNREAD, Candidate, NotTried, from_patch
from dlint.verify.plan.overrides import from_settings, parse_settings
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run import loggers
from dlint.verify.run.guard import Guard
from dlint.verify.run.machine import environment, may_have_gpu
from dlint.verify.run.runner import Runner
from dlint.verify.run.system import limits
from dlint.verify.session import Session
from dlint.workspace.errors import UsageError

_FAILED_ON, _UNMEASURED = 1, 4
_BUDGET, _TUNING_BUDGET = 180.0, 300.0


def verify(namespace: argparse.Namespace) -> int:
    """Verify what was asked for. Returns the exit code. Raises UsageError."""
    began = time.monotonic()
    if namespace.list:
        return _list()
    _check(namespace)
    program = program_of(namespace)
    program.command()
    recover([str(program.script)])
    found = find(program.script, namespace.select, namespace.ignore)
    tried, needing = _possible(_tried(namespace, found))
    unread = any(left.name in UNREAD for left in found.not_tried)
    asked = bool(tried or namespace.self_test or namespace.tune)
    runs = asked or (_tries_workers(namespace) and not unread)
    if namespace.dry_run:
        protection = previewed(namespace, program, found.root) if runs else ()
        text = plan(program, tried, found, namespace, protection, needing, runs)
        sys.stdout.write(text)
        return 0
    if not runs:
        outcome = _empty(program, found)
        outcome.results += map(_without_gpu, needing)
        show(outcome, namespace)
        return 0
    try:
        with closing(follow(namespace.quiet)) as progress:
            for candidate in needing:
                progress.note(f"needs a GPU, and there is none: {candidate.name} is not tried")
            outcome = _measure(namespace, program, tried, found, progress, began)
    except UnmeasurableError as error:
        if not asked:  # it was only looked at
            show(_empty(program, found, f"could not measure: {error}"), namespace)
            return 0
        sys.stderr.write(f"could not measure: {error}\n")
        if namespace.output_format == "json":  # who reads it waits for a document
            outcome = _empty(program, found, f"could not measure: {error}")
            outcome.not_tried = _not_tried(namespace, found)
            show(outcome, namespace)
        return _UNMEASURED
    outcome.results += map(_without_gpu, needing)
    outcome.not_tried = _not_tried(namespace, found)
    if namespace.apply and namespace.tune:
        from dlint.cli.tune_apply import apply_settings

        apply_settings(outcome, program.script, program.arguments)
    if not namespace.no_save:  # before anybody stops reading what is printed
        from dlint.verify.report.store import save

        save(outcome, found.root, found.sources)
    show(outcome, namespace)
    if namespace.apply and not namespace.tune:
        from dlint.cli.verify_apply import apply

        apply(outcome, found.sources)
    verdicts = {result.verdict.value for result in outcome.results}
    return _FAILED_ON if verdicts & set(namespace.fail_on or ()) else 0


def _possible(tried: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """What can be tried on this machine, and what needs a GPU."""
    if may_have_gpu():
        return list(tried), []
    needing = [candidate for candidate in tried if candidate.needs_accelerator]
    return [candidate for candidate in tried if candidate not in needing], needing


def _without_gpu(candidate: Candidate) -> Result:
    why = "it acts on copies to an accelerator only, and this machine has none"
    return Result((candidate,), Mode.ALONE, Verdict.NEEDS_GPU, why)


def _list() -> int:
    """Print what is kept of earlier verifications, in this folder and those above."""
    from dlint.verify.report.store import listed

    here = Path.cwd()
    above = (folder for folder in (here, *here.parents) if (folder / ".dlint").is_dir())
    lines = list(listed(next(above, here)))
    sys.stdout.write("".join(f"{line}\n" for line in lines) or "nothing is kept here\n")
    return 0


def _check(namespace: argparse.Namespace) -> None:
    if namespace.budget is None:
        namespace.budget = _TUNING_BUDGET if namespace.tune else _BUDGET
    if not FEWEST <= namespace.pairs <= MOST:
        raise UsageError(f"`--pairs` must lie between {FEWEST} and {MOST}")
    for flag, number, least in (
        ("steps", namespace.steps, 1),
        ("warmup", namespace.warmup, 0),
    ):
        if number is not None and number < least:
            raise UsageError(f"`--{flag}` must be at least {least}")
    verdicts = [verdict.value for verdict in Verdict]
    for given in namespace.fail_on or ():
        if given not in verdicts:
            raise UsageError(f"`--fail-on {given}`: no verdict; there are {', '.join(verdicts)}")
    for path in filter(None, (namespace.output_file, namespace.report)):
        check_writable(Path(path))
    if namespace.gpu and not may_have_gpu():
        raise UsageError("`--gpu`: there is no device of a kind that torch knows on this machine")
    _check_choice(namespace)


def _check_choice(namespace: argparse.Namespace) -> None:
    """Raise UsageError where several things say what is tried."""
    if namespace.self_test and namespace.fix_file:
        raise UsageError("`--self-test` tries no fix")
    if namespace.tune and (namespace.self_test or namespace.fix_file or namespace.set):
        raise UsageError("`--tune` says itself what is tried: not beside another choice")
    if namespace.memory_limit is not None and not namespace.tune:
        raise UsageError("`--memory-limit` is for `--tune`")


def _tried(namespace: argparse.Namespace, found: Found) -> list[Candidate]:
    if namespace.self_test or namespace.tune:
        return []
    own = [from_settings(parse_settings(text)) for text in namespace.set]
    if not namespace.fix_file:
        return own or found.candidates
    rule = _only_rule(namespace.select)
    return own + [
        from_patch(name, patches.apply_patch(Path(name), Path.cwd(), found.sources), rule)
        for name in namespace.fix_file
    ]


def _only_rule(select: Sequence[str] | None) -> str | None:
    """The rule for whose findings a patch is written, if one was named."""
    named = rule_docs.resolve(select[0]) if select is not None and len(select) == 1 else None
    return None if named is None else named.name


def _tries_workers(namespace: argparse.Namespace) -> bool:
    """Whether workers are tried where the loop waits, whatever the findings: not where somebody
    said what is to be tried."""
    chosen = namespace.select or namespace.ignore or namespace.tune
    return not (namespace.fix_file or namespace.set or chosen)


def _not_tried(namespace: argparse.Namespace, found: Found) -> list[NotTried]:
    made_up = namespace.fix_file or namespace.set or namespace.self_test or namespace.tune
    return [] if made_up else found.not_tried


def _empty(program: TargetScript, found: Found, *notes: str) -> Outcome:
    outcome = Outcome(program.name, program.command(), notes=list(notes))
    outcome.not_tried = found.not_tried
    return outcome


def _measure(
    namespace: argparse.Namespace,
    program: TargetScript,
    tried: Sequence[Candidate],
    found: Found,
    progress: Progress,
    began: float,
) -> Outcome:
    kept = Kept(None if namespace.no_save else found.root)
    others = busy()
    options = Options(
        began=began,
        busy=bool(others),
        where_it_waits=_tries_workers(namespace),
        gpu=namespace.gpu,
        window=Asked(namespace.warmup, namespace.steps),
        pairs=namespace.pairs,
        budget=namespace.budget,
        confidence=namespace.confidence,
        effect=namespace.effect,
        keep_going=namespace.keep_going,
        self_test=namespace.self_test,
        design=namespace.design,
    )
    with Guard() as guard:
        extra = {} if namespace.keep_loggers else loggers.environment(str(guard.folder))
        protection = protected(namespace, program, found.root, guard.folder)
        announce(progress, program, tried, namespace, protection.said)
        limit, view = namespace.startup_limit, protection.view
        made = Runner(program, found.root, extra, limit, Path.cwd(), guard, view)
        made.address = namespace.address
        with made as runner:
            tuner = tuner_of(namespace, runner, progress) if namespace.tune else None
            choose = None if tuner is None else tuner.choose
            session = Session(runner, tried, found.sources, options, progress, kept, choose)
            session.outcome.notes += [*limits(), *others]
            for note in session.outcome.notes:
                progress.note(note)
            outcome = session.run()
            assert session.first is not None
            outcome.environment = environment(session.first, program.script)
    if tuner is not None:
        tuner.conclude(outcome)
    if namespace.self_test:
        outcome.notes.append(self_test_note(outcome))
    return outcome
