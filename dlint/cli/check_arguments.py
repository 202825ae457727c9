"""The arguments of `dlint check`."""

from __future__ import annotations

import argparse

from dlint.cli.colour import CHOICES
from dlint.reports import FORMATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, in groups as `--help` shows them."""
    parser.usage = "dlint check [OPTION ...] [PATH ...]"
    parser.epilog = (
        "exit codes: 0 nothing found or all fixed, 1 findings, 2 something that cannot be done, "
        "3 a fault of dlint"
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        default=["."],
        help="files and directories; `-` reads from standard input (default: .)",
    )
    _add_rules(parser.add_argument_group("rules (by code, prefix, name or ALL)"))
    _add_adoption(parser.add_argument_group("adopting dlint in a project"))
    _add_fixes(parser.add_argument_group("fixing"))
    _add_files(parser.add_argument_group("files"))
    _add_settings(parser.add_argument_group("settings"))
    _add_output(parser.add_argument_group("output"))


def _add_rules(group: argparse._ArgumentGroup) -> None:
    add_list(group, "--select", "RULE", "run these rules only")
    add_list(group, "--extend-select", "RULE", "run these rules too")
    add_list(group, "--ignore", "RULE", "do not run these rules")
    _add_switch(group, "--preview", "run rules in preview too")


def _add_adoption(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--baseline", metavar="FILE", help="leave out the findings that this file accepts"
    )
    group.add_argument(
        "--update-baseline",
        action="store_true",
        help="accept the findings there are: write them to the baseline",
    )
    group.add_argument(
        "--diff-base",
        metavar="REV",
        help="show findings on lines only that changed since REV, a commit or branch of git",
    )


def _add_fixes(group: argparse._ArgumentGroup) -> None:
    only_one = group.add_mutually_exclusive_group()
    only_one.add_argument("--fix", action="store_true", help="apply fixes")
    group.add_argument(
        "--diff",
        action="store_true",
        help="print what --fix would change, and change nothing; --fix may stand beside it",
    )
    only_one.add_argument(
        "--add-ignore",
        metavar="[=REASON]",
        help="write a suppression comment at every finding",
    )
    _add_switch(group, "--unsafe-fixes", "apply and count unsafe fixes too")


def _add_files(group: argparse._ArgumentGroup) -> None:
    add_list(group, "--exclude", "GLOB", "leave out what matches, besides the usual folders")
    _add_switch(group, "--force-exclude", "leave it out even if its path is given")
    _add_switch(group, "--respect-gitignore", "leave out what git ignores (default)")
    add_list(group, "--extension", "SUFFIX:KIND", "read files of a suffix as those of a kind")
    group.add_argument(
        "--stdin-filename", metavar="PATH", help="the file that standard input stands for"
    )
    group.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    group.add_argument("--cache-dir", metavar="PATH", help="where the cache is")
    group.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="analyse so many programs beside each other (default: one a CPU)",
    )


def _add_settings(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--config",
        action="append",
        metavar="KEY=VALUE",
        help="set a key as in the settings, in TOML; or a file that holds the settings",
    )
    group.add_argument(
        "--isolated", action="store_true", help="look for no settings in the project"
    )
    group.add_argument(
        "--show-settings", action="store_true", help="print what holds for the files, and stop"
    )
    group.add_argument(
        "--show-files", action="store_true", help="print which files would be checked, and stop"
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-w", "--watch", action="store_true", help="check again whenever something changes"
    )
    group.add_argument("--output-format", choices=FORMATS, help="default: full")
    group.add_argument("--output-file", metavar="PATH", help="write the report to a file")
    group.add_argument(
        "--statistics", action="store_true", help="print how often each rule was found"
    )
    group.add_argument(
        "--fail-on",
        choices=("error", "warning", "info"),
        help="least severity of a finding that makes the exit code 1 (default: any)",
    )
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 despite findings")
    group.add_argument("--color", choices=CHOICES, default="auto", help="default: auto")
    only_one = group.add_mutually_exclusive_group()
    only_one.add_argument("-q", "--quiet", action="store_true", help="print findings only")
    only_one.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="say what was read, which versions were taken, and what was cut short",
    )


def add_list(group: argparse._ArgumentGroup, flag: str, metavar: str, text: str) -> None:
    """An option that takes names between commas, and may be repeated.

    `--select` needs one: nothing would be looked for, and all would seem well.
    """
    split = _split_some if flag == "--select" else _split
    group.add_argument(flag, action="extend", type=split, metavar=metavar, help=text)


def _add_switch(group: argparse._ArgumentGroup, flag: str, text: str) -> None:
    group.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=text)


def _split(value: str) -> list[str]:
    return [part for part in (p.strip() for p in value.split(",")) if part]


def _split_some(value: str) -> list[str]:
    if parts := _split(value):
        return parts
    raise argparse.ArgumentTypeError(f"{value!r} names no rule; leave it out for the usual ones")


def _count(value: str) -> int:
    if not value.isdecimal() or not int(value):
        raise argparse.ArgumentTypeError(f"{value!r} is no number of processes")
    return int(value)
