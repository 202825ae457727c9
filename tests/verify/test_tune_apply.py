"""The settings that won, written where their values stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dlint.cli.tune_apply import apply_settings
from dlint.verify.judge.results import Outcome
from dlint.verify.judge.tuned import Tuning

HEAD = """\
import torch
from torch.utils.data import DataLoader


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.load(f"{index}.pt")


"""
ARGUMENTS = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--workers", "-j", type=int, default=2)
parser.add_argument("--batch", type=int, default=4)
args = parser.parse_args()
"""
LOOP = """
for batch in {loader}:
    print(batch)
"""


class Case(NamedTuple):
    """A program, and what becomes of it."""

    text: str
    after: str
    """What stands there in place of `before`."""
    before: str
    settings: Mapping[str, Any] = {"num_workers": 6}
    files: Mapping[str, str] = {}
    changed: str = "train.py"
    """The file that is changed."""
    written: str = ""
    """A part of what is said."""


WORKERS = {"num_workers": 6}
BOTH = {"num_workers": 6, "persistent_workers": True, "prefetch_factor": 4}
CASES = {
    "a literal of the call": Case(
        "loader = DataLoader(Rows(), num_workers=2)\n", "num_workers=6)", "num_workers=2)"
    ),
    "given by position": Case(
        "loader = DataLoader(Rows(), 4, False, None, None, 2)\n", "None, 6)", "None, 2)"
    ),
    "not given": Case(
        "loader = DataLoader(Rows())\n",
        "DataLoader(Rows(), num_workers=6, persistent_workers=True, prefetch_factor=4)",
        "DataLoader(Rows())",
        BOTH,
    ),
    "a text": Case(
        "loader = DataLoader(Rows(), num_workers=2, multiprocessing_context='spawn')\n",
        "multiprocessing_context='fork'",
        "multiprocessing_context='spawn'",
        {"multiprocessing_context": "fork"},
    ),
    "no workers, and what torch refuses then": Case(
        "loader = DataLoader(Rows(), num_workers=2, persistent_workers=True, prefetch_factor=4)\n",
        "num_workers=0, persistent_workers=False, prefetch_factor=None)",
        "num_workers=2, persistent_workers=True, prefetch_factor=4)",
        {"num_workers": 0},
    ),
    "no workers, where that is said to hold only with some": Case(
        ARGUMENTS
        + "loader = DataLoader(\n"
        + "    Rows(), num_workers=args.workers, persistent_workers=args.workers > 0\n)\n",
        "default=0)",
        "default=2)",
        {"num_workers": 0},
    ),
    "a constant of the module": Case(
        "WORKERS = 2\n\n\ndef main():\n    loader = DataLoader(Rows(), num_workers=WORKERS)\n"
        "    for batch in loader:\n        print(batch)\n\n\nmain()\n",
        "WORKERS = 6",
        "WORKERS = 2",
    ),
    "a local name": Case(
        "workers = 2\nloader = DataLoader(Rows(), num_workers=workers)\n",
        "workers = 6",
        "workers = 2",
    ),
    "an option's default": Case(
        ARGUMENTS
        + "loader = DataLoader(Rows(), batch_size=args.batch, num_workers=args.workers)\n",
        "type=int, default=6)\nparser",
        "type=int, default=2)\nparser",
        written="the default of `--workers`",
    ),
    "an option's default, and what is asked of workers": Case(
        ARGUMENTS + "loader = DataLoader(Rows(), num_workers=args.workers)\n",
        "num_workers=args.workers, persistent_workers=args.workers > 0, "
        "prefetch_factor=4 if args.workers > 0 else None)",
        "num_workers=args.workers)",
        {"persistent_workers": True, "prefetch_factor": 4},
    ),
    "an option that asks for it already": Case(
        ARGUMENTS
        + "loader = DataLoader(\n    Rows(), num_workers=args.workers, "
        + "persistent_workers=args.workers > 0\n)\n",
        "type=int, default=6)\nparser",
        "type=int, default=2)\nparser",
        {"num_workers": 6, "persistent_workers": True},
    ),
    "an option without a default": Case(
        ARGUMENTS.replace(", default=2", "")
        + "loader = DataLoader(Rows(), num_workers=args.workers)\n",
        '"-j", type=int, default=6)',
        '"-j", type=int)',
    ),
    "a dict that is unpacked": Case(
        'given = {"batch_size": 4, "num_workers": 2}\nloader = DataLoader(Rows(), **given)\n',
        '"num_workers": 6}',
        '"num_workers": 2}',
    ),
    "a config that describes the loader": Case(
        "import hydra\nfrom omegaconf import OmegaConf\n\nconfig = OmegaConf.load('train.yaml')\n"
        "loader = hydra.utils.instantiate(config.loader, dataset=Rows())\n",
        "  num_workers: 6\n  batch_size: 8\n  persistent_workers: true\n",
        "  num_workers: 2\n  batch_size: 8\n",
        {"num_workers": 6, "persistent_workers": True},
        {
            "train.yaml": "loader:\n  _target_: torch.utils.data.DataLoader\n"
            "  num_workers: 2\n  batch_size: 8\n"
        },
        changed="train.yaml",
    ),
    "a settings file": Case(
        "import yaml\n\nwith open('train.yaml') as file:\n    settings = yaml.safe_load(file)\n"
        "loader = DataLoader(Rows(), num_workers=settings['data']['workers'])\n",
        "  workers: 6  # of each rank",
        "  workers: 2  # of each rank",
        files={"train.yaml": "data:\n  workers: 2  # of each rank\n"},
        changed="train.yaml",
        written="`num_workers` at train.yaml:2",
    ),
}


