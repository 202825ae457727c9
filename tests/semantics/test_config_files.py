"""What settings that are read from files denote, and which file a path names."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.frontends.settings_files import Interpolated, Setting
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ConditionalValue
from tests.semantics.asked import denoted, evaluated, evaluator_for, found, root_of, short

YAML = "loader:\n  workers: 4\n  pin: true\nsize: 8\n"
IMPORTS = "import os, sys, yaml\nfrom pathlib import Path\nfrom omegaconf import OmegaConf\n"


def _asked(text: str, folder: Path) -> list[set[str]]:
    files = {"main.py": IMPORTS + text, "conf/a.yaml": YAML, "b.yaml": YAML}
    return evaluated(files, folder)


READERS = {
    "a literal path": "cfg = yaml.safe_load(open('conf/a.yaml'))",
    "an open file": "with open('conf/a.yaml') as f:\n    cfg = yaml.safe_load(f)",
    "the text of a file": "cfg = yaml.safe_load(Path('conf/a.yaml').read_text())",
    "os.path.join": "cfg = yaml.safe_load(open(os.path.join('conf', 'a.yaml')))",
    "a path of parts": "cfg = yaml.safe_load((Path('conf') / 'a.yaml').open())",
    "joinpath": "cfg = yaml.safe_load(Path('conf').joinpath('a.yaml').open())",
    "a sum": "cfg = yaml.safe_load(open('conf/' + 'a.yaml'))",
    "a format": "name = 'a'\ncfg = yaml.safe_load(open(f'conf/{name}.yaml'))",
    "beside the module": (
        "cfg = yaml.safe_load(open(os.path.join(os.path.dirname(__file__), 'conf', 'a.yaml')))"
    ),
    "by its parent": "cfg = yaml.safe_load((Path(__file__).parent / 'conf/a.yaml').open())",
    "by its first parent": (
        "cfg = yaml.safe_load((Path(__file__).parents[0] / 'conf/a.yaml').open())"
    ),
    "resolved": "cfg = yaml.safe_load(open(Path('conf/a.yaml').resolve()))",
    "a stem": "cfg = yaml.safe_load(open('conf/' + Path('x/a.yaml').stem + '.yaml'))",
    "a name": "cfg = yaml.safe_load(open('conf/' + Path('x/a.yaml').name))",
    "a global": (
        "PATH = 'conf/a.yaml'\ndef load():\n    return yaml.safe_load(open(PATH))\ncfg = load()"
    ),
    "a parameter": (
        "def load(path):\n    return yaml.safe_load(open(path))\ncfg = load('conf/a.yaml')"
    ),
    "OmegaConf": "cfg = OmegaConf.load('conf/a.yaml')",
    "a loader object": ("from ruamel.yaml import YAML\ncfg = YAML().load(open('conf/a.yaml'))"),
}


@pytest.mark.parametrize("reading", READERS.values(), ids=READERS)
def test_settings_are_what_stands_in_the_file(reading: str, tmp_path: Path) -> None:
    text = f"{reading}\nreveal(cfg['loader']['workers'])\nreveal(cfg['size'])\n"
    assert _asked(text, tmp_path) == [{"~4"}, {"~8"}]


UNKNOWN = {
    "no such file": "cfg = yaml.safe_load(open('none.yaml'))",
    "one of two files": (
        "cfg = yaml.safe_load(open('conf/a.yaml' if len(sys.argv) > 1 else 'b.yaml'))"
    ),
    "nothing": "cfg = yaml.safe_load()",
    "a computed path of another kind": "import json\ncfg = json.load(open(sys.argv[1]))",
}


@pytest.mark.parametrize("reading", UNKNOWN.values(), ids=UNKNOWN)
def test_of_other_paths_nothing_is_known(reading: str, tmp_path: Path) -> None:
    assert _asked(f"{reading}\nreveal(cfg['size'])\n", tmp_path) == [{"?"}]


READ = "cfg = OmegaConf.load('conf/a.yaml')\n"
ASKED = {
    "an attribute": ("reveal(cfg.loader.workers)", {"~4"}),
    "get": ("reveal(cfg.get('size', 3))", {"~8"}),
    "a key that is not there": ("reveal(cfg.get('other', 3))", {"3"}),
    "a name for a part": ("part = cfg.loader\nreveal(part['pin'])", {"~True"}),
    "an object made of it": (
        "from easydict import EasyDict\nown = EasyDict(cfg)\nreveal(own.size)",
        {"~8"},
    ),
    "written by its key": ("cfg['size'] = 2\nreveal(cfg.size)", {"2"}),
    "written as an attribute": ("cfg.loader.workers = 2\nreveal(cfg.loader.workers)", {"?"}),
    "updated by who knows what": ("cfg.update(other)\nreveal(cfg.size)", {"?"}),
    "updated elsewhere": ("cfg.update({'other': 1})\nreveal(cfg.size)", {"~8"}),
    "updated by keyword": ("cfg.update(size=1)\nreveal(cfg.size)", {"1"}),
    "set by a computed name": ("setattr(cfg, name, 1)\nreveal(cfg.size)", {"?"}),
    "merged with the command line": (
        "own = OmegaConf.merge(cfg, OmegaConf.from_cli())\nreveal(own.size)",
        {"~8"},
    ),
    "merged with something": (
        "own = OmegaConf.merge(cfg, other)\nreveal(own.size)",
        {"omegaconf.OmegaConf.merge().size"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), ASKED.values(), ids=ASKED)
def test_what_is_done_with_settings(text: str, expected: set[str], tmp_path: Path) -> None:
    assert _asked(f"{READ}{text}\n", tmp_path) == [expected]


def test_a_setting_names_its_file(tmp_path: Path) -> None:
    [[one]] = found(
        {"main.py": f"{IMPORTS}{READ}reveal(cfg.loader.workers)", "conf/a.yaml": YAML}, tmp_path
    )
    assert one.assumed == "value of `loader.workers` in conf/a.yaml"
    assert one.is_spelled_out
    assert one.is_written


def test_settings_of_several_files_are_not_known(tmp_path: Path) -> None:
    text = "for name in ('conf/a.yaml', 'b.yaml'):\n    cfg = OmegaConf.load(name)\n"
    assert _asked(f"{text}reveal(cfg['size'])", tmp_path) == [{"?"}]


HYDRA = {
    "conf/config.yaml": "defaults:\n  - data: small\n  - _self_\nlr: 0.1\n",
    "conf/data/small.yaml": "workers: 0\nsize: ${lr}\n",
}
MAINS = {
    "by keywords": "@hydra.main(config_path='conf', config_name='config')",
    "by position": "@hydra.main('conf', 'config')",
    "with a version": "@hydra.main(version_base=None, config_path='conf', config_name='config')",
}


@pytest.mark.parametrize("decorator", MAINS.values(), ids=MAINS)
def test_hydra_gives_its_composition(decorator: str, tmp_path: Path) -> None:
    text = f"import hydra\n{decorator}\ndef main(cfg):\n    reveal(cfg.data.workers)\n"
    assert evaluated({"main.py": text, **HYDRA}, tmp_path) == [{"~0"}]


OVERRIDING = {
    "conf/config.yaml": "defaults:\n  - data: small\n",
    "conf/data/small.yaml": "defaults:\n  - base\nworkers: 4\n",
    "conf/data/base.yaml": "workers: 0\n",
}
"""Settings of which Hydra 1.0 takes what the defaults list gives, and later ones the file's own."""
MAIN = "@hydra.main({}config_path='conf', config_name='config')\ndef main(cfg):\n    {}\n"
COMPOSE = "hydra.initialize({}config_path='conf')\ncfg = hydra.compose('config')\n{}\n"


