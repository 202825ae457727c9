"""`--baseline` and `--update-baseline`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TWO = "x = DataLoader(ds)\ny = DataLoader(other)\n"
HIDDEN = "Not shown: 1 finding (1 in the baseline).\n"


@pytest.fixture
def baseline(run: Any, project: Path) -> Path:
    """A baseline that accepts the finding of `a.py`."""
    assert run("check", "--baseline", "b.json", "--update-baseline").code == 0
    return project / "b.json"


def _entries(path: Path) -> dict[str, list[dict[str, object]]]:
    files: dict[str, list[dict[str, object]]] = json.loads(path.read_text())["files"]
    return files


def test_it_is_made(run: Any, project: Path) -> None:
    result = run("check", "--baseline", "b.json", "--update-baseline")
    assert (result.code, result.out) == (0, f"All checks passed!\n{HIDDEN}")
    assert result.err == "b.json: 1 finding accepted (1 new, 0 fixed).\n"
    (entry,) = _entries(project / "b.json")["a.py"]
    assert (entry["rule"], entry["code"], entry["count"]) == (
        "missing-pin-memory",
        "DataLoader(ds)",
        1,
    )


@pytest.mark.usefixtures("baseline")
def test_accepted_findings_are_counted_but_not_shown(run: Any) -> None:
    result = run("check", "--baseline", "b.json")
    assert (result.code, result.out, result.err) == (0, f"All checks passed!\n{HIDDEN}", "")


@pytest.mark.usefixtures("baseline")
def test_new_findings_are_shown(run: Any, project: Path) -> None:
    (project / "a.py").write_text(TWO)
    result = run("check", "--baseline", "b.json", "--output-format", "concise")
    assert result.code == 1
    assert result.out.startswith("a.py:2:5: ")
    assert result.out.endswith(HIDDEN)


@pytest.mark.usefixtures("baseline")
def test_other_formats_count_beside_their_report(run: Any) -> None:
    result = run("check", "--baseline", "b.json", "--output-format", "json")
    assert (result.out, result.err) == ("[]\n", HIDDEN)


def test_what_is_fixed_is_told_and_removed(run: Any, project: Path, baseline: Path) -> None:
    (project / "a.py").write_text("x = 1\n")
    result = run("check", "--baseline", "b.json")
    assert (result.code, result.out) == (0, "All checks passed!\n")
    assert result.err == (
        "1 finding of the baseline is fixed, and removed from b.json:\n"
        "  a.py: missing-pin-memory: DataLoader(ds)\n"
    )
    assert _entries(baseline) == {}
    assert run("check", "--baseline", "b.json").err == ""


def test_a_file_that_is_gone_is_fixed(run: Any, project: Path, baseline: Path) -> None:
    (project / "a.py").unlink()
    assert "is fixed" in run("check", "--baseline", "b.json").err
    assert _entries(baseline) == {}


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("x = 1\n", ["b.py"]),
        ("x = 1\n", ["--select", "DLT2"]),
        ("x = 1\n", ["--diff"]),
        ("x = 1\n", ["--fix"]),
        ("SyntaxError!\n", []),
        ("x = DataLoader(ds, pin_memory=True)\n", ["a.py", "--ignore", "missing-pin-memory"]),
    ],
)
def test_what_was_not_looked_for_stays(
    run: Any, project: Path, baseline: Path, text: str, argv: list[str]
) -> None:
    (project / "a.py").write_text(text)
    run("check", "--baseline", "b.json", *argv)
    assert "a.py" in _entries(baseline)


def test_information_that_is_not_asked_for_stays(run: Any, project: Path) -> None:
    (project / "a.py").write_text("DataLoader(info)\n")
    run("check", "--select", "ALL", "--baseline", "b.json", "--update-baseline")
    for argv in ([], ["--update-baseline"]):
        run("check", "--baseline", "b.json", *argv)
        assert "a.py" in _entries(project / "b.json")


def test_standard_input_changes_no_baseline(run: Any, baseline: Path) -> None:
    argv = ["check", "-", "--stdin-filename", "a.py", "--baseline", "b.json"]
    assert run(*argv, stdin="DataLoader(ds)\n").out == f"All checks passed!\n{HIDDEN}"
    assert run(*argv, stdin="x = 1\n").err == ""
    assert "a.py" in _entries(baseline)


def test_an_update_takes_in_what_is_new_and_drops_what_is_fixed(
    run: Any, project: Path, baseline: Path
) -> None:
    (project / "a.py").write_text("y = DataLoader(other)\n")
    result = run("check", "--baseline", "b.json", "--update-baseline")
    assert result.err == "b.json: 1 finding accepted (1 new, 1 fixed).\n"
    (entry,) = _entries(baseline)["a.py"]
    assert entry["code"] == "DataLoader(other)"


def test_an_update_leaves_other_files_alone(run: Any, project: Path, baseline: Path) -> None:
    (project / "b.py").write_text("DataLoader(ds)\n")
    run("check", "b.py", "--baseline", "b.json", "--update-baseline")
    assert sorted(_entries(baseline)) == ["a.py", "b.py"]


def test_a_file_that_cannot_be_analysed_is_not_accepted(run: Any, project: Path) -> None:
    (project / "a.py").write_text("SyntaxError!\n")
    result = run("check", "--baseline", "b.json", "--update-baseline")
    assert result.code == 1
    assert "syntax-error" in result.out
    assert _entries(project / "b.json") == {}


def test_a_fix_leaves_what_is_accepted(run: Any, project: Path, baseline: Path) -> None:
    (project / "a.py").write_text(TWO)
    assert run("check", "--baseline", str(baseline), "--fix").code == 0
    assert (project / "a.py").read_text() == (
        "x = DataLoader(ds)\ny = DataLoader(other, pin_memory=True)\n"
    )


def test_the_settings_name_it(run: Any, project: Path, baseline: Path) -> None:
    (project / "dlint.toml").write_text('baseline = "b.json"\n')
    assert run("check").out == f"All checks passed!\n{HIDDEN}"
    (project / "a.py").write_text(TWO)
    assert run("check", "--update-baseline").code == 0
    assert len(_entries(baseline)["a.py"]) == 2


def test_settings_name_none_outside(run: Any, project: Path) -> None:
    (project / "dlint.toml").write_text('baseline = "../b.json"\n')
    result = run("check", "--update-baseline")
    assert result.code == 2
    assert f"`baseline`: ../b.json lies outside of {project}" in result.err
    assert not (project / "../b.json").exists()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--baseline", "b.json"], "there is no baseline"),
        (["--update-baseline"], "needs to know the file: `--baseline FILE`"),
        (["--update-baseline", "--baseline", "b.json", "--fix"], "and `--fix` do not go together"),
        (["--update-baseline", "--baseline", "b.json", "-"], "standard input do not go together"),
        (["--baseline", "a.py"], "is no baseline"),
        (["--update-baseline", "--baseline", "a.py"], "is no baseline"),
    ],
)
def test_requests_that_cannot_be_met(run: Any, project: Path, argv: list[str], said: str) -> None:
    result = run("check", *argv, stdin="")
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert (project / "a.py").read_text() == "x = DataLoader(ds)\n"
    assert not (project / "b.json").exists()


def test_a_baseline_that_cannot_be_written_ends_no_check(
    run: Any, project: Path, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.py").write_text("x = 1\n")
    monkeypatch.setattr("os.access", lambda path, _: Path(path).name != "b.json")
    result = run("check", "--baseline", "b.json")
    assert result.code == 0
    assert "read-only" in result.err
    assert "1 finding of the baseline is fixed:" in result.err
    assert "a.py" in _entries(baseline)
