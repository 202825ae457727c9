"""`--config`, `--isolated`, `--show-settings`, `--show-files`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

CLEAN = "All checks passed!\n"


@pytest.mark.parametrize(
    ("options", "is_found"),
    [
        (["ignore=['DLT101']"], False),
        (["ignore = ['DLT2']"], True),
        (["ignore = ['DLT2']", "ignore = ['DLT101']"], False),
        (["severity.DLT101 = 'info'"], False),
        (["severity.DLT1 = 'info'", "severity.DLT101 = 'error'"], True),
        (["per-file-ignores.'a.py' = ['ALL']"], False),
        (["per-file-ignores = { 'sub/a.py' = ['ALL'] }"], True),
        (["exclude = ['a.py']"], False),
        (["overrides = [{ files = ['a.py'], ignore = ['ALL'] }]"], False),
    ],
)
def test_a_key_on_the_command_line(run: Any, options: list[str], is_found: bool) -> None:
    argv = [part for option in options for part in ("--config", option)]
    assert run("check", *argv).code == is_found


def test_it_wins_over_files_and_loses_to_flags(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text(
        "output-format = 'concise'\nselect = ['DLT101']\nseverity = { DLT3 = 'error' }\n"
    )
    argv = ["check", "--config", "output-format = 'json'", "--config", "severity.DLT2 = 'info'"]
    assert run(*argv).out.startswith("[")
    assert "\n --> a.py:1:5\n" in run(*argv, "--output-format", "full").out
    shown = tomllib.loads(run(*argv, "--show-settings").out)
    assert shown["select"] == ["missing-pin-memory", "syntax-error", "unreadable-file"]
    assert set(shown["severity"].values()) == {"error", "info"}


def test_its_globs_are_relative_to_the_working_directory(
    run: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "dlint.toml").touch()
    inner = project / "sub"
    inner.mkdir()
    (project / "a.py").rename(inner / "a.py")
    monkeypatch.chdir(inner)
    assert run("check", "--config", "per-file-ignores.'./a.py' = ['ALL']").code == 0


def test_a_file_for_all_files(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text("ignore = ['ALL']\n")
    (project / "ci.toml").write_text("output-format = 'concise'\nexclude = ['b.py']\n")
    assert run("check").out.startswith(CLEAN)
    assert run("check", "--config", "ci.toml").out.startswith("a.py:1:5:")
    argv = ["--config", "ci.toml", "--config", "output-format = 'json'"]
    assert run("check", *argv).out.startswith("[")


def test_isolated(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text("ignore = ['ALL']\n")
    assert run("check").code == 0
    assert run("check", "--isolated").code == 1
    assert run("check", "--isolated", "--config", "ignore = ['ALL']").code == 0
    (project / "dlint.toml").write_text("what = 1\n")
    assert run("check", "--isolated").code == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["output-format=concise"], "did you mean `--config 'output-format = \"concise\"'`?"),
        (["select=[DLT1]"], "`--config select=[DLT1]` is no TOML: "),
        (["selct=['DLT1']"], "--config: unknown key `selct`, did you mean `select`?"),
        (["fail-on='never'"], "--config: `fail-on`: input should be 'error', "),
        (["ignore=['DLT101x']"], "unknown rule `DLT101x` in the command line"),
        (["no.toml"], "KEY=VALUE or a file; there is no file"),
        (["pyproject.toml"], "pyproject.toml has no table `tool.dlint`"),
        (["x.toml", "x.toml"], "`--config x.toml` and `--config FILE` do not go together"),
    ],
)
def test_values_that_are_none(run: Any, project: Path, options: list[str], said: str) -> None:
    (project / "x.toml").touch()
    argv = [part for option in options for part in ("--config", option)]
    result = run("check", *argv)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_isolated_from_a_file(run: Any, project: Path) -> None:
    (project / "x.toml").touch()
    said = "`--config x.toml` and `--isolated` do not go together"
    assert said in run("check", "--isolated", "--config", "x.toml").err


def test_show_files(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text("exclude = ['b.py']\n")
    (project / "n.ipynb").touch()
    result = run("check", "--show-files")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"{project / 'a.py'}\n{project / 'n.ipynb'}\n"


def test_show_settings(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text(
        "baseline = 'b.json'\nexclude = ['x', 'y']\nper-file-ignores = { 'z' = ['ALL'] }\n"
        "unfixable = ['DLT101']\nselect = ['DLT1', 'DLT301']\nfail-on = 'error'\n"
        "[[overrides]]\nfiles = ['b.py']\nselect = ['DLT301']\n"
    )
    result = run("check", "--show-settings", "--unsafe-fixes")
    assert result.code == 0
    first, second = result.out.split("\n\n")
    source = f"# Settings from {project / 'dlint.toml'}\n"
    assert first.startswith(f"# What holds for {project / 'a.py'}\n{source}")
    assert second.startswith(f"# What holds for {project / 'b.py'}\n{source}")
    shown = tomllib.loads(second)
    assert shown.pop("select") == ["missing-non-blocking", "syntax-error", "unreadable-file"]
    assert shown == {
        "output-format": "full",
        "fail-on": "error",
        "unsafe-fixes": True,
        "baseline": str(project / "b.json"),
        "exclude": ["x", "y"],
        "extension": {},
        "force-exclude": False,
        "respect-gitignore": True,
        "per-file-ignores": {"z": ["ALL"]},
        "severity": {},
        "extend-safe-fixes": [],
        "extend-unsafe-fixes": [],
        "unfixable": ["missing-pin-memory"],
    }


def test_files_that_share_settings_are_shown_together(run: Any, project: Path) -> None:
    out = run("check", "--show-settings").out
    assert out.startswith(f"# What holds for {project / 'a.py'} and 1 more file\n")
    assert "# Settings from no file: these are the defaults\n" in out
