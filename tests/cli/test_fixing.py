"""`--fix`, `--diff`, `--add-ignore`, and standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dlint

CHECKOUT = Path(dlint.__file__).parent.parent

PINNED = "x = DataLoader(ds, pin_memory=True)\n"


def test_fix(run: Any, project: Path) -> None:
    result = run("check", "--fix")
    assert (result.code, result.out) == (0, "Found 1 finding, fixed it.\n")
    assert (project / "a.py").read_text() == PINNED
    assert run("check", "--fix").out == "All checks passed!\n"


def test_fix_applies_unsafe_fixes_only_when_asked(run: Any, project: Path) -> None:
    (project / "a.py").write_text("x = DataLoader(ds)\nx.cuda()\n")
    result = run("check", "--fix")
    assert result.code == 1
    assert "2:1" in result.out
    assert result.out.endswith(
        "Found 2 findings: 1 fixed, 1 left (1 error).\n1 fixable with `--fix --unsafe-fixes`.\n"
    )
    assert (project / "a.py").read_text() == PINNED + "x.cuda()\n"
    assert run("check", "--fix", "--unsafe-fixes").code == 0
    assert (project / "a.py").read_text() == PINNED + "x.cuda(non_blocking=True)\n"


def test_unsafe_fixes_from_the_configuration(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text("unsafe-fixes = true\n")
    (project / "a.py").write_text("x.cuda()\n")
    assert "[*] 1 fixable" in run("check").out
    assert "[*]" not in run("check", "--no-unsafe-fixes").out


def test_fix_removes_unused_suppressions(run: Any, project: Path) -> None:
    (project / "a.py").write_text("x = 1  # dlint: ignore[DLT101] why\n")
    assert run("check", "--fix").code == 0
    assert (project / "a.py").read_text() == "x = 1\n"


def test_diff(run: Any, project: Path) -> None:
    result = run("check", "--diff")
    assert result.code == 1
    assert result.out == (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = DataLoader(ds)\n"
        "+x = DataLoader(ds, pin_memory=True)\n"
    )
    assert result.err == "1 finding would be fixed.\n"
    assert "pin" not in (project / "a.py").read_text()
    assert run("check", "--diff", "--exit-zero").code == 0


@pytest.mark.parametrize(
    ("code", "flags", "said"),
    [
        ("x.cuda()\n", [], "0 findings would be fixed (1 with `--unsafe-fixes`).\n"),
        ("x.cuda()\n", ["--unsafe-fixes"], "1 finding would be fixed.\n"),
        (
            "x = DataLoader(ds)\nx.cuda()\n",
            [],
            "1 finding would be fixed (1 more with `--unsafe-fixes`).\n",
        ),
        ("x.cuda()\n", ["--quiet"], ""),
    ],
)
def test_a_diff_says_what_it_leaves_out(
    run: Any, project: Path, code: str, flags: list[str], said: str
) -> None:
    (project / "a.py").write_text(code)
    assert run("check", "--diff", *flags).err == said


def test_no_diff(run: Any) -> None:
    result = run("check", "--diff", "b.py")
    assert (result.code, result.out) == (0, "")


def test_a_file_that_cannot_be_written(
    run: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.py").chmod(0o444)
    result = run("check", "--fix")
    assert result.code == 2
    assert "a.py" in result.err


def test_add_ignore(run: Any, project: Path) -> None:
    (project / "c.py").write_text("x = DataLoader(ds)\nx.cuda()  # dlint: ignore[DLT101]\n")
    result = run("check", "--add-ignore", ".")
    assert (result.code, result.out) == (0, "")
    assert result.err == "Suppressed 3 findings in 2 files, 1 left.\n"
    assert (project / "a.py").read_text() == (
        "x = DataLoader(ds)  # dlint: ignore[missing-pin-memory] not yet reviewed\n"
    )
    assert (project / "c.py").read_text() == (
        "x = DataLoader(ds)  # dlint: ignore[missing-pin-memory] not yet reviewed\n"
        "x.cuda()  # dlint: ignore[DLT101, missing-non-blocking]\n"
    )
    assert run("check", "a.py").code == 0


def test_add_ignore_with_a_reason(run: Any, project: Path) -> None:
    assert run("check", "--add-ignore=small data", "a.py").code == 0
    assert (
        (project / "a.py").read_text().endswith("# dlint: ignore[missing-pin-memory] small data\n")
    )


def test_add_ignore_leaves_what_no_comment_can_suppress(run: Any, project: Path) -> None:
    (project / "a.py").write_text("SyntaxError!\n")
    (project / "b.py").write_bytes(b"\xff")
    assert run("check", "--add-ignore").err == "Suppressed 0 findings in 0 files, 1 left.\n"


def test_standard_input(run: Any, project: Path) -> None:
    result = run("check", "-", stdin="DataLoader(ds)\n")
    assert result.code == 1
    assert " --> -:1:1\n" in result.out


def test_standard_input_with_a_name(run: Any, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.dlint.per-file-ignores]\n"c.py" = ["DLT1"]\n')
    argv = ["check", "-", "--stdin-filename", "a.py", "--output-format", "json"]
    (found,) = json.loads(run(*argv, stdin="\n\nDataLoader(ds)\n").out)
    assert found["filename"] == str(project / "a.py")
    assert found["location"]["row"] == 3
    argv[3] = "c.py"
    assert run(*argv, stdin="DataLoader(ds)\n").out == "[]\n"


def test_fixing_standard_input(run: Any, project: Path) -> None:
    before = (project / "a.py").read_text()
    argv = ["check", "-", "--fix", "--stdin-filename", "a.py"]
    result = run(*argv, stdin="x = DataLoader(ds)\r\nx.cuda()\r\n")
    assert result.out == "x = DataLoader(ds, pin_memory=True)\r\nx.cuda()\r\n"
    assert result.code == 1
    assert "Found 2 findings: 1 fixed" in result.err
    assert (project / "a.py").read_text() == before


def test_fixing_standard_input_that_is_excluded_passes_it_on(run: Any, project: Path) -> None:
    argv = ["check", "-", "--fix", "--stdin-filename", "a.py", "--exclude", "a.py"]
    result = run(*argv, "--force-exclude", stdin="x = DataLoader(ds)\n")
    assert (result.code, result.out) == (0, "x = DataLoader(ds)\n")


def test_add_ignore_says_how_to_ignore_what_stands_in_json(run: Any, project: Path) -> None:
    for path in project.rglob("*.py"):
        path.unlink()
    path = project / "conf" / "a.json"
    path.parent.mkdir()
    path.write_text('{"made": "DataLoader(ds)"}')
    told = run("check", "--add-ignore").err
    assert told == (
        "Suppressed 0 findings in 0 files, 1 left.\n"
        "JSON takes no comments. To leave these findings out, set in the configuration:\n"
        "[tool.dlint.per-file-ignores]\n"
        '"conf/a.json" = ["missing-pin-memory"]\n'
    )
    assert path.read_text() == '{"made": "DataLoader(ds)"}'
    assert run("check").code == 1
    table = "\n".join(told.splitlines()[2:])
    (project / "pyproject.toml").write_text(table)
    assert run("check").code == 0
    (project / "pyproject.toml").write_text(table.replace("memory", "memry"))
    result = run("check")
    assert result.code == 2
    assert "did you mean `missing-pin-memory`" in result.err


def test_add_ignore_on_standard_input(run: Any) -> None:
    result = run("check", "-", "--add-ignore=why", stdin="DataLoader(ds)\n")
    assert result.out == "DataLoader(ds)  # dlint: ignore[missing-pin-memory] why\n"


def test_standard_input_stands_alone(run: Any) -> None:
    assert run("check", "-", "a.py", stdin="").code == 2
    assert run("check", "--stdin-filename", "a.py").code == 2


def test_standard_input_that_is_no_text(run: Any) -> None:
    result = run("check", "-", stdin=b"\xff\xfe\x00")
    assert (result.code, result.out) == (2, "")
    assert "cannot decode" in result.err


def test_standard_input_keeps_its_bytes_on_any_terminal(project: Path) -> None:
    text = "\ufeffx = DataLoader(ds)  # 数据\r\n# dlint: ignore[DLT202]\r\n"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "dlint", "check", "-", "--fix", "--no-cache"]
    result = subprocess.run(
        command, input=text.encode(), capture_output=True, cwd=project, env=environment
    )
    assert result.stdout == "\ufeffx = DataLoader(ds)  # 数据\r\n".encode()


def test_a_diff_is_in_the_encoding_of_its_file(project: Path) -> None:
    text = "# coding: latin-1\nx = 'é'  # dlint: ignore[DLT202]\n"
    (project / "a.py").write_text(text, "latin-1")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-m", "dlint", "check", "--diff", "--no-cache", "a.py"]
    result = subprocess.run(command, capture_output=True, cwd=project, env=environment)
    assert b"\n-x = '\xe9'  # dlint: ignore[DLT202]\n+x = '\xe9'\n" in result.stdout


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ('extend-unsafe-fixes = ["DLT101"]', "x = DataLoader(ds)\n"),
        ('unfixable = ["DLT101"]', "x = DataLoader(ds)\n"),
        ('[[overrides]]\nfiles = ["a.py"]\nunfixable = ["ALL"]', "x = DataLoader(ds)\n"),
        ('[[overrides]]\nfiles = ["b.py"]\nunfixable = ["ALL"]', PINNED),
    ],
)
def test_settings_say_what_is_fixed(run: Any, project: Path, settings: str, text: str) -> None:
    (project / "dlint.toml").write_text(settings)
    run("check", "--fix")
    assert (project / "a.py").read_text() == text


@pytest.mark.usefixtures("run")
def test_verify_tries_what_settings_keep_from_being_fixed(project: Path) -> None:
    from dlint.cli.verify_findings import find

    (project / "dlint.toml").write_text('unfixable = ["ALL"]\nseverity = { ALL = "info" }\n')
    (candidate,) = find(project / "a.py", None, None).candidates
    assert candidate.rule == "missing-pin-memory"


def test_fix_and_diff_together_change_nothing(run: Any, project: Path) -> None:
    together = run("check", "--fix", "--diff")
    assert (together.code, together.err) == (1, "1 finding would be fixed.\n")
    assert together.out == run("check", "--diff").out
    assert (project / "a.py").read_text() == "x = DataLoader(ds)\n"


@pytest.mark.parametrize("flag", ["--fix", "--diff"])
def test_comments_are_not_added_beside_fixes(run: Any, project: Path, flag: str) -> None:
    assert run("check", flag, "--add-ignore").code == 2
    assert (project / "a.py").read_text() == "x = DataLoader(ds)\n"
