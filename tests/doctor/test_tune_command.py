"""`dlint verify --tune` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.cli.main import main
from tests.verify.conftest import QUICK
from tests.verify.made import matches_schema

SCRIPT = (
    QUICK
    + """
import time

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.full((8,), float(index)), index % 3


def main():
    model = torch.nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = DataLoader(Rows(), batch_size=4)
    loader = DataLoader(Rows(), batch_size=4)
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            time.sleep(0.02)


if __name__ == "__main__":
    main()
"""
)


@pytest.mark.long
def test_a_setting_is_found_compared_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    arguments = ["--tune", "--apply", "--budget", "8m", "--output-format", "json", "--pairs", "6"]
    assert main(["verify", "train.py", *arguments, "--report", "report.html"]) == 0
    document = json.loads(capsys.readouterr().out)
    matches_schema(document)
    tune = document["tune"]
    row = SCRIPT[: SCRIPT.index("    loader = ")].count("\n") + 1
    assert (tune["row"], Path(tune["filename"]).name) == (row, "train.py")
    assert tune["tried"][0]["fate"] == "present"
    assert len(tune["tried"]) > 1
    (fix,) = document["fixes"]
    after = (tmp_path / "train.py").read_text()
    assert "seen = DataLoader(Rows(), batch_size=4)\n" in after
    assert fix["verdict"] in {"confirmed", "inconclusive"}, "40 ms of reading beside 20 of work"
    if fix["verdict"] == "confirmed":
        assert tune["recommended"]["num_workers"] > 1
        count = tune["recommended"]["num_workers"]
        assert f"loader = DataLoader(Rows(), batch_size=4, num_workers={count}" in after
        assert tune["written"][0].startswith("written: `num_workers` at train.py")
    else:
        assert after == SCRIPT
    assert "The ceiling" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
def test_where_too_little_is_seen_nothing_is_tuned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = SCRIPT.replace("return 4000", "return 8").replace("range(100)", "range(1)")
    (tmp_path / "train.py").write_text(few)
    monkeypatch.chdir(tmp_path)
    arguments = ["--tune", "--in-place", "--output-format", "json", "--no-save"]
    assert main(["verify", "train.py", *arguments]) == 4
    out = capsys.readouterr()
    assert "too little was seen to tune anything" in out.err
    document = json.loads(out.out)
    matches_schema(document)
    assert document["fixes"] == []
