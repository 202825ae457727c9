"""`dlint check`: paths, selection, configuration, reports and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOUND = "a.py:1:5: warning: DLT101 missing-pin-memory [*] not pinned\n"


def _concise(run: Any, *argv: str, **settings: Any) -> str:
    out: str = run("check", "-q", "--output-format", "concise", *argv, **settings).out
    return out


def test_findings(run: Any) -> None:
    result = run("check")
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith(
        "warning: DLT101 missing-pin-memory [*] not pinned\n --> a.py:1:5\n"
    )
    assert result.out.endswith("\nFound 1 finding (1 warning).\n[*] 1 fixable with `--fix`.\n")


def test_no_findings(run: Any) -> None:
    result = run("check", "b.py")
    assert (result.code, result.out, result.err) == (0, "All checks passed!\n", "")


def test_quiet(run: Any) -> None:
    assert run("check", "-q", "b.py").out == ""
    assert "Found" not in run("check", "-q").out


def test_verbose(run: Any, project: Path) -> None:
    (project / "dlint.toml").touch()
    assert run("check", "-v").err == (
        f"{project}: files checked: 2\nsettings from {project / 'dlint.toml'}\na note\n"
    )


def test_missing_path(run: Any) -> None:
    result = run("check", "a.py", "nope.py", "neither/")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: no such file or directory: nope.py\nerror: no such file or directory: neither/\n"
    )


def test_no_python_file(run: Any, project: Path) -> None:
    (project / "empty").mkdir()
    result = run("check", "empty")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: No Python files or notebooks found under empty\n"


def test_a_file_that_cannot_be_decoded_is_a_finding(run: Any, project: Path) -> None:
    (project / "c.py").write_bytes(b"# coding: utf-8\nx = '\xff'\n")
    result = run("check", "c.py", "--output-format", "concise")
    assert result.code == 1
    assert result.out.startswith("c.py:1:1: error: DLT902 unreadable-file cannot decode")


def test_findings_are_sorted_over_projects(run: Any, project: Path) -> None:
    (project / "sub/.git").mkdir(parents=True)
    (project / "sub/c.py").write_text("DataLoader(ds); DataLoader(ds)\n")
    out = _concise(run, ".")
    assert [line.split(" ")[0] for line in out.splitlines()] == [
        "a.py:1:5:",
        "sub/c.py:1:1:",
        "sub/c.py:1:17:",
    ]


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (["--select", "DLT1"], True),
        (["--select", "DLT2"], False),
        (["--select", "missing-set-epoch", "--extend-select", "DLT101"], True),
        (["--ignore", "missing-pin-memory"], False),
        (["--ignore", "DLT2,DLT101"], False),
        (["--ignore", "DLT2", "--ignore", "DLT101"], False),
    ],
)
def test_selection(run: Any, flags: list[str], found: bool) -> None:
    assert (_concise(run, *flags) == FOUND) is found


def test_an_unknown_rule(run: Any) -> None:
    result = run("check", "--select", "missing-pin-memry")
    assert (result.code, result.out) == (2, "")
    assert "did you mean `missing-pin-memory`" in result.err


def test_info_is_shown_when_asked_for(run: Any, project: Path) -> None:
    (project / "a.py").write_text("DataLoader(info)\n")
    assert run("check").code == 0
    assert run("check", "--select", "ALL").code == 1
    assert run("check", "--select", "ALL", "--fail-on", "warning").code == 0


def test_test_files_get_errors_only(run: Any, project: Path) -> None:
    (project / "tests").mkdir()
    (project / "tests/c.py").write_text("x = DataLoader(ds)\nx.cuda()  # dlint: ignore[DLT202]\n")
    assert _concise(run, "tests") == "tests/c.py:2:1: error: DLT301 missing-non-blocking blocks\n"


@pytest.mark.parametrize(
    ("text", "flags", "code"),
    [
        ("DataLoader(ds)", [], 1),
        ("DataLoader(ds)", ["--fail-on", "warning"], 1),
        ("DataLoader(ds)", ["--fail-on", "error"], 0),
        ("x.cuda()", ["--fail-on", "error"], 1),
        ("x.cuda()", ["--exit-zero"], 0),
    ],
)
def test_exit_codes(run: Any, project: Path, text: str, flags: list[str], code: int) -> None:
    (project / "a.py").write_text(text)
    assert run("check", *flags).code == code


def test_configuration(run: Any, project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.dlint]\nignore = ["DLT1"]\noutput-format = "concise"\nfail-on = "error"\n'
    )
    (project / "c.py").write_text("x.cuda()\n")
    result = run("check")
    assert result.code == 1
    assert result.out.startswith("c.py:1:1: error: DLT301 missing-non-blocking blocks\n")
    assert run("check", "--select", "DLT1").out.startswith("a.py:1:5")
    assert run("check", "--select", "DLT1").code == 0
    assert run("check", "--output-format", "json").out.startswith("[\n")


def test_the_nearest_configuration_governs_each_file(run: Any, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub/dlint.toml").write_text('ignore = ["DLT1"]\n')
    (project / "sub/c.py").write_text("x = DataLoader(ds)\nx.cuda()\n")
    assert _concise(run) == FOUND + "sub/c.py:2:1: error: DLT301 missing-non-blocking blocks\n"


def test_per_file_ignores(run: Any, project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.dlint.per-file-ignores]\n"scripts" = ["DLT1"]\n"*_old.py" = ["ALL"]\n'
    )
    (project / "scripts/deep").mkdir(parents=True)
    (project / "scripts/deep/c.py").write_text("x = DataLoader(ds)\n")
    (project / "d_old.py").write_text("x.cuda()\n")
    assert _concise(run) == FOUND


@pytest.mark.parametrize(
    "text",
    ['ignroe = ["DLT1"]', 'ignore = ["DLT99"]', '[per-file-ignores]\n"a.py" = ["nothing"]'],
)
def test_a_wrong_configuration(run: Any, project: Path, text: str) -> None:
    (project / "dlint.toml").write_text(text)
    result = run("check", "b.py")
    assert (result.code, result.out) == (2, "")
    assert "dlint.toml" in result.err


def test_excluded_files(run: Any, project: Path) -> None:
    result = run("check", "--exclude", "a.py,gen", ".")
    assert result.code == 0
    assert run("check", "--exclude", "a.py", "a.py").code == 1
    forced = run("check", "--exclude", "a.py", "--force-exclude", "a.py")
    assert (forced.code, forced.out) == (0, "All checks passed!\n")
    assert forced.err == f"{project / 'a.py'} is excluded\n"


def test_suppressed_findings(run: Any, project: Path) -> None:
    (project / "a.py").write_text("x = DataLoader(ds)  # dlint: ignore[missing-pin-memory] small\n")
    assert run("check").code == 0
    (project / "b.py").write_text("y = 1  # dlint: ignore[missing-pin-memory]\n")
    assert _concise(run) == (
        "b.py:1:8: warning: DLT903 unused-suppression [*] this comment suppresses nothing: "
        "no finding of `missing-pin-memory` here\n"
    )
    assert run("check", "--ignore", "DLT101").code == 0


def test_json_is_alone_on_standard_output(run: Any) -> None:
    result = run("check", "--output-format", "json")
    assert [d["code"] for d in json.loads(result.out)] == ["DLT101"]
    assert run("check", "--output-format", "json", "b.py").out == "[]\n"


def test_statistics(run: Any) -> None:
    assert run("check", "--statistics").out.startswith("1  DLT101  [*]  missing-pin-memory\nFound")
    rows = json.loads(run("check", "--statistics", "--output-format", "json").out)
    assert rows == [{"count": 1, "code": "DLT101", "name": "missing-pin-memory", "fixable": 1}]
    assert run("check", "--statistics", "--output-format", "sarif").code == 2


def test_output_file(run: Any, project: Path) -> None:
    result = run("check", "--output-format", "json", "--output-file", "report.json")
    assert (result.code, result.out) == (1, "")
    assert len(json.loads((project / "report.json").read_text())) == 1
    assert run("check", "--output-file", "no/such/dir").code == 2


@pytest.mark.parametrize(
    ("flags", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--output-file", "/dev/stdout"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours(
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    environment: dict[str, str],
    coloured: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("check", *flags).out) is coloured


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], ".dlint_cache"),
        (["--cache-dir", "elsewhere"], "elsewhere"),
        (["--no-cache"], None),
    ],
)
def test_the_cache_directory_reaches_the_engine(
    run: Any,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    expected: str | None,
) -> None:
    from dlint.engine.request import Outcome, Request

    asked: list[Request] = []

    def analyse(request: Request, *_: object) -> Outcome:
        asked.append(request)
        return Outcome()

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    run("check", *flags)
    assert asked[0].cache_dir == (None if expected is None else project / expected)
    assert asked[0].root == project
    assert asked[0].reported == {str(project / "a.py"), str(project / "b.py")}


@pytest.mark.parametrize(
    ("flags", "expected"),
    [([], "user/dlint"), (["--cache-dir", "elsewhere"], "elsewhere"), (["--no-cache"], None)],
)
def test_a_project_cannot_say_where_answers_are_taken_from(
    run: Any, project: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], expected: str | None
) -> None:
    from dlint.engine.request import Outcome, Request

    asked: list[Request] = []

    def analyse(request: Request, *_: object) -> Outcome:
        asked.append(request)
        return Outcome()

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "user"))
    (project / "dlint.toml").write_text('cache-dir = "mine"\n')
    run("check", *flags)
    assert asked[0].answers_dir == (None if expected is None else project / expected)


@pytest.mark.parametrize(("flags", "expected"), [([], 7), (["--jobs", "2"], 2)])
def test_how_many_processes_there_may_be(
    run: Any, monkeypatch: pytest.MonkeyPatch, flags: list[str], expected: int
) -> None:
    from dlint.engine.request import Outcome, Request

    asked: list[Request] = []

    def analyse(request: Request, *_: object) -> Outcome:
        asked.append(request)
        return Outcome()

    monkeypatch.setattr("dlint.engine.analyse.analyse", analyse)
    monkeypatch.setattr("dlint.cli.check.available", lambda: 7)
    run("check", *flags)
    assert asked[0].jobs == expected


@pytest.mark.parametrize("count", ["0", "-1", "two"])
def test_a_number_of_processes_that_is_none(run: Any, count: str) -> None:
    assert "is no number of processes" in run("check", f"--jobs={count}").err