@pytest.mark.parametrize(("version", "expected"), [("version_base=None, ", "~4"), ("", "?")])
@pytest.mark.parametrize("text", [MAIN, COMPOSE], ids=["main", "compose"])
def test_where_a_version_is_told_a_file_overrides_its_defaults(
    text: str, version: str, expected: str, tmp_path: Path
) -> None:
    asked = "import hydra\n" + text.format(version, "reveal(cfg.data.workers)")
    assert evaluated({"main.py": asked, **OVERRIDING}, tmp_path) == [{expected}]


NO_MAINS = {
    "another decorator": "@other(config_path='conf', config_name='config')",
    "no name": "@hydra.main(config_path='conf')",
    "a new version without a folder": "@hydra.main(version_base='1.2', config_name='config')",
    "unpacked": "@hydra.main(config_name='config', **more)",
}


@pytest.mark.parametrize("decorator", NO_MAINS.values(), ids=NO_MAINS)
def test_of_other_mains_nothing_is_known(decorator: str, tmp_path: Path) -> None:
    text = f"import hydra\n{decorator}\ndef main(cfg):\n    reveal(cfg.data.workers)\n"
    assert evaluated({"main.py": text, **HYDRA}, tmp_path) == [{"?"}]


def test_an_old_hydra_looks_beside_the_script(tmp_path: Path) -> None:
    files = {
        "main.py": "import hydra\n@hydra.main(config_name='config')\n"
        "def main(cfg):\n    reveal(cfg.lr)\n",
        "config.yaml": "lr: 2\n",
    }
    assert evaluated(files, tmp_path) == [{"~2"}]


