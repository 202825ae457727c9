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
MODULE = """\
import lightning as L
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(ImageFolder("images"), batch_size=64, shuffle=True)
"""
FIT = """\
import lightning as L
from data import Data
from model import Model

L.Trainer(max_epochs=20, accelerator="gpu").fit(Model(), datamodule=Data())
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
    found = pinning._replace(scripts=(pinning.place.path,))
    command = "dlint verify train.py --select missing-pin-memory"
    assert measure.commands(finder.view(), found) == [command]
    text = full.render(finder.view(), [found])
    assert text.endswith(f"  |\nhelp: Measure what the fix brings: `{command}`\n\n")


def test_no_command_is_shown_where_no_script_is_known(finder: Any, pinning: Diagnostic) -> None:
    assert measure.commands(finder.view(), pinning) == []
    assert "verify" not in full.render(finder.view(), [pinning])


def test_several_scripts_are_listed(finder: Any, pinning: Diagnostic) -> None:
    folder = Path(pinning.place.path).parent
    names = ["a.py", "b b.py", "c.py", "retrain.py"]
    found = pinning._replace(scripts=tuple(str(folder / name) for name in names))
    shown = [
        f"dlint verify {name} --select missing-pin-memory"
        for name in ("retrain.py", "a.py", "'b b.py'", "c.py")
    ]
    assert measure.commands(finder.view(), found) == shown
    advice = measure.advice(finder.view(), found)
    assert advice is not None
    assert advice.endswith(
        f": `{shown[0]}`, or `{shown[1]}`, or `{shown[2]}` (1 more scripts run this code)"
    )


def test_a_change_without_a_fix_is_the_reader_s_patch(finder: Any, eager: Diagnostic) -> None:
    found = eager._replace(scripts=(eager.place.path,))
    text = full.render(finder.view(), [found])
    command = "dlint verify pkg/data.py --select eager-load-in-init"
    assert text.endswith(
        "help: Measure a change of yours: save it as a patch, add `--fix-file PATCH` to "
        f"`{command}`\n\n"
    )


def test_other_findings_have_nothing_to_measure(finder: Any, pinning: Diagnostic) -> None:
    found = pinning._replace(name="shuffle-with-sampler", code="DLT201")
    assert measure.commands(finder.view(), found) == []
    assert "verify" not in full.render(finder.view(), [found])


def test_what_verify_cannot_try_is_not_promised(pinning: Diagnostic) -> None:
    path = "/p/a.ipynb"
    found = pinning._replace(place=Place(path, 0, 1), fix=None)
    view = View(Sources({path: Source(path, "x")}), Path("/p"), frozenset())
    assert measure.commands(view, found) == []


def test_short_reports_stay_short(finder: Any, pinning: Diagnostic) -> None:
    for report in (concise, github):
        assert "verify" not in report.render(finder.view(), [pinning])


def test_a_module_with_relative_imports_is_run_by_its_name(pinning: Diagnostic) -> None:
    path = "/p/pkg/train.py"
    found = pinning._replace(fix=None, scripts=(path,), place=Place(path, 0, 1))
    for text, program in (("from .a import b\n", "-m pkg.train"), ("import a\n", "pkg/train.py")):
        view = View(Sources({path: Source(path, text)}), Path("/p"), frozenset())
        (command,) = measure.commands(view, found)
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
        ({"data.py": MODULE, "train.py": FIT}, "zero-workers"),
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
    main(["check", "--no-cache", "--output-format", "json", "--select", rule])
    (found,) = json.loads(capsys.readouterr().out)
    program, *arguments = shlex.split(found["measure"])
    assert program == "dlint"
    assert main([*arguments, "--dry-run"]) == 0
    planned = capsys.readouterr().out
    assert rule in planned
    assert found["fix"] or "--fix-file" in planned
