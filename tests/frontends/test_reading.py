"""Python that reads its settings from a file: what it takes from there is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Applicability
from dlint.fixes.apply import fix_all
from dlint.workspace.reading import Sources
from tests.frontends.made import REFUSED, USE, check, errors, script

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
    (found,) = errors(tmp_path, {"train.py": script(reading), "config.yaml": REFUSED})
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
    assert errors(tmp_path, {"train.py": script(*shape), "config.yaml": REFUSED})


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
    program = script(reading, ATTRIBUTES, imports)
    assert errors(tmp_path, {"train.py": program, "config.yaml": REFUSED})


def test_ruamel(tmp_path: Path) -> None:
    reading = "cfg = YAML(typ='safe').load(open('config.yaml'))"
    program = script(reading, imports="from ruamel.yaml import YAML")
    assert errors(tmp_path, {"train.py": program, "config.yaml": REFUSED})


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
    assert errors(tmp_path, {"train.py": script(reading, imports="import tomllib"), name: text})
    fixed = fix_all(lambda s: check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert fixed.texts == {str(tmp_path / name): text.replace("true", "false")}


def test_a_file_of_the_project_read_from_a_folder_below(tmp_path: Path) -> None:
    program = script("cfg = OmegaConf.load('configs/a.yaml')")
    files = {"src/train.py": program, "configs/a.yaml": REFUSED}
    assert errors(tmp_path, files)


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
    assert errors(tmp_path, files)


def test_interpolations_of_omegaconf(tmp_path: Path) -> None:
    text = "n: 0\nloader:\n  num_workers: ${n}\n  persistent_workers: ${.keep}\n  keep: true\n"
    program = script("cfg = OmegaConf.load('config.yaml')")
    assert errors(tmp_path, {"train.py": program, "config.yaml": text})


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
    (found,) = errors(tmp_path, {"train.py": script(reading), "config.yaml": REFUSED})
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
    assert errors(tmp_path, {"train.py": script(reading), "config.yaml": config})


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
    assert not errors(tmp_path, {"train.py": script(reading), "config.yaml": REFUSED})


def test_a_file_that_might_be_one_of_two_is_not_read(tmp_path: Path) -> None:
    program = script("cfg = yaml.safe_load(open('config.yaml'))")
    files = {"src/train.py": program, "config.yaml": REFUSED, "src/config.yaml": REFUSED}
    assert not errors(tmp_path, files)


def test_other_modules_may_write_to_settings(tmp_path: Path) -> None:
    files = {
        "train.py": script(
            "from prepare import setup\ncfg = yaml.safe_load(open('config.yaml'))\nsetup(cfg)"
        ),
        "config.yaml": REFUSED,
        "prepare.py": "def setup(cfg):\n    cfg['loader']['num_workers'] = 8\n",
    }
    assert not errors(tmp_path, files)


def test_an_unresolved_interpolation_is_unknown(tmp_path: Path) -> None:
    text = "loader:\n  num_workers: ${oc.env:N}\n  persistent_workers: true\n"
    program = script("cfg = OmegaConf.load('config.yaml')")
    assert not errors(tmp_path, {"train.py": program, "config.yaml": text})


def test_data_are_not_read_as_settings(tmp_path: Path) -> None:
    program = script("cfg = yaml.safe_load(open('config.yaml'))")
    text = REFUSED + "".join(f"k{i}: some words that fill the file\n" for i in range(2_000))
    assert not errors(tmp_path, {"train.py": program, "config.yaml": text})