COMPOSED = {
    "initialize": "hydra.initialize(config_path='conf')\ncfg = hydra.compose(config_name='config')",
    "by position": "hydra.initialize('conf')\ncfg = hydra.compose('config')",
    "no overrides": "hydra.initialize('conf')\ncfg = hydra.compose('config', overrides=[])",
}


@pytest.mark.parametrize("text", COMPOSED.values(), ids=COMPOSED)
def test_compose_reads_where_hydra_was_initialized(text: str, tmp_path: Path) -> None:
    asked = f"import hydra\n{text}\nreveal(cfg.data.workers)\n"
    assert evaluated({"main.py": asked, **HYDRA}, tmp_path) == [{"~0"}]


NOT_COMPOSED = {
    "not initialized": "cfg = hydra.compose('config')",
    "overrides": "hydra.initialize('conf')\ncfg = hydra.compose('config', ['data.workers=1'])",
    "two folders": (
        "hydra.initialize('conf')\nhydra.initialize('other')\ncfg = hydra.compose('config')"
    ),
}


@pytest.mark.parametrize("text", NOT_COMPOSED.values(), ids=NOT_COMPOSED)
def test_of_other_compositions_nothing_is_known(text: str, tmp_path: Path) -> None:
    asked = f"import hydra\n{text}\nreveal(cfg.data.workers)\n"
    assert evaluated({"main.py": asked, **HYDRA}, tmp_path) == [{"?"}]


INTERPOLATED = {
    "a value of the composition": ("lr", {"~0.1"}),
    "a value of the same file": ("data.workers", {"~0"}),
    "no such value": ("data.other", {"?"}),
    "no value": ("data", {"?"}),
}


@pytest.mark.parametrize(("names", "expected"), INTERPOLATED.values(), ids=INTERPOLATED)
def test_an_interpolation_is_what_the_composition_gives(
    names: str, expected: set[str], tmp_path: Path
) -> None:
    evaluator = evaluator_for({"main.py": "", **HYDRA}, tmp_path)
    path = str(tmp_path / "conf/data/small.yaml")
    expression = Interpolated((0, 0), (), path, tuple(names.split(".")))
    values = evaluator.of(expression, root_of(evaluator, "main.py", tmp_path))
    assert short(values) == expected


def test_an_interpolation_of_a_file_that_no_composition_holds(tmp_path: Path) -> None:
    evaluator = evaluator_for({"main.py": "", **HYDRA}, tmp_path)
    expression = Interpolated((0, 0), (), str(tmp_path / "conf/other/x.yaml"), ("lr",))
    values = evaluator.of(expression, root_of(evaluator, "main.py", tmp_path))
    assert short(values) == {"?"}


def test_what_a_reader_gives_is_a_dict_of_settings(tmp_path: Path) -> None:
    files = {"main.py": f"{IMPORTS}{READ}reveal(cfg)\nreveal(cfg.size)", "conf/a.yaml": YAML}
    assert denoted(files, tmp_path) == [{"{…}"}, {"?"}]


CHOSEN = "cfg = yaml.safe_load(open(sys.argv[1]))\n"
MANY = {
    "conf/a.yaml": "workers: 4\nsize: 8\npart:\n  pin: true\n  fast: true\nother: [1]\n",
    "conf/b.yaml": "workers: 2\nsize: 8\npart:\n  pin: false\nother: 3\n",
}
ONE_OF_SEVERAL = {
    "what they all say": ("cfg['size']", {"~8"}),
    "what each of them says": ("cfg['workers']", {"~4", "~2"}),
    "a part": ("cfg['part']['pin']", {"~True", "~False"}),
    "what only one has": ("cfg['part']['fast']", {"~True"}),
    "get": ("cfg.get('workers', 0)", {"~4", "~2"}),
    "an object made of them": ("EasyDict(cfg).part.pin", {"~True", "~False"}),
    "get of what none has": ("cfg.get('none', 3)", {"?", "~3"}),
    "get of what is in no such part": ("cfg['part'].get('none', 3)", {"3"}),
    "what none has": ("cfg['none']", {"?"}),
    "a value here, a list there": ("cfg['other']", {"?"}),
}


