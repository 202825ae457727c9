"""Programs that Hydra gives their settings: what its defaults lists compose is known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.reading import Sources

RULES = frozenset(rule_docs.summaries())
MAIN = """
import hydra
from torch.utils.data import DataLoader

def make(cfg, data):
    return DataLoader(data, **cfg)

@hydra.main({main})
def main(cfg):
    return make(cfg.loader, [1])

if __name__ == "__main__":
    main()
"""
HERE = 'version_base=None, config_path="conf", config_name="config"'
REFUSED = "num_workers: 0\npersistent_workers: true\n"
LOADER = "loader:\n  num_workers: 0\n  persistent_workers: true\n"


def _errors(folder: Path, configs: dict[str, str], main: str = HERE) -> list[Diagnostic]:
    files = {"train.py": MAIN.format(main=main), **configs}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    paths = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, paths, frozenset(map(str, paths)), RULES)
    found = analyse(request, Sources()).diagnostics
    return [d for d in found if d.name == "invalid-loader-arguments"]


def test_the_function_is_given_what_the_config_says(tmp_path: Path) -> None:
    (found,) = _errors(tmp_path, {"conf/config.yaml": LOADER})
    assert "by the default of `loader.num_workers` in conf/config.yaml" in found.message
    assert str(tmp_path / "conf/config.yaml") in {r.place.path for r in found.related}


CALLS = {
    "by position": '"conf", "config"',
    "with a suffix": 'config_path="./conf/", config_name="config.yaml"',
}


@pytest.mark.parametrize("main", CALLS.values(), ids=CALLS)
def test_ways_to_name_the_config(tmp_path: Path, main: str) -> None:
    assert _errors(tmp_path, {"conf/config.yaml": LOADER}, main)


def test_before_version_1_2_the_folder_of_the_module_is_meant(tmp_path: Path) -> None:
    assert _errors(tmp_path, {"config.yaml": LOADER}, 'config_name="config"')


def test_since_version_1_2_no_folder_is_meant(tmp_path: Path) -> None:
    main = 'version_base="1.2", config_name="config"'
    assert not _errors(tmp_path, {"config.yaml": LOADER}, main)


COMPOSED = {
    "a group": {
        "config": "defaults:\n  - loader: slow\n  - _self_\n",
        "loader/slow": REFUSED,
    },
    "a group that another one chooses": {
        "config": "defaults:\n  - data: small\n  - _self_\n",
        "data/small": "# @package _global_\ndefaults:\n  - /loader: slow\n",
        "loader/slow": REFUSED,
    },
    "a file by itself": {"config": "defaults:\n  - base\n  - _self_\n", "base": LOADER},
    "the file over a group": {
        "config": "defaults:\n  - loader: fast\n  - _self_\nloader:\n  num_workers: 0\n",
        "loader/fast": "num_workers: 8\npersistent_workers: true\n",
    },
    "a group over the file": {
        "config": (
            "defaults:\n  - _self_\n  - loader: slow\n"
            "loader:\n  num_workers: 8\n  persistent_workers: true\n"
        ),
        "loader/slow": "num_workers: 0\n",
    },
    "a package of its own": {
        "config": "defaults:\n  - data@loader: slow\n  - _self_\n",
        "data/slow": REFUSED,
    },
    "a package in a header": {
        "config": "defaults:\n  - data: slow\n  - _self_\n",
        "data/slow": f"# @package loader\n{REFUSED}",
    },
    "an override": {
        "config": "defaults:\n  - loader: fast\n  - override loader: slow\n",
        "loader/fast": "num_workers: 8\n",
        "loader/slow": REFUSED,
    },
    "Hydra's own groups": {
        "config": f"defaults:\n  - override hydra/job_logging: colorlog\n  - _self_\n{LOADER}",
    },
    "no choice": {"config": f"defaults:\n  - model: null\n  - _self_\n{LOADER}"},
    "another group from elsewhere": {
        "config": f"defaults:\n  - model: from_a_plugin\n  - _self_\n{LOADER}"
    },
    "an interpolation": {
        "config": ("defaults:\n  - loader: slow\n  - _self_\nworkers: 0\n"),
        "loader/slow": "num_workers: ${workers}\npersistent_workers: true\n",
    },
}


@pytest.mark.parametrize("configs", COMPOSED.values(), ids=COMPOSED)
def test_a_defaults_list_is_composed(tmp_path: Path, configs: dict[str, str]) -> None:
    assert _errors(tmp_path, {f"conf/{name}.yaml": text for name, text in configs.items()})


UNKNOWN = {
    "a group from elsewhere": {"config": f"defaults:\n  - loader: plugin\n  - _self_\n{LOADER}"},
    "a choice by another setting": {
        "config": f"defaults:\n  - loader: ${{kind}}\n  - _self_\n{LOADER}",
        "loader/slow": REFUSED,
    },
    "a choice that must be given": {
        "config": "defaults:\n  - loader: ???\n  - _self_\n",
        "loader/slow": REFUSED,
    },
    "a file from elsewhere": {"config": f"defaults:\n  - base\n  - _self_\n{LOADER}"},
    "a value that must be given": {
        "config": "loader:\n  num_workers: ???\n  persistent_workers: true\n"
    },
    "an order that depends on the version": {
        "config": (
            "defaults:\n  - loader: slow\nloader:\n  num_workers: 8\n  persistent_workers: true\n"
        ),
        "loader/slow": "num_workers: 0\n",
    },
    "an override without a match": {
        "config": "defaults:\n  - loader: slow\n  - override loader: plugin\n",
        "loader/slow": REFUSED,
    },
}


@pytest.mark.parametrize("configs", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_composed_is_unknown(tmp_path: Path, configs: dict[str, str]) -> None:
    assert not _errors(tmp_path, {f"conf/{name}.yaml": text for name, text in configs.items()})


def test_composed_in_code(tmp_path: Path) -> None:
    code = """
        from hydra import compose, initialize
        from torch.utils.data import DataLoader

        with initialize(version_base=None, config_path="conf"):
            cfg = compose(config_name="config"{overrides})
            DataLoader([1], **cfg.loader)
    """
    for overrides, count in (("", 1), (', overrides=["loader.num_workers=2"]', 0)):
        (tmp_path / "use.py").write_text(dedent(code.format(overrides=overrides)), "utf-8")
        found = _errors(tmp_path, {"conf/config.yaml": LOADER})
        assert len([d for d in found if d.place.path.endswith("use.py")]) == count


def test_a_function_that_something_else_decorates(tmp_path: Path) -> None:
    files = {"conf/config.yaml": LOADER, "own.py": "def main(**kwargs):\n    return lambda f: f\n"}
    main = MAIN.format(main=HERE).replace("import hydra", "import own as hydra")
    assert not _errors(tmp_path, {**files, "train.py": main})


# -- objects that files of a composition describe

TARGET = """
train:
  _target_: torch.utils.data.DataLoader
  num_workers: ${num_workers}
  persistent_workers: true
