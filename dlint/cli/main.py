"""The `dlint` command: picks the subcommand and turns what goes wrong into exit codes."""

from __future__ import annotations

import errno
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

from dlint import __version__
from dlint.workspace.errors import DlintCrash, UsageError

GROUPS = {
    "find, fix and measure": {
        "check": "find the mistakes people make around torch's DataLoader, and fix them",
        "doctor": "run a training script once and say where its time goes and what could be won",
        "verify": "run each fix against the real training loop and say whether it pays",
        "server": "speak with an editor: what `check` says, while you type",
    },
    "look up": {
        "rule": "explain a rule",
        "explain": "show what dlint sees at a line, and why its rules speak or are silent there",
        "config": "list the keys of the settings, with their types and defaults",
    },
    "set up": {
        "clean": "remove what dlint keeps between runs",
        "completion": "print what completes commands, options and rules in a shell",
    },
}
"""The commands as they are listed."""

COMMANDS = {name: purpose for group in GROUPS.values() for name, purpose in group.items()}
HELP = {"version": "print the version", "help": "print this, or the help of a command"}

USAGE, CRASH, INTERRUPTED, BROKEN_PIPE = 2, 3, 130, 141


def entry() -> NoReturn:
    """The console script.

    Most of a small run would go into collecting garbage and taking the process apart again.
    """
    gc.disable()
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def main(argv: list[str]) -> int:
    """Run a command. Returns its exit code, which is 2 for a bad request and 3 for a crash."""
    _tolerate_any_character(sys.stdout, sys.stderr)
    try:
        code = _run(argv)
        sys.stdout.flush()
    except UsageError as error:
        report_misuse(str(error))
        return USAGE
    except OSError as error:
        if not _is_broken_pipe(error):
            report_crash(error)
            return CRASH
        _discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        report_crash(error)
        return CRASH
    return code


def _run(argv: list[str]) -> int:
    command, *rest = argv or ["help"]
    if command in {"version", "--version", "-V"}:
        sys.stdout.write(f"dlint {__version__}\n")
        return 0
    if command in {"help", "--help", "-h"}:
        return _help(rest) if argv else _fail_with_help()
    if command not in COMMANDS:
        raise UsageError(_no_such_command(command))
    from dlint.cli.command import run

    return run(command, COMMANDS[command], rest)


def _help(rest: list[str]) -> int:
    if rest and rest[0] not in HELP and not rest[0].startswith("-"):
        return _run([rest[0], "--help"])
    sys.stdout.write(_overview())
    return 0


def _fail_with_help() -> int:
    sys.stderr.write(_overview())
    return USAGE


def _overview() -> str:
    groups = {**GROUPS, "help": {**HELP, "COMMAND -h": "the options of a command"}}
    return "usage: dlint COMMAND ...\n" + "".join(
        f"\n{title}:\n" + "".join(f"  {name:<12}{purpose}\n" for name, purpose in group.items())
        for title, group in groups.items()
    )


def _no_such_command(command: str) -> str:
    if os.path.exists(command):  # noqa: PTH110
        return f"there is no command `{command}`: did you mean `dlint check {command}`?"
    from difflib import get_close_matches

    close = get_close_matches(command, COMMANDS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"the commands are {', '.join(COMMANDS)}"
    return f"there is no command `{command}`: {hint}"


def _tolerate_any_character(*streams: TextIO) -> None:
    """What a terminal cannot show is escaped rather than an error."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _is_broken_pipe(error: OSError) -> bool:
    """Whether nobody reads what is written; Windows calls that an invalid argument."""
    is_windows = sys.platform == "win32"
    return isinstance(error, BrokenPipeError) or (is_windows and error.errno == errno.EINVAL)


def _discard_output() -> None:
    """Keep the interpreter from flushing into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report_misuse(message: str) -> None:
    """Write the message with a label at each line that does not continue the one before."""
    from dlint.cli.ci_log import logged
    from dlint.findings.controls import visible

    lines = message.splitlines()
    text = "".join(f"{line if line[:1] == ' ' else f'error: {line}'}\n" for line in lines)
    sys.stderr.write(logged(visible(text)))


def report_crash(error: Exception) -> None:
    """Write where dlint failed, and ask for a report."""
    import traceback

    traceback.print_exception(error)
    where = place_of_crash(error) if isinstance(error, DlintCrash) else ""
    sys.stderr.write(
        f"\ndlint {__version__} crashed{where}. This is a fault of dlint, not of your code: "
        "please report it with the text above and, if you can, the file.\n"
    )


def place_of_crash(crash: DlintCrash) -> str:
    """The rule and the file of a crash, as far as they are known."""
    rule = "" if crash.rule is None else f" in the rule {crash.rule}"
    return rule if crash.path is None else f"{rule} while it analysed {crash.path}"
