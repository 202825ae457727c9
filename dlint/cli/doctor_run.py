"""What `dlint doctor` does, from its arguments to its exit code."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dlint.cli.recovering import recover
from dlint.cli.target import check_writable, program_of
from dlint.cli.verify_findings import Found, find
from dlint.cli.verify_output import write
from dlint.cli.verify_progress import Progress, follow
from dlint.cli.verify_protection import previewed, protected
from dlint.doctor import report
from dlint.doctor.diagnosis import Diagnosis
from dlint.doctor.examination import examine
from dlint.doctor.remedies import remedies
from dlint.doctor.report.json import data
from dlint.doctor.tuning.grid import promises_more
from dlint.verify.errors import UnmeasurableError
from dlint.verify.measure.busy import busy
from dlint.verify.plan.target_script import TargetScript, shown
from dlint.verify.run import loggers
from dlint.verify.run.guard import Guard
from dlint.verify.run.machine import may_have_gpu
from dlint.verify.run.runner import Runner
from dlint.verify.run.system import limits
from dlint.workspace.errors import UsageError

_UNMEASURED = 4


def doctor(namespace: argparse.Namespace) -> int:
    """Examine what was asked for. Returns the exit code. Raises UsageError."""
    program = program_of(namespace)
    program.command()
    for path in filter(None, (namespace.output_file, namespace.report)):
        check_writable(Path(path))
    if namespace.gpu and not may_have_gpu():
        raise UsageError("`--gpu`: there is no device of a kind that torch knows on this machine")
    recover([str(program.script)])
    found = find(program.script, namespace.select, namespace.ignore)
    if namespace.dry_run:
        said = previewed(namespace, program, found.root)
        sys.stdout.write("".join(f"{line}\n" for line in _plan(program, namespace, said)))
        return 0
    try:
        with closing(follow(namespace.quiet)) as progress:
            diagnosis = _examined(namespace, program, found, progress)
    except UnmeasurableError as error:
        sys.stderr.write(f"could not measure: {error}\n")
        if namespace.output_format == "json":  # who reads it waits for a document
            failed = Diagnosis(program.name, program.command(), failure=str(error))
            sys.stdout.write(report.load("json")(data(failed)))
        return _UNMEASURED
    diagnosis.remedies = remedies(
        found.candidates,
        found.not_tried,
        diagnosis.line,
        diagnosis.ceiling,
        lambda rule: _command(namespace, program, "--select", rule),
    )
    if diagnosis.settings is not None:
        given = ",".join(f"{name}={value!r}" for name, value in diagnosis.settings.items())
        diagnosis.trial = _command(namespace, program, "--set", given)
    if diagnosis.facts is not None and promises_more(diagnosis.facts):
        diagnosis.tune = _command(namespace, program, "--tune")
    _show(diagnosis, namespace)
    return 0 if diagnosis.bound is not None else _UNMEASURED


def _plan(
    program: TargetScript, namespace: argparse.Namespace, protection: tuple[str, ...]
) -> Iterator[str]:
    yield f"program: {' '.join(shown(program.command()))}"
    yield f"time: up to {namespace.time:.0f} s, once; twice where it ends before (`--time`)"
    yield from (f"files: {line}" for line in protection)


def _examined(
    namespace: argparse.Namespace, program: TargetScript, found: Found, progress: Progress
) -> Diagnosis:
    with Guard() as guard:
        extra = {} if namespace.keep_loggers else loggers.environment(str(guard.folder))
        protection = protected(namespace, program, found.root, guard.folder)
        _announce(progress, program, namespace, protection.said)
        notes = [*limits(), *busy()]
        for note in notes:
            progress.note(note)
        limit, view = namespace.startup_limit, protection.view
        made = Runner(program, found.root, extra, limit, Path.cwd(), guard, view)
        made.address = namespace.address
        with made as runner:
            diagnosis = examine(runner, namespace.time, progress)
    diagnosis.notes += notes
    return diagnosis


def _announce(
    progress: Progress,
    program: TargetScript,
    namespace: argparse.Namespace,
    protection: tuple[str, ...],
) -> None:
    """Say what is about to happen: a training script has side effects."""
    progress.note(f"dlint will run `{' '.join(shown(program.command()))}`, and stop it in the")
    progress.note("  midst of training: its `finally` and `atexit` code does not run.")
    for line in protection:
        progress.note(f"  {line}")
    if not namespace.keep_loggers:
        progress.note(f"  Kept offline: {loggers.NAMES} (`--keep-loggers` to leave them).")


def _command(namespace: argparse.Namespace, program: TargetScript, *options: str) -> str:
    """What measures the fixes of a rule, or settings."""
    words = ["dlint", "verify"]
    for flag in ("launcher", "python"):
        if getattr(namespace, flag) is not None:
            words += [f"--{flag}", getattr(namespace, flag)]
    words += ["-m", program.module] if program.module is not None else [program.name]
    words += options
    arguments = shown(["", *program.arguments])[1:]
    return shlex.join([*words, *(["--", *arguments] if arguments else [])])


def _show(diagnosis: Diagnosis, namespace: argparse.Namespace) -> None:
    """Print the results, and write them where the user wants them too."""
    found = data(diagnosis)
    text = report.load(namespace.output_format)(found)
    if namespace.output_file is None:
        sys.stdout.write(text)
    else:
        write(namespace.output_file, text)
    if namespace.report is not None:
        write(namespace.report, report.load("html")(found))
