"""Python that reads its settings from a file: what it takes from there is known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from dlint import catalogue
from dlint.diagnostic import Applicability, Diagnostic
from dlint.engine import analyse
from dlint.fixes.apply import mend
from dlint.request import Request
from dlint.source import Sources

RULES = frozenset(catalogue.summaries())
REFUSED = "loader:\n  num_workers: 0\n  persistent_workers: true\n"
"""Settings that torch refuses together."""
USE = (
    "DataLoader(data, num_workers={0}['num_workers'], persistent_workers={0}['persistent_workers'])"
)


def _written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")


def _check(folder: Path, sources: Sources) -> list[Diagnostic]:
    files = tuple(sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".yaml")))
    reported = frozenset(map(str, files))
    return analyse(Request(folder, files, reported, RULES), sources).diagnostics


def _errors(folder: Path, files: dict[str, str]) -> list[Diagnostic]:
    _written(folder, files)
    return [d for d in _check(folder, Sources()) if d.name == "invalid-loader-arguments"]


def _program(reading: str, use: str = USE.format("cfg['loader']"), imports: str = "") -> str:
    lines = [
        "import json, os, yaml, argparse",
        "from pathlib import Path",
        "from omegaconf import OmegaConf",
        "from torch.utils.data import DataLoader",
        imports,
        "def run(data, args=None):",
        *(f"    {line}" for line in dedent(reading).strip().splitlines()),
        f"    return {use}",
    ]
    return "\n".join(lines) + "\n"


ATTRIBUTES = (
    "DataLoader(data, num_workers=cfg.loader.num_workers, "
    "persistent_workers=cfg.loader.persistent_workers)"
)

READ = {
    "opened": "with open('config.yaml') as f:\n    cfg = yaml.safe_load(f)",
    "with a loader": "with open('config.yaml') as f:\n    cfg = yaml.load(f, yaml.FullLoader)",
    "in one row": "cfg = yaml.safe_load(open('config.yaml', 'r'))",
    "its text": "cfg = yaml.safe_load(Path('config.yaml').read_text())",
    "opened by a path": "with Path('config.yaml').open() as f:\n    cfg = yaml.full_load(f)",
    "beside the module": (
        "path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'config.yaml')\n"
        "cfg = yaml.safe_load(open(path))"
    ),
    "a path beside the module": (
        "cfg = yaml.safe_load((Path(__file__).resolve().parent / 'config.yaml').read_text())"
    ),
    "the working directory": "cfg = yaml.safe_load(open(os.path.join(os.getcwd(), 'config.yaml')))",
    "OmegaConf": "cfg = OmegaConf.load('config.yaml')",
    "a plain copy": "cfg = OmegaConf.to_container(OmegaConf.load('config.yaml'), resolve=True)",
}


@pytest.mark.parametrize("reading", READ.values(), ids=READ)
def test_the_file_says_what_a_loader_is_given(tmp_path: Path, reading: str) -> None:
    (found,) = _errors(tmp_path, {"train.py": _program(reading), "config.yaml": REFUSED})
    assert found.place.path == str(tmp_path / "train.py")
    assert "by the value of `loader.num_workers` in config.yaml" in found.message
    rows = {Sources().get(r.place.path).position(r.place.start)[0] for r in found.related}
    assert {r.place.path for r in found.related} == {str(tmp_path / "config.yaml")}
    assert rows == {2, 3}


SHAPES = {
    "attributes": ("cfg = OmegaConf.load('config.yaml')", ATTRIBUTES),
    "all of a mapping": (
        "cfg = yaml.safe_load(open('config.yaml'))",
        "DataLoader(data, **cfg['loader'])",
    ),
    "all of an attribute": (
        "cfg = OmegaConf.load('config.yaml').loader",
        "DataLoader(data, **cfg)",
    ),
    "get": (
        "cfg = yaml.safe_load(open('config.yaml'))['loader']",
        USE.replace("['num_workers']", ".get('num_workers', 4)").format("cfg"),
    ),
    "a namespace": (
        "cfg = argparse.Namespace(**yaml.safe_load(open('config.yaml'))['loader'])",
        "DataLoader(data, num_workers=cfg.num_workers, persistent_workers=cfg.persistent_workers)",
    ),
    "converted": (
        "cfg = yaml.safe_load(open('config.yaml'))['loader']",
        USE.replace("={0}['num_workers']", "=int({0}['num_workers'])").format("cfg"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_shapes_of_use(tmp_path: Path, shape: tuple[str, str]) -> None:
    assert _errors(tmp_path, {"train.py": _program(*shape), "config.yaml": REFUSED})


WRAPPED = {
    "EasyDict": ("from easydict import EasyDict", "EasyDict({})"),
    "Munch": ("from munch import Munch", "Munch.fromDict({})"),
    "Box": ("from box import Box", "Box({})"),
    "OmegaConf": ("", "OmegaConf.create({})"),
    "addict": ("import addict", "addict.Dict({})"),
}


@pytest.mark.parametrize("wrapping", WRAPPED.values(), ids=WRAPPED)
def test_wrapped_in_an_object_with_attributes(tmp_path: Path, wrapping: tuple[str, str]) -> None:
    imports, wrap = wrapping
    reading = "cfg = " + wrap.format("yaml.safe_load(open('config.yaml'))")
    program = _program(reading, ATTRIBUTES, imports)
    assert _errors(tmp_path, {"train.py": program, "config.yaml": REFUSED})


def test_ruamel(tmp_path: Path) -> None:
    reading = "cfg = YAML(typ='safe').load(open('config.yaml'))"
    program = _program(reading, imports="from ruamel.yaml import YAML")
    assert _errors(tmp_path, {"train.py": program, "config.yaml": REFUSED})


OTHER = {
    "JSON": (
        "cfg = json.load(open('config.json'))",
        "config.json",
        '{\n\t"loader": {"num_workers": 0, "persistent_workers": true},\n\t"name": "a"\n}\n',
    ),
    "TOML": (
        "with open('config.toml', 'rb') as f:\n    cfg = tomllib.load(f)",
        "config.toml",
        "[loader]\nnum_workers = 0  # one\npersistent_workers = true # two\n",
    ),
}


@pytest.mark.parametrize("shape", OTHER.values(), ids=OTHER)
def test_other_kinds_of_files(tmp_path: Path, shape: tuple[str, str, str]) -> None:
    reading, name, text = shape
    assert _errors(tmp_path, {"train.py": _program(reading, imports="import tomllib"), name: text})
    mended = mend(lambda s: _check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert mended.texts == {str(tmp_path / name): text.replace("true", "false")}


def test_a_file_of_the_project_read_from_a_folder_below(tmp_path: Path) -> None:
    program = _program("cfg = OmegaConf.load('configs/a.yaml')")
    files = {"src/train.py": program, "configs/a.yaml": REFUSED}
    assert _errors(tmp_path, files)


def test_a_setting_crosses_functions_and_modules(tmp_path: Path) -> None:
    files = {
        "settings.py": """
            import yaml

            def load(path):
                with open(path) as f:
                    return yaml.safe_load(f)
        """,
        "data.py": """
            from torch.utils.data import DataLoader

            def make(data, cfg, workers):
                return DataLoader(data, num_workers=workers,
                                  persistent_workers=cfg["persistent_workers"])
        """,
        "train.py": """
            from settings import load
            from data import make

            cfg = load("config.yaml")
            loader = make([1], cfg["loader"], cfg["loader"]["num_workers"])
        """,
        "config.yaml": REFUSED,
    }
    assert _errors(tmp_path, files)


def test_interpolations_of_omegaconf(tmp_path: Path) -> None:
    text = "n: 0\nloader:\n  num_workers: ${n}\n  persistent_workers: ${.keep}\n  keep: true\n"
    program = _program("cfg = OmegaConf.load('config.yaml')")
    assert _errors(tmp_path, {"train.py": program, "config.yaml": text})


DEFAULTS = {
    "an option": """
        parser = argparse.ArgumentParser()
        parser.add_argument('--config', default='config.yaml')
        args = parser.parse_args()
        cfg = yaml.safe_load(open(args.config))
    """,
    "the command line over it": """
        cfg = OmegaConf.merge(OmegaConf.load('config.yaml'), OmegaConf.from_cli())
    """,
}


@pytest.mark.parametrize("reading", DEFAULTS.values(), ids=DEFAULTS)
def test_what_the_command_line_may_change_is_a_default(tmp_path: Path, reading: str) -> None:
    (found,) = _errors(tmp_path, {"train.py": _program(reading), "config.yaml": REFUSED})
    assert "by the default of `loader.num_workers` in config.yaml" in found.message
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE


def test_what_is_written_elsewhere_changes_nothing_here(tmp_path: Path) -> None:
    reading = """
        cfg = yaml.safe_load(open('config.yaml'))
        cfg['model'].update(vars(args))
        cfg['seed'] = 1
        cfg.update({'name': 'x'})
    """
    config = REFUSED + "model:\n  width: 3\n"
    assert _errors(tmp_path, {"train.py": _program(reading), "config.yaml": config})


UNKNOWN = {
    "an option without a default": """
        parser = argparse.ArgumentParser()
        parser.add_argument('--config', required=True)
        cfg = yaml.safe_load(open(parser.parse_args().config))
    """,
    "an argument": "cfg = yaml.safe_load(open(args))",
    "a file that is not there": "cfg = yaml.safe_load(open('other.yaml'))",
    "a file outside the project": "cfg = yaml.safe_load(open('/etc/config.yaml'))",
    "written later": """
        cfg = yaml.safe_load(open('config.yaml'))
        cfg['loader']['num_workers'] = args.workers
    """,
    "updated from elsewhere": """
        cfg = yaml.safe_load(open('config.yaml'))
        cfg['loader'].update(vars(args))
    """,
    "written one by one": """
        cfg = yaml.safe_load(open('config.yaml'))
        for key, value in vars(args).items():
            cfg['loader'][key] = value
    """,
    "merged": """
        cfg = OmegaConf.merge(OmegaConf.load('config.yaml'), args)
        cfg = dict(cfg)
    """,
    "asked first": """
        cfg = yaml.safe_load(open('config.yaml'))
        if cfg['loader']['num_workers'] == 0:
            print('no workers')
    """,
    "one of several": """
        cfg = yaml.safe_load(open('config.yaml' if args else 'other.yaml'))
    """,
}


@pytest.mark.parametrize("reading", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_known_is_silent(tmp_path: Path, reading: str) -> None:
    assert not _errors(tmp_path, {"train.py": _program(reading), "config.yaml": REFUSED})


def test_a_file_that_might_be_one_of_two_is_not_read(tmp_path: Path) -> None:
    program = _program("cfg = yaml.safe_load(open('config.yaml'))")
    files = {"src/train.py": program, "config.yaml": REFUSED, "src/config.yaml": REFUSED}
    assert not _errors(tmp_path, files)


def test_other_modules_may_write_to_settings(tmp_path: Path) -> None:
    files = {
        "train.py": _program("cfg = yaml.safe_load(open('config.yaml'))\nsetup(cfg)"),
        "config.yaml": REFUSED,
        "setup.py": "def setup(cfg):\n    cfg['loader']['num_workers'] = 8\n",
    }
    assert not _errors(tmp_path, files)


def test_an_unresolved_interpolation_is_unknown(tmp_path: Path) -> None:
    text = "loader:\n  num_workers: ${oc.env:N}\n  persistent_workers: true\n"
    program = _program("cfg = OmegaConf.load('config.yaml')")
    assert not _errors(tmp_path, {"train.py": program, "config.yaml": text})


def test_data_are_not_read_as_settings(tmp_path: Path) -> None:
    program = _program("cfg = yaml.safe_load(open('config.yaml'))")
    text = REFUSED + "".join(f"k{i}: some words that fill the file\n" for i in range(2_000))
    assert not _errors(tmp_path, {"train.py": program, "config.yaml": text})


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
    _written(tmp_path, files)
    found = {d.name: str(d.severity) for d in _check(tmp_path, Sources())}
    assert found["zero-workers"] == "info"


def test_the_fix_changes_the_value_where_it_stands(tmp_path: Path) -> None:
    text = "# ours\nloader: &l\n  num_workers: 0  # one\n  persistent_workers: true  # two\nx: *l\n"
    program = _program("cfg = yaml.safe_load(open('config.yaml'))")
    _written(tmp_path, {"train.py": program, "config.yaml": text})
    mended = mend(lambda s: _check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert mended.texts == {
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
    _written(tmp_path, files)
    applicability = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    mended = mend(lambda s: _check(tmp_path, s), Sources(), applicability)
    added = "  num_workers: 4  # cores\n  persistent_workers: true\nseed"
    text = files["config.yaml"].replace("  num_workers: 4  # cores\nseed", added)
    assert mended.texts == {str(tmp_path / "config.yaml"): text}


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
    _written(tmp_path, files)
    (found,) = (d for d in _check(tmp_path, Sources()) if d.name == "missing-persistent-workers")
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
    assert not _errors(tmp_path, files)


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
    assert _errors(tmp_path, files)
