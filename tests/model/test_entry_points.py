"""Which script runs the code of a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.machines.entry_points import EntryPoints

DATA = "from torch.utils.data import DataLoader\n\ndef make(x):\n    return DataLoader(x)\n"
MAIN = 'if __name__ == "__main__":\n    main()\n'
USES = "from data import make\n\ndef main():\n    for x in make([]):\n        pass\n\n"


@pytest.fixture
def script(
    context: Callable[[Mapping[str, str]], AnalysisContext], tmp_path: Path
) -> Callable[..., str | None]:
    """The script for places in some files of a program, by its name."""

    def script(files: Mapping[str, str], *places: str) -> str | None:
        found = context(files)[EntryPoints].script_for(
            Place(str(tmp_path / name), 0, 1) for name in places
        )
        return None if found is None else Path(found).relative_to(tmp_path).as_posix()

    return script


def test_the_script_imports_what_the_finding_rests_on(script: Callable[..., str | None]) -> None:
    files = {"data.py": DATA + MAIN, "train.py": USES + MAIN}
    assert script(files, "data.py", "train.py") == "train.py"


LIGHTNING = """
import lightning as L
from torch.utils.data import DataLoader

class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader([], 64)
"""


@pytest.mark.parametrize(
    ("start", "is_script"),
    [
        ("import lightning as L\nL.Trainer(max_epochs=3).fit(Model(), datamodule=Data())\n", True),
        ("from lightning import Trainer\ntrainer = Trainer()\nd = trainer.fit(m, Data())\n", True),
        ("from lightning.pytorch.cli import LightningCLI\ncli = LightningCLI(Model, Data)\n", True),
        ("import lightning as L\ntrainer = L.Trainer()\ntrainer.save_checkpoint('x')\n", False),
        ("def train(trainer):\n    trainer.fit(Data())\n", False),
        ("from sklearn.svm import SVC\nSVC().fit(Data())\n", False),
    ],
)
def test_a_script_of_lightning_is_found(
    script: Callable[..., str | None], start: str, is_script: bool
) -> None:
    files = {"data.py": LIGHTNING, "train.py": f"from data import Data\n{start}"}
    assert script(files, "data.py") == ("train.py" if is_script else None)


@pytest.mark.parametrize(
    ("start", "is_script"),
    [
        (
            "from transformers import Trainer\nTrainer(model, train_dataset=make([])).train()\n",
            True,
        ),
        ("from transformers import Trainer\nclass Own(Trainer): ...\nt = Own()\nt.train()\n", True),
        ("from transformers import Trainer\nt = Trainer()\nt.save_model()\n", False),
        ("import fire\nfire.Fire(main)\n", True),
        ("import typer\ntyper.run(main)\n", True),
        ("import typer\napp = typer.Typer()\napp.command()(main)\napp()\n", True),
        ("from absl import app\napp.run(main)\n", True),
        ("import sys\nsys.exit(main())\n", True),
        ("import atexit\natexit.register(main)\n", False),
    ],
)
def test_a_script_of_a_library_is_found(
    script: Callable[..., str | None], start: str, is_script: bool
) -> None:
    files = {"data.py": DATA, "train.py": USES + start}
    assert script(files, "train.py") == ("train.py" if is_script else None)


@pytest.mark.parametrize(
    ("more", "is_script"),
    [
        ({"train.py": "from work import main\nmain()\n"}, True),
        ({"train.py": "from work import main\nwork = main\n"}, False),
        ({"train.py": "from library import main\nmain()\n"}, False),
        ({"train.py": "from work import main\nmain()\n", "b.py": "import train\n"}, False),
    ],
)
def test_a_script_may_run_what_another_file_defines(
    script: Callable[..., str | None], more: dict[str, str], is_script: bool
) -> None:
    found = script({"data.py": DATA, "work.py": USES, **more}, "train.py")
    assert found == ("train.py" if is_script else None)


def test_all_scripts_are_named(
    context: Callable[[Mapping[str, str]], AnalysisContext], tmp_path: Path
) -> None:
    files = {"data.py": DATA, "b.py": USES + MAIN, "a.py": USES + MAIN, "c.py": "import torch\n"}
    found = context(files)[EntryPoints].scripts_for([Place(str(tmp_path / "data.py"), 0, 1)])
    assert [Path(path).name for path in found] == ["a.py", "b.py"]


def test_of_two_scripts_none_is_chosen(script: Callable[..., str | None]) -> None:
    files = {"data.py": DATA, "train.py": USES + MAIN, "test.py": USES + MAIN}
    assert script(files, "data.py") is None
    assert script(files, "data.py", "train.py") == "train.py"


def test_it_is_found_through_other_modules(script: Callable[..., str | None]) -> None:
    trainer = USES.replace("main", "train")
    main = f"from pkg.trainer import train\n\ndef main():\n    train()\n\n{MAIN}"
    files = {
        "pkg/__init__.py": "",
        "pkg/data.py": DATA,
        "pkg/trainer.py": trainer.replace("from data", "from .data"),
        "main.py": main,
    }
    assert script(files, "pkg/data.py", "pkg/trainer.py") == "main.py"


@pytest.mark.parametrize(
    ("start", "is_script"),
    [
        (MAIN, True),
        ("main()\n", True),
        ("for epoch in range(3):\n    main()\n", True),
        ("for x in make([]):\n    print(x)\n", True),
        ("for name in NAMES:\n    print(name)\n", False),
        ("for epoch in range(3):\n    loss = main()\n", True),
        ("loss = main()\n", False),
        ("print(main)\n", False),
        ("", False),
    ],
)
def test_a_script_does_something_when_it_is_run(
    script: Callable[..., str | None], start: str, is_script: bool
) -> None:
    files = {"data.py": DATA, "train.py": USES + start}
    assert script(files, "train.py") == ("train.py" if is_script else None)


def test_what_runs_with_a_file(
    context: Callable[[Mapping[str, str]], AnalysisContext], tmp_path: Path
) -> None:
    files = {
        "data.py": DATA,
        "train.py": USES + MAIN,
        "other.py": "import torch\n" + MAIN,
        "helper.py": "from data import make\n",
        "alone.py": "import torch\n",
    }
    entries = context(files)[EntryPoints]

    def run_with(name: str) -> set[str]:
        return {Path(path).name for path in entries.run_with(str(tmp_path / name))}

    assert run_with("data.py") == {"data.py", "train.py"}
    assert run_with("helper.py") == {"helper.py", "data.py"}
    assert run_with("alone.py") == {"alone.py"}
