"""The arguments of `dlint doctor`."""

from __future__ import annotations

import argparse

from dlint.cli.check_arguments import add_list
from dlint.cli.verify_arguments import add_program, duration

_FORMATS = ("text", "json", "markdown")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, in groups as `--help` shows them."""
    parser.usage = "dlint doctor [OPTION ...] (SCRIPT | -m MODULE) [-- ARGUMENT ...]"
    parser.epilog = (
        "exit codes: 0 examined, 2 something that cannot be done, 3 a fault of dlint, "
        "4 nothing could be measured"
    )
    parser.add_argument("script", nargs="?", metavar="SCRIPT", help="the training script")
    parser.set_defaults(arguments=[])
    add_program(parser.add_argument_group("the program"))
    group = parser.add_argument_group("how it is examined")
    group.add_argument(
        "--time",
        type=duration,
        default=60.0,
        metavar="TIME",
        help="how long the script runs at most, its start included (default: 60s)",
    )
    add_list(group, "--select", "RULE", "list the findings of these rules only")
    add_list(group, "--ignore", "RULE", "do not list the findings of these rules")
    group.add_argument("--dry-run", action="store_true", help="say what would be run, and end")
    _add_output(parser.add_argument_group("output"))


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--output-format", choices=_FORMATS, default="text", help="default: text")
    group.add_argument("--output-file", metavar="PATH", help="write the results to a file")
    group.add_argument("--report", metavar="PATH", help="write a page with pictures (HTML)")
    group.add_argument("-q", "--quiet", action="store_true", help="print the results only")
