"""`dlint completion`: what a shell needs to complete the commands, options and names of rules."""

from __future__ import annotations

import argparse
import sys

import shtab

from dlint import rule_docs
from dlint.workspace.settings_table import valid_keys

SHELLS = ("bash", "zsh", "fish")
_FILES = frozenset({"FILE", "PATCH", "PATH", "SCRIPT"})
_RULES = frozenset({"NAME|CODE", "RULE"})
"""What options and arguments call their values, where these are files or rules."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint completion`."""
    parser.epilog = (
        "bash: dlint completion bash > ~/.local/share/bash-completion/completions/dlint; "
        "zsh: the same into _dlint, in a folder of $fpath; "
        "fish: into ~/.config/fish/completions/dlint.fish"
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell whose script is printed")


def run(namespace: argparse.Namespace) -> int:
    """Print the script."""
    sys.stdout.write(shtab.complete(whole_parser(), namespace.shell) + "\n")
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """All commands in one parser: each run builds only its own, to start quickly."""
    from dlint.cli.command import module_of
    from dlint.cli.main import COMMANDS, HELP

    root = argparse.ArgumentParser(prog="dlint", allow_abbrev=False)
    commands = root.add_subparsers(dest="command")
    for name, purpose in {**COMMANDS, **HELP}.items():
        parser = commands.add_parser(name, help=purpose, allow_abbrev=False)
        if name in COMMANDS:
            module_of(name).add_arguments(parser)
        for action in parser._actions:
            _complete_values(action)
    return root


def _complete_values(action: argparse.Action) -> None:
    if action.metavar in _FILES:
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.metavar == "KEY":
        action.choices = valid_keys()
    elif action.metavar in _RULES:
        action.choices = [*rule_docs.summaries(), *rule_docs.by_code(), "ALL"]