@pytest.mark.parametrize(("asked", "expected"), ONE_OF_SEVERAL.values(), ids=ONE_OF_SEVERAL)
def test_one_of_the_projects_own_files(asked: str, expected: set[str], tmp_path: Path) -> None:
    text = f"from easydict import EasyDict\n{IMPORTS}{CHOSEN}reveal({asked})"
    assert evaluated({"main.py": text, **MANY}, tmp_path) == [expected]


DEFAULTS = {
    "one that is not there": ("conf/none.yaml", {"~8"}),
    "one that is": ("conf/c.yaml", {"~3"}),
    "one that is no settings": ("conf/d.yaml", {"?"}),
}


@pytest.mark.parametrize(("path", "expected"), DEFAULTS.values(), ids=DEFAULTS)
def test_a_default_path_of_no_file_is_one_that_nobody_knows(
    path: str, expected: set[str], tmp_path: Path
) -> None:
    parser = "import argparse\nparser = argparse.ArgumentParser()\n"
    option = f"parser.add_argument('--config', default={path!r})\nargs = parser.parse_args()\n"
    text = f"{IMPORTS}{parser}{option}cfg = yaml.safe_load(open(args.config))\nreveal(cfg['size'])"
    more = {"conf/c.yaml": "workers: 1\nsize: 3\n", "conf/d.yaml": "[1, 2]\n"}
    files = {"main.py": text, **MANY, **(more if "none" not in path else {})}
    assert evaluated(files, tmp_path) == [expected]


def test_values_of_two_files_do_not_hold_together(tmp_path: Path) -> None:
    text = f"{IMPORTS}{CHOSEN}reveal(cfg['workers'] if cfg['part']['pin'] else 0)"
    files = {"main.py": text, **MANY}
    [alternatives] = found(files, tmp_path)
    of_b = [a for a in alternatives if a.integer == 2]
    assert not any(
        conditions.compatible(a.path_condition, b.path_condition)
        for a in alternatives
        for b in of_b
        if a.integer == 4
    )


def test_the_values_of_such_files_are_written_to(tmp_path: Path) -> None:
    text = f"{IMPORTS}{CHOSEN}cfg['part']['pin'] = sys.argv[2]\nreveal(cfg['part']['pin'])"
    assert evaluated({"main.py": text, **MANY}, tmp_path) == [{"?"}]


def test_settings_of_such_files_name_one_and_how_many_there_are(tmp_path: Path) -> None:
    [[one]] = found({"main.py": f"{IMPORTS}{CHOSEN}reveal(cfg['size'])", **MANY}, tmp_path)
    assert one.assumed == "value of `size` in conf/a.yaml, one of 2 such files"
    assert not one.is_written


STAGES = {
    "conf/a.yaml": "workers: 4\nsize: 8\nrate: 1\n",
    "conf/b.yaml": "workers: 2\nsize: 8\nrate: 1\nsteps: 10\n",
}
FITTING = {
    "what both have": ("use(cfg['rate'])", ["a.yaml", "b.yaml"], ["a.yaml"]),
    "what one has alone": ("use(cfg['steps'])", ["b.yaml"], ["b.yaml"]),
    "what one may have": ("use(cfg.get('steps', 1))", ["a.yaml", "b.yaml"], ["a.yaml"]),
    "where it may not be read": (
        "use(cfg['steps'] if cfg['rate'] else 0)",
        ["a.yaml", "b.yaml"],
        ["a.yaml"],
    ),
    "behind what leaves": (
        "if cfg['rate']:\n        return\n    use(cfg['steps'])",
        ["a.yaml", "b.yaml"],
        ["a.yaml"],
    ),
    "what is written": ("cfg['steps'] = 3", ["a.yaml", "b.yaml"], ["a.yaml"]),
    "what none has": ("use(cfg['none'])", ["a.yaml", "b.yaml"], ["a.yaml"]),
}