"""


def _described(folder: Path, **more: str) -> list[Diagnostic]:
    configs = {"conf/data/images.yaml": TARGET}
    configs |= {f"conf/{name}.yaml": text for name, text in more.items()}
    return _errors(folder, configs, 'version_base=None, config_path="none"')


def test_a_composition_gives_what_a_described_object_refers_to(tmp_path: Path) -> None:
    (found,) = _described(tmp_path, config="defaults:\n- data: images\n- _self_\nnum_workers: 0\n")
    assert found.place.path == str(tmp_path / "conf" / "data" / "images.yaml")
    assert "by the default of `num_workers` in conf/config.yaml" in found.message
    assert [related.place.path for related in found.related] == [
        str(tmp_path / "conf" / "config.yaml")
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"config": "defaults:\n- data: images\n- _self_\nnum_workers: 4\n"},
        {"config": "defaults:\n- data: others\n- _self_\nnum_workers: 0\n"},
        {"config": "defaults:\n- _self_\nnum_workers: 0\n"},
        {"config": "num_workers: 0\n"},
        {"config": "defaults:\n- data: images\n- _self_\nnum_workers: ${oc.env:N}\n"},
        {
            "config": "defaults:\n- data: images\n- _self_\nnum_workers: 0\n",
            "eval": "defaults:\n- data: images\n- _self_\nnum_workers: 4\n",
        },
        {
            "config": "defaults:\n- data: images\n- _self_\n- debug: small\nnum_workers: 0\n",
            "debug/small": "# @package _global_\nnum_workers: 4\n",
        },
    ],
)
def test_what_is_not_composed_so_is_silent(tmp_path: Path, more: dict[str, str]) -> None:
    assert _described(tmp_path, **more) == []


def test_two_compositions_may_agree(tmp_path: Path) -> None:
    text = "defaults:\n- data: images\n- _self_\nnum_workers: 0\n"
    assert len(_described(tmp_path, config=text, eval=text)) == 1