def applied(folder: Path, text: str, settings: Mapping[str, Any] | None, *arguments: str) -> Tuning:
    """What is noted of a program whose loader is made at the last call of `DataLoader`."""
    whole = HEAD + text + ("" if "main()" in text else LOOP.format(loader="loader"))
    path = folder / "train.py"
    path.write_text(whole)
    made = "instantiate(" if "instantiate(" in whole else "DataLoader("
    row = whole[: whole.rindex(made)].count("\n") + 1
    tuning = Tuning((str(path.resolve()), row), 0, recommended=settings)
    apply_settings(Outcome("train.py", [], tuning=tuning), path, arguments)
    return tuning


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_a_value_is_written_where_it_stands(folder: Path, name: str) -> None:
    case = CASES[name]
    for path, text in case.files.items():
        (folder / path).write_text(text)
    tuning = applied(folder, case.text, case.settings)
    assert all(line.startswith("written: ") for line in tuning.written), tuning.written
    before = case.files.get(case.changed) or HEAD + case.text + LOOP.format(loader="loader")
    if "main()" in case.text:
        before = HEAD + case.text
    after = (folder / case.changed).read_text()
    assert before.count(case.before) == 1
    assert after == before.replace(case.before, case.after)
    assert case.written in " ".join(tuning.written)


REFUSED = {
    "a name that is read for something else": (
        "N = 2\nloader = DataLoader(Rows(), batch_size=N, num_workers=N)\n",
        "`N` is read for something else, too",
    ),
    "an option that is read for something else": (
        ARGUMENTS
        + "torch.set_num_threads(args.workers)\n"
        + "loader = DataLoader(Rows(), num_workers=args.workers)\n",
        "`workers` is read for something else, too",
    ),
    "a number that is worked out": (
        "import os\nloader = DataLoader(Rows(), num_workers=min(2, os.cpu_count()))\n",
        "it is worked out",
    ),
    "a call that takes more than is known": (
        "def make(**given):\n    return DataLoader(Rows(), **given)\n\n\nloader = make()\n",
        "the call does not show what it gives",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_stands_elsewhere_is_told_and_left(folder: Path, name: str) -> None:
    text, why = REFUSED[name]
    tuning = applied(folder, text, {"num_workers": 6, "persistent_workers": True})
    assert (folder / "train.py").read_text() == HEAD + text + LOOP.format(loader="loader")
    assert why in tuning.written[0]
    assert tuning.written[1] == "to write by hand: num_workers=6, persistent_workers=True"


def test_threads_of_workers_are_written_by_hand(folder: Path) -> None:
    text = CASES["a literal of the call"].text
    settings = {"num_workers": 6, "worker_threads": 1}
    tuning = applied(folder, text, settings)
    assert (folder / "train.py").read_text() == HEAD + text + LOOP.format(loader="loader")
    assert "its `worker_init_fn` says, for OpenCV `cv2.setNumThreads(1)`" in tuning.written[0]
    assert tuning.written[1] == "to write by hand: num_workers=6, worker_threads=1"


@pytest.mark.parametrize("given", ["--workers=2", "--workers", "--work"])
def test_a_default_that_the_command_overrides_is_left(folder: Path, given: str) -> None:
    text = CASES["an option's default"].text
    tuning = applied(folder, text, WORKERS, given, "2")
    assert "the command gives `--workers`" in tuning.written[0]
    assert "default=2)" in (folder / "train.py").read_text()
    assert "written: " in applied(folder, text, WORKERS, "--batch", "8").written[0]


def test_nothing_is_written_without_a_recommendation(folder: Path) -> None:
    text = CASES["a literal of the call"].text
    tuning = applied(folder, text, None)
    assert tuning.written == ["nothing is written: no other setting was confirmed"]
    assert "num_workers=2" in (folder / "train.py").read_text()


def test_a_loader_that_is_made_nowhere_known_is_told(folder: Path) -> None:
    (folder / "train.py").write_text("print()\n")
    for place in (None, (str(folder / "train.py"), 1)):
        tuning = Tuning(place, 0, recommended=WORKERS)
        apply_settings(Outcome("train.py", [], tuning=tuning), folder / "train.py", ())
        assert "the place where the loader is made is not known" in tuning.written[0]
