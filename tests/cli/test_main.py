"""The command itself: what it is called with, and what goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dlint
import dlint.engine.analyse
from dlint.engine.request import Outcome, Request
from dlint.workspace.errors import DlintCrash
from dlint.workspace.reading import Sources

CHECKOUT = Path(dlint.__file__).parent.parent


def _python(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, **settings)


@pytest.mark.parametrize("argument", ["version", "--version", "-V"])
def test_version(run: Any, argument: str) -> None:
    result = run(argument)
    assert (result.code, result.out) == (0, f"dlint {dlint.__version__}\n")


@pytest.mark.parametrize("argument", ["help", "--help", "-h"])
def test_help(run: Any, argument: str) -> None:
    result = run(argument)
    assert result.code == 0
    assert "\nfind, fix and measure:\n  check " in result.out
    assert "\nlook up:\n  rule " in result.out


def test_help_of_a_command(run: Any) -> None:
    assert run("help", "help").out == run("help", "--help").out == run("help").out
    result = run("help", "check")
    assert result.code == 0
    assert "--unsafe-fixes" in result.out
    assert result.out == run("check", "--help").out


def test_no_command(run: Any) -> None:
    result = run()
    assert (result.code, result.out) == (2, "")
    assert "usage: dlint" in result.err


def test_a_path_for_a_command(run: Any) -> None:
    assert "did you mean `dlint check a.py`?" in run("a.py").err


@pytest.mark.parametrize("before", [[], ["help"]])
def test_an_unknown_command(run: Any, before: list[str]) -> None:
    result = run(*before, "chekc")
    assert result.code == 2
    assert result.err == "error: there is no command `chekc`: did you mean `check`?\n"
    result = run(*before, "zzz")
    assert result.code == 2
    assert "the commands are check, doctor, verify, server, rule" in result.err


@pytest.mark.parametrize(
    ("flag", "hint"), [("--fxi", " (did you mean `--fix`?)"), ("--unlike", "")]
)
def test_an_unknown_flag(run: Any, flag: str, hint: str) -> None:
    result = run("check", flag)
    assert result.code == 2
    assert result.err == (
        f"error: unrecognized arguments: {flag}{hint}\n  `dlint check --help` lists the options\n"
    )


def test_an_empty_choice_of_rules_is_no_clean_run(run: Any) -> None:
    result = run("check", "--select", "")
    assert result.code == 2
    assert "argument --select: '' names no rule; leave it out for the usual ones" in result.err
    assert run("check", "--ignore", "").code != 2


def test_flags_are_not_abbreviated(run: Any) -> None:
    assert run("check", "--stat").code == 2


def test_rule_is_delegated(run: Any) -> None:
    result = run("rule", "DLT101")
    assert result.code == 0
    assert "missing-pin-memory" in result.out


def test_a_crash_names_the_file_and_asks_for_a_report(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def analyse(*_: object) -> None:
        try:
            raise ValueError("deep inside")
        except ValueError as error:
            raise DlintCrash("/p/odd.py") from error

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    result = run("check")
    assert (result.code, result.out) == (3, "")
    assert "ValueError: deep inside" in result.err
    assert "crashed while it analysed /p/odd.py" in result.err
    assert "please report it" in result.err


def test_a_crash_of_a_rule_names_it(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(*_: object) -> None:
        raise DlintCrash(path, "missing-pin-memory")

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    path = None
    assert "crashed in the rule missing-pin-memory. This" in run("check").err
    path = "/p/odd.py"
    assert "the rule missing-pin-memory while it analysed /p/odd.py. This" in run("check").err


def test_what_other_rules_find_is_told_before_the_crash_of_one(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = dlint.engine.analyse.analyse

    def analyse(request: Request, sources: Sources, *_: object) -> Outcome:
        outcome = others(request, sources)
        outcome.crashes.append(DlintCrash("/p/odd.py", "zero-workers"))
        return outcome

    told = run("check")
    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    result = run("check")
    assert told.code == 1
    assert (result.code, result.out) == (3, told.out)
    assert "crashed in the rule zero-workers while it analysed /p/odd.py" in result.err
    assert run("check", "--fix").code == 3


def test_any_other_exception_is_a_crash_too(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dlint.engine.analyse.analyse", lambda *_: 1 / 0)
    result = run("check")
    assert result.code == 3
    assert "ZeroDivisionError" in result.err


def test_an_interrupt(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def analyse(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    result = run("check")
    assert (result.code, result.err) == (130, "")


def test_a_reader_that_leaves_early_is_no_error(project: Path) -> None:
    (project / "a.py").write_text("x = 1  # dlint: ignore[nothing]\n" * 400)
    command = f"'{sys.executable}' -m dlint check --output-format json | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    result = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env=environment, cwd=project
    )
    assert (result.stdout, result.stderr) == ("[\n", "")


def test_a_terminal_without_the_characters(project: Path) -> None:
    (project / "é.py").write_text("x = 1  # dlint: ignore[é]\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(
        [sys.executable, "-m", "dlint", "check", "--no-cache"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=project,
    )
    assert result.returncode == 1
    assert r"\xe9.py" in result.stdout


def test_the_other_project_called_dlint_is_told_of(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name in ("dlint", "rules"):
        (site / name).symlink_to(CHECKOUT / name)
    (tmp_path / "a.py").touch()
    settings: dict[str, Any] = {
        "capture_output": True,
        "text": True,
        "cwd": tmp_path,
        "env": {**os.environ, "PYTHONPATH": str(site)},
    }
    command = [sys.executable, "-m", "dlint", "check", "a.py"]
    assert subprocess.run(command, **settings).stderr == ""
    (site / "dlint-0.17.0.dist-info").mkdir()
    warned = subprocess.run(command, **settings)
    assert warned.returncode == 0
    assert warned.stderr.count("\n") == 1
    assert "uninstall one of them" in warned.stderr


HEAVY = {
    *("libcst", "torch", "pydantic", "yaml", "pathspec", "rich", "numpy"),
    *("ast", "asyncio", "dataclasses", "difflib", "email", "hashlib", "inspect", "json"),
    *("logging", "multiprocessing", "pickle", "shutil", "subprocess", "tempfile", "tokenize"),
    *("tomllib", "traceback", "unittest", "dlint.rules", "dlint.fixes", "dlint.ir"),
    *("dlint.semantics", "dlint.model"),
}


@pytest.mark.parametrize(
    "text", ["y = 1\n", "def double(x):\n    return double(2 * x)\n", "import torch\n"]
)
def test_a_file_without_a_loader_needs_little(project: Path, text: str) -> None:
    code = (
        "import sys; from dlint.cli.main import main; assert main(['check', 'b.py']) == 0;"
        f"found = {HEAVY} & sys.modules.keys(); assert not found, found"
    )
    for name in ("a.py", "b.py"):
        (project / name).write_text(text)
    result = _python("-c", code, cwd=project)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "All checks passed!\n"


def test_output_is_complete_when_the_process_ends_at_once(project: Path) -> None:
    (project / "a.py").write_text("x = 1  # dlint: ignore[nothing]\n" * 400)
    result = _python("-m", "dlint", "check", "--output-format", "concise", cwd=project)
    assert result.returncode == 1
    assert result.stdout.count("unknown-suppression") == 400
    assert result.stdout.endswith("Found 400 findings (400 warnings).\n")
    result = _python("-m", "dlint", "check", "--help", cwd=project)
    assert result.returncode == 0
    assert " ".join(result.stdout.split()).endswith("a fault of dlint")
