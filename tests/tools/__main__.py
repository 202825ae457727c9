"""Picks a developers' command."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from dlint.workspace.errors import UsageError

COMMANDS = {
    "corpus": "run dlint over a folder of repositories",
    "density": "count findings by 1000 lines of training code",
    "fixes": "fix copies of repositories and check what changed",
    "guards": "take away what keeps a promise about security, and see its test fail",
    "gpu-acceptance": "verify the core rules on a CUDA device",
    "inject": "put faults into repositories and count which are reported",
    "readme": "measure the example of the README, and take the picture of its report",
    "sample": "draw findings of a corpus run for judging",
}
"""Each is the module of this package with its name (dashes are underscores there), and what it is
for."""


def main(argv: list[str]) -> int:
    """Run one command. Returns its exit code; 2 for a bad request."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    modules = {name: import_module(f"tests.tools.{name.replace('-', '_')}") for name in COMMANDS}
    for name, module in modules.items():
        command = commands.add_parser(name, help=COMMANDS[name], description=module.__doc__)
        module.add_arguments(command)
    namespace = parser.parse_args(argv)
    try:
        code: int = modules[namespace.command].run(namespace)
    except UsageError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
