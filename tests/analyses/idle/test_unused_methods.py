"""Which methods of a program nothing names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.unused_methods import UnusedMethods
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

TRAINER = """
class Trainer{base}:
    def __init__(self): self.setup()
    def setup(self): ...
    def train(self): ...
    def evaluate_all(self): self.step_all()
    def step_all(self): self.step_all()
    {decorator}
    def forward(self): ...
    def set_epoch(self, epoch): ...
    def state_dict(self): ...
{more}
if __name__ == "__main__":
    Trainer().train()
"""
USER = "from trainer import Trainer\nTrainer().train()\n"


def _text(base: str = "", decorator: str = "", more: str = "") -> str:
    return TRAINER.format(base=base, decorator=decorator, more=more)


def _unused(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> set[str]:
    """The names of the methods that nothing uses in the first of some files."""
    name = next(iter(files))
    analysed = context(files)
    text = (folder / name).read_text()
    places = (Place(str(folder / name), at, at + 1) for at in range(len(text)))
    found = (analysed[UnusedMethods].around(place) for place in places)
    return {scope.name for scope in found if scope is not None}


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": _text()},
        {"main.py": "import torch\n" + _text(base="(torch.nn.Module)")},
        {"main.py": _text(), "other.py": "class Other:\n    def step_all(self): ...\n"},
    ],
)
def test_methods_that_nothing_names(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unused(context, tmp_path, files) == {"evaluate_all", "step_all"}


@pytest.mark.parametrize(
    "files",
    [
        {"main.py": _text(), "other.py": "def run(x): x.evaluate_all()\n"},
        {"main.py": _text(), "other.py": "NAMES = ['evaluate_all']\n"},
        {"main.py": _text(more="def run(x): x.evaluate_all()\n")},
        {"main.py": _text(more="def run(x, name): getattr(x, name)()\n")},
        {"main.py": "from lightning import LightningModule\n" + _text(base="(LightningModule)")},
        {"main.py": "from base import Base\n" + _text(base="(Base)")},
        # what nothing in the project imports, nor starts, may be for others
        {"trainer.py": _text().partition("if __name__")[0]},
    ],
)
def test_methods_that_somebody_may_call(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _unused(context, tmp_path, files) == set()


def test_a_method_that_is_named_uses_more(context: MakeProgram, tmp_path: Path) -> None:
    files = {"main.py": _text(), "other.py": "def run(x): x.evaluate_all()\n"}
    assert "step_all" not in _unused(context, tmp_path, files)


def test_decorated_methods_are_handed_on(context: MakeProgram, tmp_path: Path) -> None:
    text = _text().replace("    def step_all", "    @register\n    def step_all")
    assert _unused(context, tmp_path, {"main.py": text}) == {"evaluate_all"}


def test_notebooks_and_tests_are_users(context: MakeProgram, tmp_path: Path) -> None:
    analysed = context({"trainer.py": _text(), "main.py": USER})
    other = tmp_path / "test_trainer.py"
    other.write_text("def test(x): x.evaluate_all()\n")
    analysed.project.bystanders = lambda: [str(other)]
    text = (tmp_path / "trainer.py").read_text()
    at = text.index("def evaluate_all")
    assert analysed[UnusedMethods].around(Place(str(tmp_path / "trainer.py"), at, at + 1)) is None


@pytest.mark.parametrize(
    ("start", "unused"), [("", set()), ("Trainer().train()\n", {"evaluate_all", "step_all"})]
)
def test_methods_of_what_nothing_starts(
    context: MakeProgram, tmp_path: Path, start: str, unused: set[str]
) -> None:
    trainer = _text().partition("if __name__")[0]
    files = {"trainer.py": trainer, "main.py": f"from trainer import Trainer\n{start}"}
    assert _unused(context, tmp_path, files) == unused
