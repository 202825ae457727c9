"""Loaders by which a module tries itself out."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlint

DATA = """
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self): return 9
    def __getitem__(self, index): return open(str(index)).read()

if __name__ == "__main__":
    loader = DataLoader(Rows(), pin_memory=True, num_workers=0)
    for batch in loader:
        {body}
"""
USER = "from data import Rows\nprint(Rows())\n"


@pytest.mark.parametrize("body", ["pass", "print(len(batch), batch.size())", "rows = batch\n"])
def test_of_loops_that_only_look_nothing_is_told(body: str, tmp_path: Path) -> None:
    assert not _found(DATA.format(body=body), USER, tmp_path)


@pytest.mark.parametrize("body", ["learn(batch)", "model.step(batch)", "while batch: pass"])
def test_of_loops_that_do_something_it_is(body: str, tmp_path: Path) -> None:
    assert _found(DATA.format(body=body), USER, tmp_path) == ["info"]


def test_of_a_script_it_is(tmp_path: Path) -> None:
    assert _found(DATA.format(body="pass"), "print()\n", tmp_path) == ["info"]


def test_of_a_function_it_is(tmp_path: Path) -> None:
    text = DATA.format(body="pass").replace('if __name__ == "__main__":', "def main():")
    assert _found(f"{text}main()\n", USER, tmp_path) == ["info"]


EVALUATION = """
import torch
from torch.utils.data import DataLoader

class Net(torch.nn.Module):
    def forward(self, x): return x

def restored(model):
    model.load_state_dict(torch.load("model.pt"))
    return model

def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        return [model(batch) for batch in loader]

def make(rows, shuffle=True):
    return DataLoader(rows, 4, shuffle=shuffle)

if __name__ == "__main__":
    {model}
    print(evaluate(model, make([1, 2, 3])))
"""
IN_ORDER = """
import sys
from data import Net, evaluate, make, restored
print(evaluate(restored(Net()), make(sys.argv, shuffle=False)))
"""


def test_of_an_evaluation_of_a_model_that_learned_nothing_it_is_not(tmp_path: Path) -> None:
    rule = "shuffle-in-eval"
    text = EVALUATION.format(model="model = Net()")
    assert not _found(text, IN_ORDER, tmp_path, rule)
    learned = EVALUATION.format(model="model = restored(Net())")
    assert _found(learned, IN_ORDER, tmp_path, rule) == ["info"]
    assert _found(text, "print()", tmp_path, rule) == ["info"]


def _found(data: str, user: str, folder: Path, rule: str = "ineffective-pin-memory") -> list[str]:
    (folder / "data.py").write_text(data)
    (folder / "user.py").write_text(user)
    settings = dlint.Settings(select=(rule,))
    return [found.severity for found in dlint.check([folder], settings).findings]
