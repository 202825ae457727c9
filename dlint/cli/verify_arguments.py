"""The arguments of `dlint verify`."""

from __future__ import annotations

import argparse

from dlint.cli.check_arguments import add_list
from dlint.verify.run.view import KINDS

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_FORMATS = ("text", "json", "markdown")
_VERDICTS = ("slower", "changes-results", "failed", "inconclusive", "no-effect")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, in groups as `--help` shows them."""
    parser.usage = "dlint verify [OPTION ...] (SCRIPT | -m MODULE) [-- ARGUMENT ...]"
    parser.epilog = (
        "exit codes: 0 measured, 1 a verdict of --fail-on, 2 something that cannot be done, "
        "3 a fault of dlint, 4 nothing could be measured"
    )
    parser.add_argument("script", nargs="?", metavar="SCRIPT", help="the training script")
    parser.set_defaults(arguments=[])
    add_program(parser.add_argument_group("the program"))
    _add_choice(parser.add_argument_group("what is tried"))
    _add_measure(parser.add_argument_group("how it is measured"))
    _add_output(parser.add_argument_group("output"))


def add_program(group: argparse._ArgumentGroup) -> None:
    """Add what says which program is started, and how."""
    group.add_argument("-m", dest="module", metavar="MODULE", help="run a module by its name")
    group.add_argument(
        "--launcher",
        metavar="COMMAND",
        help="start it with this, such as 'torchrun --nproc-per-node 2'",
    )
    group.add_argument(
        "--address",
        metavar="HOST",
        help="what other machines that run ranks call this one (default: its host name)",
    )
    group.add_argument(
        "--python",
        metavar="PATH",
        help="the interpreter that runs the script (3.9 or newer; default: dlint's own)",
    )
    group.add_argument("--gpu", action="store_true", help="insist on a GPU or another accelerator")
    group.add_argument(
        "--in-place",
        action="store_true",
        help="let what the script writes reach your files, as it does when you start it",
    )
    group.add_argument("--scratch", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--view", choices=KINDS, help=argparse.SUPPRESS)
    group.add_argument(
        "--keep-loggers", action="store_true", help="leave experiment loggers as they are"
    )
    group.add_argument(
        "--startup-limit",
        type=duration,
        default=300.0,
        metavar="TIME",
        help="the longest wait for the first training step (default: 5m)",
    )


def _add_choice(group: argparse._ArgumentGroup) -> None:
    add_list(group, "--select", "RULE", "try the fixes of these rules only")
    add_list(group, "--ignore", "RULE", "do not try the fixes of these rules")
    group.add_argument(
        "--fix-file", action="append", default=[], metavar="PATCH", help="try this unified diff"
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="try these settings of the loaders, such as num_workers=4,persistent_workers=True",
    )
    group.add_argument(
        "--tune",
        action="store_true",
        help="find the best workers, queue and pinning for the loader of the training",
    )
    group.add_argument(
        "--memory-limit",
        type=size,
        metavar="SIZE",
        help="what all processes of the program may take, with --tune (default: 80%% of what "
        "there is)",
    )
    group.add_argument(
        "--list", action="store_true", help="print what is kept of earlier runs, and run nothing"
    )
    group.add_argument(
        "--self-test",
        action="store_true",
        help="measure the script against itself: the noise, and what could be told from it",
    )
    group.add_argument("--dry-run", action="store_true", help="print the plan and run nothing")


def _add_measure(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--budget",
        type=duration,
        metavar="TIME",
        help="wall time of the whole command (default: 3m, 5m with --tune)",
    )
    group.add_argument("--pairs", type=int, default=24, metavar="N", help="at most (default: 24)")
    group.add_argument("--steps", type=int, metavar="N", help="steps of a window")
    group.add_argument("--warmup", type=int, metavar="N", help="steps before the window")
    group.add_argument(
        "--confidence",
        type=share,
        metavar="P",
        help="of the intervals (default: 95%%)",
    )
    group.add_argument(
        "--effect",
        type=share,
        default=0.03,
        metavar="P",
        help="the smallest speedup worth calling one (default: 3%%)",
    )
    group.add_argument(
        "--design",
        choices=("duet", "pairs"),
        default="duet",
        help="both at once, taking turns, where they can (default), or one after the other",
    )
    group.add_argument(
        "--keep-going", action="store_true", help="run all pairs, even when the call is clear"
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--output-format", choices=_FORMATS, default="text", help="default: text")
    group.add_argument("--output-file", metavar="PATH", help="write the results to a file")
    group.add_argument("--report", metavar="PATH", help="write a page with pictures (HTML)")
    group.add_argument(
        "--apply", action="store_true", help="write the fixes that pay or fix into the files"
    )
    group.add_argument("--no-save", action="store_true", help="keep nothing in .dlint/")
    add_list(group, "--fail-on", "VERDICT", f"exit with 1 for these: {', '.join(_VERDICTS)}")
    group.add_argument("-q", "--quiet", action="store_true", help="print the results only")


def duration(text: str) -> float:
    """Seconds from `90`, `90s`, `10m` or `1h`."""
    unit = _UNITS.get(text[-1:])
    number = _number(text if unit is None else text[:-1]) * (unit or 1.0)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is no time: give one such as 90s, 10m or 1h")
    return number


def size(text: str) -> int:
    """Bytes from `8G`, `512M` or `1e9`; units are powers of 1024."""
    unit = _SIZES.get(text[-1:].upper())
    number = _number(text if unit is None else text[:-1]) * (unit or 1)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is no size: give one such as 512M or 8G")
    return int(number)


def share(text: str) -> float:
    """A share from `3%` or `0.03`."""
    number = _number(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is no share: give one such as 3% or 0.03")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
