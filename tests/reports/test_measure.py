"""The command behind findings about speed: it is named, and it does what it says."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from dlint.cli.main import main
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.reports import concise, full, github, measure
from dlint.reports.view import View
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

TRAIN = """\
import library
from torch.utils.data import DataLoader
{also}

def main(data, model):
    for x in DataLoader(data, num_workers=2):
        model(x.cuda()).backward()


if __name__ == "__main__":
    main(library.data(), library.model())
"""
COLLATE = """\
import library
import numpy as np
from torch.utils.data import DataLoader


def collate(samples):
    return np.stack(samples)


def main(data, model):
    for x in DataLoader(data, num_workers=2, collate_fn=collate):
        model(x)


if __name__ == "__main__":
    main(library.data(), library.model())
"""


def test_speed_is_to_be_measured(finder: Any, pinning: Diagnostic) -> None:
    found = pinning._replace(script=pinning.place.path)
    command = "dlint verify train.py --select missing-pin-memory"
    assert measure.command(finder.view(), found) == command
    text = full.render(finder.view(), [found])
    assert text.endswith(f"  |\nhelp: Measure what the fix brings: `{command}`\n\n")


def test_a_script_that_is_not_known_is_left_to_the_reader(finder: Any, pinning: Diagnostic) -> None:
    command = "dlint verify SCRIPT --select missing-pin-memory"
    assert measure.command(finder.view(), pinning) == command


def test_a_change_without_a_fix_is_measured_as_a_patch(finder: Any, eager: Diagnostic) -> None:
    text = full.render(finder.view(), [eager])
    command = "dlint verify SCRIPT --select eager-load-in-init --fix-file change.patch"
    assert text.endswith(f"help: Measure what a change brings: `{command}`\n\n")


def test_other_findings_have_nothing_to_measure(finder: Any, pinning: Diagnostic) -> None:
    found = pinning._replace(name="shuffle-with-sampler", code="DLT201")
    assert measure.command(finder.view(), found) is None
    assert "verify" not in full.render(finder.view(), [found])


def test_what_verify_cannot_try_is_not_promised(pinning: Diagnostic) -> None:
    path = "/p/a.ipynb"
    found = pinning._replace(place=Place(path, 0, 1), fix=None)
    view = View(Sources({path: Source(path, "x")}), Path("/p"), frozenset())
    assert measure.command(view, found) is None


def test_short_reports_stay_short(finder: Any, pinning: Diagnostic) -> None:
    for report in (concise, github):
        assert "verify" not in report.render(finder.view(), [pinning])


def test_a_module_with_relative_imports_is_run_by_its_name(pinning: Diagnostic) -> None:
    path = "/p/pkg/train.py"
    found = pinning._replace(fix=None, script=path, place=Place(path, 0, 1))
    for text, program in (("from .a import b\n", "-m pkg.train"), ("import a\n", "pkg/train.py")):
        view = View(Sources({path: Source(path, text)}), Path("/p"), frozenset())
        command = measure.command(view, found)
        assert command is not None
        assert command.startswith(f"dlint verify {program} --select")


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({"train.py": TRAIN.format(also="")}, "missing-pin-memory"),
        (
            {"pkg/train.py": TRAIN.format(also="from . import b"), "pkg/b.py": ""},
            "missing-pin-memory",
        ),
        ({"train.py": COLLATE}, "costly-collate"),
    ],
)
def test_the_command_tries_the_finding(
    files: dict[str, str],
    rule: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "change.patch").write_text(
        "--- a/train.py\n+++ b/train.py\n@@ -1,1 +1,2 @@\n import library\n+x = 1\n"
    )
    main(["check", "--no-cache", "--output-format", "json", "--select", rule])
    (found,) = json.loads(capsys.readouterr().out)
    program, *arguments = shlex.split(found["measure"])
    assert program == "dlint"
    assert main([*arguments, "--dry-run"]) == 0
    planned = capsys.readouterr().out
    assert (rule if found["fix"] else "change.patch") in planned
