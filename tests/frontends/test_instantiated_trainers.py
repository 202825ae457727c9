"""Trainers and data modules that a script makes of the nodes of a config, by Hydra's template."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.workspace.reading import Sources

RULES = frozenset({"missing-persistent-workers", "shuffle-in-eval"})
DATA = """
from lightning import LightningDataModule
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

class BirdsDataModule(LightningDataModule):
    def __init__(self, root, num_workers=0):
        super().__init__()
        self.save_hyperparameters(logger=False)

    def train_dataloader(self):
        data = ImageFolder(self.hparams.root)
        count = self.hparams.num_workers
        return DataLoader(data, batch_size=64, shuffle=True, num_workers=count)
"""
MAIN = """
import hydra
{head}
def train(cfg):
    model = hydra.utils.instantiate(cfg.model)
    birds = hydra.utils.instantiate(cfg.data)
    trainer = hydra.utils.instantiate(cfg.trainer, callbacks=[], logger=None)
    trainer.fit(model=model, datamodule=birds)

@hydra.main(version_base="1.3", config_path={path}, config_name="train.yaml")
def main(cfg):
    train(cfg)

if __name__ == "__main__":
    main()
"""
CONFIGS = {
    "train.yaml": "defaults:\n  - _self_\n  - data: birds\n  - model: net\n  - trainer: gpu.yaml\n",
    "data/birds.yaml": "_target_: src.data.birds.BirdsDataModule\nroot: /birds\nnum_workers: 8\n",
    "model/net.yaml": "_target_: torch.nn.Linear\nin_features: 8\nout_features: 8\n",
    "trainer/gpu.yaml": "defaults:\n  - default\n\naccelerator: gpu\n",
}
TRAINER = "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: {epochs}\n"
ROOT = "import rootutils\n\nroot = rootutils.setup_root(__file__, indicator='.git')\n"


def _found(folder: Path, *, epochs: int, path: str = '"../configs"', head: str = "") -> list[str]:
    configs = {**CONFIGS, "trainer/default.yaml": TRAINER.format(epochs=epochs)}
    files = {"src/data/birds.py": DATA, "src/train.py": MAIN.format(head=head, path=path)}
    return [name for _, name in _told(folder, configs, files)]


def _told(folder: Path, configs: dict[str, str], files: dict[str, str]) -> list[tuple[str, str]]:
    """The rules that say something of these files, and of which."""
    files = {**files, **{f"configs/{name}": text for name, text in configs.items()}}
    # a folder of configs that is a package holds the code that is nearest to them
    files |= {"configs/__init__.py": "", "src/data/__init__.py": "", "src/__init__.py": ""}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    paths = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, paths, frozenset(map(str, paths)), RULES)
    found = analyse(request, Sources()).diagnostics
    return [(d.name, Path(d.place.path).name) for d in found]


@pytest.mark.parametrize(
    ("path", "head"),
    [('"../configs"', ""), ('str(root / "configs")', ROOT)],
    ids=["beside", "from the root"],
)
def test_a_trainer_of_a_config_begins_its_loaders_anew(
    tmp_path: Path, path: str, head: str
) -> None:
    """What `instantiate` makes of `_target_: …Trainer` fits for as many epochs as the node says."""
    assert _found(tmp_path, epochs=50, path=path, head=head) == ["birds.py"]


def test_a_trainer_of_few_epochs_does_not(tmp_path: Path) -> None:
    """The node's own number counts, also where another file adds to it."""
    assert _found(tmp_path, epochs=2) == []


EXPERIMENT = """# @package _global_

data:
  _target_: src.data.{data}.BirdsDataModule
  root: /birds
  num_workers: 8

model:
  _target_: torch.nn.Linear
  in_features: 8
  out_features: 8

trainer:
  _target_: lightning.Trainer
  max_epochs: {epochs}
  {more}
"""
SHUFFLED = (
    DATA
    + """
    def val_dataloader(self):
        return DataLoader(ImageFolder(self.hparams.root), batch_size=64, shuffle=True)
"""
)


@pytest.mark.parametrize(
    ("epochs", "more", "told"),
    [
        (-1, "precision: 32", {"missing-persistent-workers", "shuffle-in-eval"}),
        (2, "precision: 32", {"shuffle-in-eval"}),
        (90, "max_steps: 20", {"shuffle-in-eval"}),
        (90, "limit_val_batches: 20", {"missing-persistent-workers"}),
    ],
)
def test_what_a_command_line_chooses_trains_as_each_experiment_says(
    tmp_path: Path, epochs: int, more: str, told: set[str]
) -> None:
    """No setting has the trainer by default; an experiment's data are trained on by its trainer."""
    birds = EXPERIMENT.format(data="birds", epochs=epochs, more=more)
    others = EXPERIMENT.format(data="others", epochs=1, more="limit_val_batches: 1")
    configs = {"train.yaml": "defaults:\n  - _self_\n  - exp: null\nseed: 1\n"}
    configs |= {"exp/birds.yaml": birds, "exp/others.yaml": others}
    main = MAIN.format(head="", path='"../configs"')
    files = {"src/data/birds.py": SHUFFLED, "src/data/others.py": DATA, "src/train.py": main}
    assert _told(tmp_path, configs, files) == [(rule, "birds.py") for rule in sorted(told)]
