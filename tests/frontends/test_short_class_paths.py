"""`class_path` of LightningCLI without a module: the one class of the project with that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.reading import Sources
from tests.frontends.made import check, written

MODULE = """
    import lightning as L
    from torch.utils.data import DataLoader

    class RowDataModule(L.LightningDataModule):
        def __init__(self, rows, num_workers=4):
            super().__init__()
            self.rows = rows
            self.num_workers = num_workers

        def train_dataloader(self):
            return DataLoader(self.rows, num_workers=self.num_workers, persistent_workers=True)
"""
CONFIG = "data:\n  class_path: {0}\n  init_args:\n    rows: a\n    num_workers: 0\n"


def _errors(folder: Path, path: str, **more: str) -> list[Diagnostic]:
    files = {f"{name}.py": text for name, text in more.items()}
    written(folder, {"my/data.py": MODULE, "fit.yaml": CONFIG.format(path), **files})
    return [d for d in check(folder, Sources()) if d.name == "invalid-loader-arguments"]


@pytest.mark.parametrize("path", ["my.data.RowDataModule", "RowDataModule"])
def test_the_class_is_found(tmp_path: Path, path: str) -> None:
    (found,) = _errors(tmp_path, path)
    assert found.place.path == str(tmp_path / "my" / "data.py")


@pytest.mark.parametrize(
    "path", ["OtherDataModule", "my.RowDataModule", "a RowDataModule", "DataLoader"]
)
def test_another_name_is_silent(tmp_path: Path, path: str) -> None:
    assert _errors(tmp_path, path) == []


def test_two_classes_of_one_name_are_silent(tmp_path: Path) -> None:
    assert _errors(tmp_path, "RowDataModule", other="class RowDataModule:\n    pass\n") == []
