"""Trainers and data modules that a script makes of the nodes of a config, by Hydra's template."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.workspace.reading import Sources

RULES = frozenset({"missing-persistent-workers"})
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
    files = {f"configs/{name}": text for name, text in configs.items()}
    files |= {"src/data/birds.py": DATA, "src/train.py": MAIN.format(head=head, path=path)}
    # a folder of configs that is a package holds the code that is nearest to them
    files |= {"configs/__init__.py": "", "src/data/__init__.py": "", "src/__init__.py": ""}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    paths = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, paths, frozenset(map(str, paths)), RULES)
    return [Path(d.place.path).name for d in analyse(request, Sources()).diagnostics]


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
