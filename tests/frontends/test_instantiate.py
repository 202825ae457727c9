"""Loaders that `hydra.utils.instantiate` makes of a node of a config."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.workspace.reading import Sources

RULES = frozenset(rule_docs.summaries())
DATA = """
from PIL import Image
from torch.utils.data import Dataset

class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.convert(Image.open(self.paths[index]))
"""
MAIN = """
import hydra
from hydra.utils import instantiate

from data import Pictures

@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    model = instantiate(cfg.model)
    loader = {made}
    for epoch in range(20):
        total = 0
        for images in loader:
            loss = model(images.cuda()).mean()
            loss.backward()
            total += loss
        print(total)

if __name__ == "__main__":
    main()
"""
MADE = "instantiate(cfg.loader, dataset=Pictures(cfg.paths))"
LOADER = "loader:\n  _target_: torch.utils.data.DataLoader\n  batch_size: 8\n"


def _found(folder: Path, made: str = MADE, config: str = LOADER) -> list[Diagnostic]:
    files = {"train.py": MAIN.format(made=made), "data.py": DATA, "conf/config.yaml": config}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    paths = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, paths, frozenset(map(str, paths)), RULES)
    return analyse(request, Sources()).diagnostics


def test_the_loop_over_it_is_a_loop_over_batches(tmp_path: Path) -> None:
    found = {d.name: Path(d.place.path).name for d in _found(tmp_path)}
    assert found["loss-history-kept"] == "train.py"


def test_what_becomes_of_a_setting_is_said_once_and_where_it_stands(tmp_path: Path) -> None:
    found = _found(tmp_path, config=LOADER + "  num_workers: 0\n")
    (one,) = (d for d in found if d.name == "zero-workers")
    assert Path(one.place.path).name == "config.yaml"
    assert "Image.open" in one.message


def test_keywords_of_the_call_are_arguments_too(tmp_path: Path) -> None:
    made = "instantiate(cfg.loader, dataset=Pictures(cfg.paths), num_workers=4)"
    assert "zero-workers" not in {d.name for d in _found(tmp_path, made)}


WORKERS = LOADER + "  num_workers: 4\n"
NOT_KEPT = "missing-persistent-workers"


def test_what_neither_config_nor_call_gives_is_not_given(tmp_path: Path) -> None:
    (one,) = (d for d in _found(tmp_path, config=WORKERS) if d.name == NOT_KEPT)
    assert Path(one.place.path).name == "config.yaml"


KEPT = {
    "by the call": (MADE.replace("))", "), persistent_workers=True)"), WORKERS),
    "by what the call unpacks": (
        MADE.replace("))", "), **{'persistent_workers': True})"),
        WORKERS,
    ),
    "by a setting written in code": (
        f"setattr(cfg.loader, 'persistent_workers', True) or {MADE}",
        WORKERS,
    ),
    "perhaps by position": ("instantiate(cfg.loader, Pictures(cfg.paths), *cfg.rest)", WORKERS),
    "perhaps by what the call unpacks": (MADE.replace("))", "), **open_rest())"), WORKERS),
    "perhaps by a config from elsewhere": (
        MADE,
        f"defaults:\n  - _self_\n  - loader: plugin\n{WORKERS}",
    ),
}


@pytest.mark.parametrize(("made", "config"), KEPT.values(), ids=KEPT)
def test_what_else_is_given_counts(tmp_path: Path, made: str, config: str) -> None:
    assert NOT_KEPT not in {d.name for d in _found(tmp_path, made, config)}


OTHER = {
    "another function": "build(cfg.loader)",
    "a node that is not there": "instantiate(cfg.other)",
    "no node": "instantiate(4)",
}


@pytest.mark.parametrize("made", OTHER.values(), ids=OTHER)
def test_anything_else_is_unknown(tmp_path: Path, made: str) -> None:
    assert "loss-history-kept" not in {d.name for d in _found(tmp_path, made)}


def test_a_partial_makes_no_loader(tmp_path: Path) -> None:
    found = _found(tmp_path, config=LOADER + "  _partial_: true\n")
    assert "loss-history-kept" not in {d.name for d in found}


OWN_LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.load(self.rows[index])

    def loader(self):
        return DataLoader(self, batch_size=8, num_workers=4)
"""
OWN_MAIN = """
import hydra
from hydra.utils import instantiate

def train(model, loader):
    for epoch in range(20):
        for rows in loader:
            model(rows).mean().backward()

@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    rows = instantiate(cfg.data.cls, rows=cfg.rows)
    train(instantiate(cfg.model), rows.loader())

if __name__ == "__main__":
    main()
"""
OWN_CONFIGS = {
    "conf/config.yaml": "defaults:\n  - data: rows\nrows: [1, 2]\n",
    "conf/data/base.yaml": "cls:\n",
    "conf/data/rows.yaml": "defaults:\n  - base\ncls:\n  _target_: rows.Rows\n",
}
"""Files that say nothing of loaders, of which one overrides what its defaults list gives."""


def _kept_nowhere(folder: Path, main: str, configs: dict[str, str]) -> list[Diagnostic]:
    for name, text in {"train.py": main, "rows.py": OWN_LOADER, **configs}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    paths = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, paths, frozenset(map(str, paths)), RULES)
    found = analyse(request, Sources()).diagnostics
    return [one for one in found if one.name == NOT_KEPT]


def test_a_config_that_says_nothing_of_loaders_makes_objects_too(tmp_path: Path) -> None:
    (one,) = _kept_nowhere(tmp_path, OWN_MAIN, OWN_CONFIGS)
    assert Path(one.place.path).name == "rows.py"
    assert one.severity is Severity.WARNING


def test_without_a_version_it_is_not_known_which_of_two_files_is_above(tmp_path: Path) -> None:
    old = OWN_MAIN.replace("version_base=None, ", "")
    assert not _kept_nowhere(tmp_path, old, OWN_CONFIGS)


TRAINING = """
from rows import Rows

print(len(Rows([])))
run = lambda data, model: data.fit(model)
"""
TRAINED = """
class Trained(Rows):
    def fit(self, model):
        loader = DataLoader(self, batch_size=8, num_workers=4)
        for epoch in range(20):
            for rows in loader:
                model(rows).mean().backward()
"""


@pytest.mark.parametrize(
    ("target", "severity"), [("rows.Trained", Severity.WARNING), ("rows.Rows", Severity.INFO)]
)
def test_what_a_config_names_is_used(tmp_path: Path, target: str, severity: Severity) -> None:
    configs = {"rows.py": OWN_LOADER + TRAINED, "conf/a.yaml": f"cls:\n  _target_: {target}\n"}
    (one,) = _kept_nowhere(tmp_path, TRAINING, configs)
    assert one.severity is severity