@pytest.mark.parametrize(("read", "of_two", "of_one"), FITTING.values(), ids=FITTING)
def test_a_file_that_lacks_what_a_function_reads_is_another_programs(
    read: str, of_two: list[str], of_one: list[str], tmp_path: Path
) -> None:
    asked = "reveal(cfg['workers'])\n    reveal(cfg['size'])"
    text = f"{IMPORTS}{CHOSEN}def run(cfg):\n    {asked}\n    {read}\nrun(cfg)\n"
    [workers, sizes] = found({"main.py": text, **STAGES}, tmp_path)
    assert sorted(_file_of(a) for a in workers) == of_two
    assert [_file_of(a) for a in sizes] == of_one
    assert {a.integer for a in sizes} == {8}


@pytest.mark.parametrize(
    "added", ["cfg['steps'] = 3", "cfg.setdefault('steps', 3)", "cfg = {'steps': 3, **cfg}"]
)
def test_a_key_that_code_adds_says_nothing_of_the_file(added: str, tmp_path: Path) -> None:
    run = "def run(cfg):\n    reveal(cfg['workers'])\n    use(cfg['steps'])\n"
    text = f"{IMPORTS}{CHOSEN}{added}\n{run}run(cfg)\n"
    assert evaluated({"main.py": text, **STAGES}, tmp_path) == [{"~4", "~2"}]


def _file_of(alternative: ConditionalValue) -> str:
    assert isinstance(alternative.source, Setting)
    return Path(alternative.source.path).name


SHARED = {
    "a known file and one that is not known": (
        "load('conf/a.yaml')\ncfg = load(name)",
        {"~4", "~2"},
    ),
    "files of two kinds": ("json.load(open(name)) if name else load(name)", {"~8", "~4", "~2"}),
}


@pytest.mark.parametrize(("reading", "expected"), SHARED.values(), ids=SHARED)
def test_a_reader_of_several_files(reading: str, expected: set[str], tmp_path: Path) -> None:
    reader = "def load(path):\n    return yaml.safe_load(open(path))\n"
    text = f"import json\n{IMPORTS}{reader}name = sys.argv[1]\ncfg = {reading}\n"
    files = {"main.py": f"{text}reveal(cfg['workers'])", **MANY, "conf/c.json": '{"workers": 8}'}
    assert evaluated(files, tmp_path) == [expected]


NEAREST = {
    "below the folder of the module": ("one/main.py", {"~4"}),
    "around it": ("one/code/main.py", {"~4"}),
    "both": ("main.py", {"~4", "~2"}),
}


@pytest.mark.parametrize(("name", "expected"), NEAREST.values(), ids=NEAREST)
def test_the_nearest_files_count(name: str, expected: set[str], tmp_path: Path) -> None:
    files = {name: f"{IMPORTS}{CHOSEN}reveal(cfg['workers'])"}
    files |= {"one/conf/a.yaml": MANY["conf/a.yaml"], "two/b.yaml": MANY["conf/b.yaml"]}
    assert evaluated(files, tmp_path) == [expected]


def test_hidden_files_and_files_of_other_things_do_not_count(tmp_path: Path) -> None:
    files = {"main.py": f"{IMPORTS}{CHOSEN}reveal(cfg['workers'])\nreveal(cfg['size'])"}
    files |= {".ci/a.yaml": MANY["conf/a.yaml"], "b.yaml": "size: 3\n"}
    assert evaluated(files, tmp_path) == [{"?"}, {"?"}]


def test_what_may_be_data_stays_unknown_as_a_whole(tmp_path: Path) -> None:
    [values] = denoted({"main.py": f"{IMPORTS}{CHOSEN}reveal(cfg)", **MANY}, tmp_path)
    assert "?" in values


DEEP = "workers: 4\nsize: 8\n"


@pytest.mark.parametrize(
    ("beside", "expected"), [({}, {"~4"}), ({"conf/b.yaml": "workers: 2\n"}, {"~2"})]
)
def test_files_far_below_count_where_none_is_near(
    beside: dict[str, str], expected: set[str], tmp_path: Path
) -> None:
    files = {"main.py": f"{IMPORTS}{CHOSEN}reveal(cfg['workers'])"}
    files |= {"scripts/conf/tuning/a.yaml": DEEP, **beside}
    assert evaluated(files, tmp_path) == [expected]
