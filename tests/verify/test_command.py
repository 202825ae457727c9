"""`dlint verify` from the outside."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dlint.cli import verify_run
from dlint.cli.main import main
from dlint.cli.verify_arguments import duration, share
from dlint.verify.judge.kept import Comparison, Kept
from dlint.verify.judge.statistics import Pair
from dlint.verify.measure.interleaved import SLICES
from tests.verify.conftest import QUICK
from tests.verify.made import matches_schema

Run = Callable[..., Any]

SCRIPT = """
import time

import torch
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Rows(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(DELAY)
        return torch.full((8,), float(index)), index % 3


DELAY = 0.002


def main():
    model = torch.nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = Rows()
    sampler = WeightedRandomSampler([1.0] * len(rows), len(rows))
    loader = DataLoader(rows, batch_size=4, shuffle=True, sampler=sampler)
    for epoch in range(100):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
FASTER = """\
--- a/train.py
+++ b/train.py
@@ -15,3 +15,3 @@

-DELAY = 0.002
+DELAY = 0.0002

"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a script that fails until it is fixed."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "train.py", "--dry-run", "--", "--epochs", "3"]) == 0
    out = capsys.readouterr().out
    assert "train.py --epochs 3\n" in out
    line = SCRIPT.split("DataLoader(rows")[0].count("\n") + 1
    assert f"fix: shuffle-with-sampler (safe) at train.py:{line}\n    judged by the exc" in out
    assert not (folder / ".dlint").exists()


def test_the_plan_without_a_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("print('no loader')\n")
    assert main(["verify", "train.py", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "no fix to try: two looks at the script; where its loop waits, workers are tried" in out
    assert re.search(r"^files: .*\ntime: 3 min for everything", out, re.M), "it runs all the same"
    assert main(["verify", "train.py", "--dry-run", "--select", "zero-workers"]) == 0
    out = capsys.readouterr().out
    assert "nothing to try: nothing would be run\n" in out
    assert not re.search(r"^(files|time): ", out, re.M)
    assert main(["verify", "train.py", "--dry-run", "--tune"]) == 0
    out = capsys.readouterr().out
    assert "tuned: workers, queue and pinning" in out
    assert "time: 5 min for everything" in out
    assert main(["verify", "train.py", "--dry-run", "--self-test"]) == 0
    assert "comparisons that are timed: up to 1, each" in capsys.readouterr().out


def test_the_plan_of_a_script_that_cannot_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text("from torch.utils.data import DataLoader\ndef f(:\n")
    assert main(["verify", "train.py", "--dry-run"]) == 0
    assert "nothing to try: nothing would be run\n" in capsys.readouterr().out


def test_a_row_is_named_once(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_run, "may_have_gpu", lambda: True)
    pinned = SCRIPT.replace("shuffle=True, sampler=sampler", "pin_memory=True")
    (folder / "train.py").write_text(pinned)
    arguments = ["--dry-run", "--select", "missing-non-blocking"]
    assert main(["verify", "train.py", *arguments]) == 0
    line = pinned.split("x, y = x.to")[0].count("\n") + 1
    assert f"missing-non-blocking (safe) at train.py:{line}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a script"),
        (["train.py", "-m", "train"], "give a script"),
        (["nowhere.py"], "there is no script nowhere.py"),
        (["-m", "nowhere"], "there is no module nowhere"),
        (["train.py", "--pairs", "1"], "`--pairs` must lie between 2 and 100"),
        (["train.py", "--pairs", "500"], "`--pairs` must lie between 2 and 100"),
        (["train.py", "--set", "workers=4"], "workers is none of batch_size, "),
        (["train.py", "--tune", "--set", "num_workers=4"], "not beside another choice"),
        (["train.py", "--tune", "--memory-limit", "much"], "`much` is no size: give one such as"),
        (["train.py", "--memory-limit", "8G"], "`--memory-limit` is for `--tune`"),
        (["train.py", "--steps", "0"], "`--steps` must be at least 1"),
        (["train.py", "--fail-on", "slowr"], "`--fail-on slowr`: no verdict; there are confirmed"),
        (["train.py", "--effect", "3"], "`3` is no share: give one such as 3%"),
        (["train.py", "--budget", "soon"], "`soon` is no time"),
        (["train.py", "--report", "no/r.html"], "cannot write no/r.html: there is no folder no"),
        (["train.py", "--output-file", "."], "cannot write .: it is a folder"),
        (["cells.ipynb"], "cells.ipynb is no Python script: write its cells to one"),
        (["train.py", "--launcher", "no-such-launcher"], "no launcher `no-such-launcher`"),
        (["train.py", "--fix-file", "none.patch"], "cannot read none.patch"),
        (["train.py", "--select", "no-such-rule"], "unknown rule"),
    ],
)
def test_what_cannot_be_done(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "cells.ipynb").write_text("{}")
    assert main(["verify", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_nothing_to_try(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("print('no loader')\n")
    assert main(["verify", "train.py"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("nothing to try: dlint finds nothing in train.py and what it imports.")
    assert "measured on" not in out
    assert "could not measure: no DataLoader of torch was read" in out
    assert main(["verify", "train.py", "--output-format", "markdown"]) == 0
    assert "nothing to try" in capsys.readouterr().out


def test_a_file_that_could_not_be_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("from torch.utils.data import DataLoader\ndef f(:\n")
    assert main(["verify", "train.py"]) == 0
    out = capsys.readouterr().out
    assert "not tried: syntax-error at train.py:2: the file could not be checked" in out


def test_a_script_above(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert main(["verify", "../train.py", "--dry-run"]) == 0
    assert "../train.py\n" in capsys.readouterr().out


def test_a_script_without_a_loader(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "train.py").write_text("print('no loader')\n")
    assert main(["verify", "train.py", "--self-test", "--output-format", "json"]) == 4
    said = capsys.readouterr()
    assert "no DataLoader of torch was read" in said.err
    document = json.loads(said.out)
    matches_schema(document)
    assert document["notes"] == [said.err.strip().splitlines()[-1]]


def test_numbers_of_arguments() -> None:
    assert [duration(text) for text in ("90", "90s", "10m", "1h")] == [90, 90, 600, 3600]
    assert [share(text) for text in ("3%", "0.03")] == [0.03, 0.03]
    for text in ("-3%", "1.5", "x"):
        with pytest.raises(argparse.ArgumentTypeError, match="no share"):
            share(text)


@pytest.mark.slow
@pytest.mark.usefixtures("all_warm")
def test_a_crash_is_fixed_and_what_needs_a_device_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(QUICK + SCRIPT)
    arguments = ["--ignore", "zero-workers", "--output-format", "json", "--apply"]
    arguments += ["--budget", "10m", "--pairs", "2"]
    assert main(["verify", "train.py", *arguments, "--report", "r.html"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["schema"] == 1
    matches_schema(document)
    verdicts = {fix["rule"]: fix["verdict"] for fix in document["fixes"]}
    assert verdicts["shuffle-with-sampler"] == "mends-crash"
    assert verdicts["missing-pin-memory"] == "needs-gpu"
    assert document["environment"]["torch"]
    assert "many times" in captured.err
    assert "-    loader = DataLoader(rows, batch_size=4, shuffle=True" in captured.err
    assert "shuffle=True" not in (folder / "train.py").read_text()
    assert "pin_memory" not in (folder / "train.py").read_text()
    kept = list((folder / ".dlint" / "verify").glob("*.json"))
    assert len(kept) == len(document["fixes"])
    assert "http" not in (folder / "r.html").read_text()
    (folder / "train.py").write_text(QUICK + SCRIPT)
    assert main(["check", "train.py", "--no-cache", "--select", "missing-pin-memory"]) == 1
    assert "measured: the fix needs a GPU; train.py on " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("all_warm")
def test_a_patch_that_pays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = QUICK + SCRIPT.replace("shuffle=True, ", "")
    (folder / "train.py").write_text(text)
    (folder / "fast.patch").write_text(FASTER)
    arguments = ["--fix-file", "fast.patch", "--output-format", "json", "--budget", "30m"]
    arguments += ["--pairs", "4", "--steps", "30", "--report", "r.html"]
    assert main(["verify", "train.py", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    matches_schema(document)
    (fix,) = document["fixes"]
    assert fix["verdict"] in ("confirmed", "inconclusive"), fix  # a busy machine leaves it open
    assert (fix["low"] > 1) is (fix["verdict"] == "confirmed")
    assert fix["results"]["kind"] == "identical"
    assert fix["details"]["design"] == "duet"
    assert len(fix["samples"]["runs"]) == 2 * SLICES * fix["pairs"]
    assert fix["samples"]["before"]["steps"]
    assert (folder / "r.html").read_text().count("<svg") >= 3
    assert (folder / "train.py").read_text() == text


def test_what_is_kept_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--list"]) == 0
    assert capsys.readouterr().out == "nothing is kept here\n"
    pairs = tuple(Pair((2.0,) * 8, (1.0,) * 8) for _ in range(3))
    days = (("2026-01-02T03:04:05+00:00", pairs),)
    Kept(folder).add("key", Comparison("train.py", "num_workers=4", "step", days))
    assert main(["verify", "--list"]) == 0
    assert "2026-01-02  train.py  num_workers=4: 3 pairs of 1 day," in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("all_warm")
def test_settings_that_pay_are_told_by_a_step_and_an_epoch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = QUICK + SCRIPT.replace("shuffle=True, sampler=sampler", "shuffle=True")
    (folder / "train.py").write_text(text.replace("return 4000", "return 80"))
    arguments = ["--set", "num_workers=2,persistent_workers=True", "--output-format", "json"]
    assert main(["verify", "train.py", *arguments, "--budget", "30m", "--pairs", "2"]) == 0
    document = json.loads(capsys.readouterr().out)
    matches_schema(document)
    (fix,) = document["fixes"]
    assert fix["verdict"] in ("confirmed", "inconclusive"), fix
    assert fix["details"]["observable"] == "seconds an epoch"
    epoch = fix["details"]["epoch"]
    assert (epoch["how"], epoch["steps"]) == ("measured", 20)
    assert epoch["speedup"] == fix["speedup"]
    assert "step" in fix["details"]
    assert main(["verify", "--list"]) == 0
    assert "num_workers=2, persistent_workers=True (alone)" in capsys.readouterr().out
