"""Python that reads its settings from a file: what that decides, and where a fix goes."""

from __future__ import annotations

from pathlib import Path

from dlint.findings.diagnostic import Applicability
from dlint.fixes.apply import fix_all
from dlint.workspace.reading import Sources
from tests.frontends.made import REFUSED, check, errors, script, written


def test_a_fixed_file_is_a_decision(tmp_path: Path) -> None:
    files = {
        "train.py": """
            import yaml
            from PIL import Image
            from torch.utils.data import DataLoader, Dataset

            class Images(Dataset):
                def __init__(self, paths):
                    self.paths = paths
                def __len__(self):
                    return len(self.paths)
                def __getitem__(self, index):
                    return self.convert(Image.open(self.paths[index]))

            def train(model, optimizer, paths):
                cfg = yaml.safe_load(open("config.yaml"))
                for x in DataLoader(Images(paths), 64, shuffle=True, num_workers=cfg["workers"]):
                    model(x.cuda()).backward()
                    optimizer.step()
        """,
        "config.yaml": "workers: 0\n",
    }
    written(tmp_path, files)
    found = {d.name: str(d.severity) for d in check(tmp_path, Sources())}
    assert found["zero-workers"] == "info"


def test_the_fix_changes_the_value_where_it_stands(tmp_path: Path) -> None:
    text = "# ours\nloader: &l\n  num_workers: 0  # one\n  persistent_workers: true  # two\nx: *l\n"
    program = script("cfg = yaml.safe_load(open('config.yaml'))")
    written(tmp_path, {"train.py": program, "config.yaml": text})
    fixed = fix_all(lambda s: check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert fixed.texts == {
        str(tmp_path / "config.yaml"): text.replace("workers: true", "workers: false")
    }


def test_a_fix_adds_a_key_to_the_mapping_that_is_unpacked(tmp_path: Path) -> None:
    files = {
        "train.py": """
            import yaml
            from torch.utils.data import DataLoader

            def train(model, optimizer, data):
                cfg = yaml.safe_load(open("config.yaml"))
                loader = DataLoader(data, shuffle=True, **cfg["loader"])
                for epoch in range(9):
                    for x in loader:
                        model(x).backward()
                        optimizer.step()
        """,
        "config.yaml": "loader:\n  batch_size: 8\n  num_workers: 4  # cores\nseed: 1\n",
    }
    written(tmp_path, files)
    applicability = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    fixed = fix_all(lambda s: check(tmp_path, s), Sources(), applicability)
    added = "  num_workers: 4  # cores\n  persistent_workers: true\nseed"
    text = files["config.yaml"].replace("  num_workers: 4  # cores\nseed", added)
    assert fixed.texts == {str(tmp_path / "config.yaml"): text}


def test_an_explicit_choice_in_a_file_is_only_worth_measuring(tmp_path: Path) -> None:
    files = {
        "train.py": """
            import hydra
            from torch.utils.data import DataLoader

            @hydra.main(config_path=".", config_name="config")
            def train(cfg):
                loader = DataLoader([1], shuffle=True, **cfg.loader)
                for epoch in range(9):
                    for x in loader:
                        cfg.model(x).backward()
                        cfg.optimizer.step()
        """,
        "config.yaml": "loader:\n  num_workers: 4\n  persistent_workers: false\n",
    }
    written(tmp_path, files)
    (found,) = (d for d in check(tmp_path, Sources()) if d.name == "missing-persistent-workers")
    assert str(found.severity) == "info"
    assert "`persistent_workers` is off" in found.message


def test_settings_of_several_files_are_unknown(tmp_path: Path) -> None:
    files = {
        "train.py": """
            import yaml
            from torch.utils.data import DataLoader

            class Trainer:
                def __init__(self, cfg):
                    self.cfg = cfg
                def loader(self, data):
                    return DataLoader(data, **self.cfg["loader"])

            def one():
                Trainer(yaml.safe_load(open("one.yaml"))).loader([1])
            def two():
                Trainer(yaml.safe_load(open("two.yaml"))).loader([1])
        """,
        "one.yaml": REFUSED,
        "two.yaml": REFUSED,
    }
    assert not errors(tmp_path, files)


def test_a_dataclass_made_of_a_mapping(tmp_path: Path) -> None:
    files = {
        "train.py": """
            from dataclasses import dataclass
            import yaml
            from torch.utils.data import DataLoader

            @dataclass
            class Config:
                num_workers: int = 4
                persistent_workers: bool = False

            def make(data, config: Config):
                return DataLoader(data, num_workers=config.num_workers,
                                  persistent_workers=config.persistent_workers)

            make([1], Config(**yaml.safe_load(open("config.yaml"))["loader"]))
        """,
        "config.yaml": REFUSED,
    }
    assert errors(tmp_path, files)


def test_what_no_file_says_is_left_out(tmp_path: Path) -> None:
    program = """
        import sys
        import yaml
        from torch.utils.data import DataLoader

        def train(dataset, model, optimizer):
            cfg = yaml.safe_load(open(sys.argv[1]))
            for x in DataLoader(dataset, shuffle=True, **cfg["loader"]):
                model(x.cuda()).backward()
                optimizer.step()
    """
    written(tmp_path, {"train.py": program, "config.yaml": "loader:\n  num_workers: 2\n"})
    assert "missing-pin-memory" in {d.name for d in check(tmp_path, Sources())}
