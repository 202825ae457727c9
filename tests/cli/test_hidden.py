"""What a project keeps from being shown is counted: nothing is silent without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dlint import rule_docs


def _others(prefix: str) -> int:
    """How many rules run by default, besides those of a prefix and those about files."""
    rules = rule_docs.summaries().values()
    by_default = [rule for rule in rules if not rule.is_preview]
    kept = ("syntax-error", "unreadable-file")
    return sum(not r.code.startswith(prefix) and r.name not in kept for r in by_default)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"a.py": "DataLoader(ds)  # dlint: ignore[missing-pin-memory]\n"},
            "Not shown: 1 finding (1 suppressed by comments).\n",
        ),
        (
            {"a.py": "DataLoader(ds)  # noqa\nDataLoader(info)  # noqa\n"},
            "Not shown: 1 finding (1 suppressed by comments).\n",
        ),
        (
            {"dlint.toml": 'per-file-ignores = { "a.py" = ["ALL"] }\n'},
            "Not shown: 1 finding (1 by `per-file-ignores`).\n",
        ),
        (
            {"dlint.toml": 'select = ["DLT3"]\npreview = true\n', "a.py": ""},
            f"Left out by the settings: {_others('DLT3')} rules.\n",
        ),
        ({"dlint.toml": 'exclude = ["a.py"]\n'}, "Left out by the settings: 1 path.\n"),
        (
            {"dlint.toml": 'ignore = ["DLT101", "DLT301"]\nexclude = ["a.py", "no"]\n'},
            "Left out by the settings: 1 path and 2 rules.\n",
        ),
    ],
)
def test_what_a_project_hides_is_counted(
    run: Any, project: Path, files: dict[str, str], said: str
) -> None:
    for name, text in files.items():
        (project / name).write_text(text)
    result = run("check")
    assert (result.code, result.out) == (0, f"All checks passed!\n{said}")
    assert run("check", "-q").out == ""


def test_what_the_command_line_hides_is_not_counted(run: Any) -> None:
    argv = ["--ignore", "missing-pin-memory", "--exclude", "c.py"]
    assert run("check", *argv).out == "All checks passed!\n"
    assert run("check", "--exclude", "a.py").out == "All checks passed!\n"


def test_paths_that_are_left_out_are_named_with_v(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text('exclude = ["a.py"]\n')
    (project / ".gitignore").write_text("c.py\n")
    (project / "c.py").touch()
    (project / ".git").mkdir()
    told = run("check", "-v").err
    assert f"{project / 'a.py'}: excluded by the settings\n" in told
    assert f"{project / 'c.py'}: ignored by git\n" in told


def test_what_a_severity_hides_or_brings_is_told(run: Any, project: Path) -> None:
    (project / "a.py").write_text("DataLoader(ds)\nDataLoader(info)\n")
    (project / "dlint.toml").write_text('severity = { DLT101 = "info" }\n')
    result = run("check")
    said = "Not shown: 1 finding (1 made information by `severity`).\n"
    assert (result.code, result.out) == (0, f"All checks passed!\n{said}")
    (project / "dlint.toml").write_text('severity = { DLT101 = "error" }\n')
    assert "Found 2 findings (2 errors)." in run("check", "--fail-on", "error").out


def test_sarif_holds_it(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text('exclude = ["c"]\nignore = ["DLT301", "DLT401"]\n')
    (project / "c").mkdir()
    (project / "c" / "d.py").touch()
    text = "DataLoader(ds)  # dlint: ignore[missing-pin-memory]\nDataLoader(ds)\n"
    (project / "a.py").write_text(text)
    (log,) = json.loads(run("check", "--output-format", "sarif").out)["runs"]
    assert log["properties"] == {"leftOut": {"comments": 1, "excluded-paths": 1, "rules-off": 2}}
    (project / "dlint.toml").unlink()
    (project / "a.py").write_text("DataLoader(ds)\n")
    (log,) = json.loads(run("check", "--output-format", "sarif").out)["runs"]
    assert "properties" not in log
