"""One command: its arguments are read, and it is run. `dlint --version` needs none of this."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TextIO

from dlint.workspace.errors import UsageError

_PASSES_ON = frozenset({"doctor", "verify"})
"""Commands that start a program with what stands behind `--`."""
_VALUE_MAY_LACK = frozenset({"--add-ignore"})

_ABOVE = {"server": "dlint.server.command"}
"""Commands that stand above the command line, as they use it; each other one is the module of
this package with its name."""

_WIDTH = 96

_USAGE = 2


def run(command: str, purpose: str, words: list[str]) -> int:
    """Run a command with the words behind it. Returns its exit code; raises UsageError."""
    _warn_of_namesake(sys.stderr)
    try:
        namespace = parsed(command, purpose, words)
    except SystemExit as exit_of_argparse:
        return exit_of_argparse.code if isinstance(exit_of_argparse.code, int) else _USAGE
    code: int = module_of(command).run(namespace)
    return code


def parsed(command: str, purpose: str, words: list[str]) -> argparse.Namespace:
    """What the words behind a command ask for. Raises UsageError, or SystemExit for `--help`."""
    module, parser = module_of(command), _parser(command, purpose)
    module.add_arguments(parser)
    if command in _PASSES_ON and "--" in words:
        end = words.index("--")
        parser.set_defaults(arguments=words[end + 1 :])
        words = words[:end]
    namespace, unknown = parser.parse_known_args([_complete(word) for word in words])
    if unknown and command in _PASSES_ON:
        raise UsageError(module.misplaced(parser, namespace, unknown))
    if unknown:
        from dlint.cli.verify_misplaced import guess

        parser.error(f"unrecognized arguments: {' '.join(unknown)}{guess(parser, unknown)}")
    return namespace


def module_of(command: str) -> ModuleType:
    """The module of a command: it has `add_arguments` and `run`."""
    return import_module(_ABOVE.get(command, f"dlint.cli.{command}"))


def _parser(command: str, purpose: str) -> argparse.ArgumentParser:
    return _Parser(
        prog=f"dlint {command}",
        description=f"{purpose[:1].upper()}{purpose[1:]}.",
        allow_abbrev=False,
        formatter_class=_Formatter,
    )


def _complete(argument: str) -> str:
    """A flag whose value may lack takes it behind an equals sign only: it swallows no path."""
    return f"{argument}=" if argument in _VALUE_MAY_LACK else argument


class _Parser(argparse.ArgumentParser):
    """Says what is wrong as dlint does; the usage, of many lines, would hide it."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n  `{self.prog} --help` lists the options")


class _Formatter(argparse.HelpFormatter):
    """Given a width, argparse need not import what finds one out, which every run would pay."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH)


def _warn_of_namesake(stream: TextIO) -> None:
    """Another distribution called `dlint` installs the same package folder."""
    package = Path(__file__).parent.parent
    if any(package.parent.glob("dlint-*.dist-info")):
        stream.write(
            "warning: the distribution `dlint` (another project, a flake8 plug-in) is installed "
            "beside `dataloader-lint`; both own the folder `dlint`, so uninstall one of them.\n"
        )
