"""`dlint.check`: what the command finds, as data."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import dlint
from dlint.cli.main import main
from dlint.workspace import kinds

PAGE = Path(__file__).parent.parent.parent / "docs" / "api.md"
_BLOCK = re.compile(r"^```py\n(.*?)^```$", re.M | re.S)
TRAIN = """\
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, model):
    sampler = DistributedSampler(dataset)
    for epoch in range(3):
        for x in DataLoader(dataset, sampler=sampler, shuffle=True):
            model(x).backward()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a loader that raises, and no epoch set."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "set.py").write_text("x = 1\n")
    return tmp_path


_LEFT_OUT = ["--exclude=train.py", "--force-exclude"]


def _names(report: dlint.Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def test_what_the_project_keeps_from_being_shown_is_counted(project: Path) -> None:
    select = dlint.Settings(select=["shuffle-with-sampler"])
    assert dlint.check("train.py", select).left_out == {}
    (project / "dlint.toml").write_text('exclude = ["data"]\n')
    text = TRAIN.replace("shuffle=True):", "shuffle=True):  # dlint: ignore[shuffle-with-sampler]")
    (project / "train.py").write_text(text)
    report = dlint.check(".", select)
    assert (report.findings, report.left_out) == ((), {"comments": 1, "excluded-paths": 1})


def test_a_finding_as_data(project: Path) -> None:
    report = dlint.check("train.py", dlint.Settings(select=["shuffle-with-sampler"]))
    (found,) = report.findings
    assert (found.code, found.rule, found.severity) == ("DLT201", "shuffle-with-sampler", "error")
    assert found.location == dlint.Location(project / "train.py", 7, 18, 7, 68)
    assert found.argument == dlint.Location(project / "train.py", 7, 55, 7, 67)
    assert found.fix is not None
    assert found.fix.applicability == "safe"
    (edit,) = found.fix.edits
    assert edit == dlint.Edit(dlint.Location(project / "train.py", 7, 53, 7, 67), "")
    assert found.url is not None
    assert found.url.endswith("/shuffle-with-sampler/")
    assert (report.warnings, report.crashes) == ((), ())


@pytest.mark.parametrize("paths", ["train.py", Path("train.py"), ["train.py"], [Path(), "data"]])
def test_paths_are_one_or_several(project: Path, paths: Any) -> None:
    assert "shuffle-with-sampler" in _names(dlint.check(paths))


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (dlint.Settings(), []),
        (dlint.Settings(select=["DLT2"], ignore=["DLT201"]), ["--select=DLT2", "--ignore=DLT201"]),
        (dlint.Settings(select=[]), ["--config=select=[]"]),
        (dlint.Settings(extend_select=["ALL"], preview=True), ["--extend-select=ALL", "--preview"]),
        (dlint.Settings(exclude=["train.py"], force_exclude=True), _LEFT_OUT),
        (dlint.Settings(unsafe_fixes=False, no_cache=True), ["--no-unsafe-fixes", "--no-cache"]),
        (dlint.Settings(respect_gitignore=False), ["--no-respect-gitignore"]),
        (dlint.Settings(extension={"inc": "python"}), ["--extension=inc:python"]),
        (dlint.Settings(cache_dir=Path("kept")), ["--cache-dir=kept"]),
        (
            dlint.Settings(config=['ignore=["DLT2"]'], isolated=True),
            ['--config=ignore=["DLT2"]', "--isolated"],
        ),
    ],
)
def test_it_finds_what_the_command_finds(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    settings: dlint.Settings,
    options: Sequence[str],
) -> None:
    main(["check", "--output-format", "json", *options, "train.py"])
    shown = capsys.readouterr().out
    assert dlint.check("train.py", settings).render("json") == shown
    assert [finding["name"] for finding in json.loads(shown)] == _names(
        dlint.check("train.py", settings)
    )


def test_settings_of_the_project_count(project: Path) -> None:
    (project / "dlint.toml").write_text('ignore = ["shuffle-with-sampler"]\n')
    assert "shuffle-with-sampler" not in _names(dlint.check())


def test_a_baseline_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--update-baseline", "--baseline", "accepted.json"])
    capsys.readouterr()
    assert dlint.check(".", dlint.Settings(baseline="accepted.json")).findings == ()
    (project / "dlint.toml").write_text('baseline = "accepted.json"\n')
    assert dlint.check().findings == ()


@pytest.mark.parametrize(
    ("paths", "settings", "told"),
    [
        ("none.py", dlint.Settings(), "no such file or directory: none.py"),
        ("-", dlint.Settings(), "standard input"),
        ((), dlint.Settings(), "no path was given"),
        ("train.py", dlint.Settings(select=["nothing"]), "unknown rule `nothing`"),
        ("train.py", dlint.Settings(extension={"x": "odd"}), "KIND one of"),
    ],
)
def test_what_cannot_be_done_raises(
    project: Path, paths: Any, settings: dlint.Settings, told: str
) -> None:
    with pytest.raises(dlint.UsageError, match=told):
        dlint.check(paths, settings)


def test_a_configuration_that_is_wrong_raises(project: Path) -> None:
    (project / "dlint.toml").write_text("selekt = []\n")
    with pytest.raises(dlint.UsageError, match=r"dlint\.toml:1: unknown key `selekt`"):
        dlint.check()


def test_a_format_that_is_none_raises(project: Path) -> None:
    with pytest.raises(dlint.UsageError, match="there is no format `xml`"):
        dlint.check().render("xml")


def test_what_was_left_out_is_told(project: Path) -> None:
    (project / "dlint.toml").write_text('exclude = ["train.py"]\n')
    report = dlint.check(["train.py", "data"], dlint.Settings(force_exclude=True))
    assert report.warnings == (f"{project / 'train.py'} is excluded",)


def test_a_rule_that_crashes_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(context: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr("dlint.rules.sampling.missing_set_epoch.check", failing)
    report = dlint.check()
    assert "shuffle-with-sampler" in _names(report)
    (crash,) = report.crashes
    assert crash.startswith("the rule missing-set-epoch crashed")
    assert "ValueError('odd')" in crash


def test_what_one_check_reads_does_not_change_the_next(project: Path) -> None:
    before = kinds.suffixes()
    dlint.check(".", dlint.Settings(extension={"inc": "python"}))
    assert kinds.suffixes() == before


def test_the_examples_of_the_page_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = _BLOCK.findall(PAGE.read_text("utf-8"))
    names: dict[str, Any] = {}
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)
    out = capsys.readouterr().out
    assert "train.py:7: DLT201 shuffle-with-sampler: " in out
    assert '"version": "2.1.0"' in out
