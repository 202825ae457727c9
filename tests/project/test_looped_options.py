"""argparse options that a loop declares."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.dialects.made import errors

USE = "DataLoader(data, num_workers=args.num_workers, persistent_workers=args.persistent)"
DICT = "defaults = dict(num_workers=0, persistent=True, lr=0.1)"
LOOP = "for k, v in defaults.items():\n    parser.add_argument({0}, default={1}, type=type(v))"

OVER_ITEMS = LOOP.format('f"--{k}"', "v")


def _script(declared: str, before: str = "") -> str:
    lines = [
        "import argparse, json, yaml",
        "from torch.utils.data import DataLoader",
        before,
        "def run(data):",
        "    parser = argparse.ArgumentParser()",
        indent(declared, "    "),
        "    args = parser.parse_args()",
        f"    return {USE}",
    ]
    return "\n".join(lines) + "\n"


FLAGS = {
    "a format": LOOP.format('f"--{k}"', "v"),
    "a sum": LOOP.format('"--" + k', "v"),
    "a template": LOOP.format('"--%s" % k', "v"),
    "format": LOOP.format('"--{}".format(k)', "v"),
    "an item": LOOP.format('f"--{k}"', "defaults[k]"),
    "keys": 'for k in defaults.keys():\n    parser.add_argument("--" + k, default=defaults[k])',
    "the dict": 'for k in defaults:\n    parser.add_argument(f"--{k}", default=defaults[k])',
}


@pytest.mark.parametrize("loop", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize(
    "made",
    [
        DICT,
        'defaults = {"num-workers": 0, "persistent": True}',
        "defaults = dict(persistent=True)\ndefaults.update(num_workers=0)",
        'defaults = yaml.safe_load(open("conf.yaml"))',
        'defaults = json.load(open("conf.json"))["args"]',
    ],
)
def test_the_dict_gives_the_defaults(tmp_path: Path, made: str, loop: str) -> None:
    files = {
        "train.py": _script(f"{made}\n{loop}"),
        "conf.yaml": "num_workers: 0\npersistent: true\n",
        "conf.json": '{"args": {"num_workers": 0, "persistent": true}}',
    }
    (found,) = errors(tmp_path, files)
    assert "by the default of option `--num" in found.message


@pytest.mark.parametrize(
    "declared",
    [
        OVER_ITEMS,
        f"{DICT}\n" + OVER_ITEMS.replace("--", "--{prefix}"),
        f"{DICT}\n" + OVER_ITEMS.replace("{k}", "{v}"),
        f"{DICT}\n" + OVER_ITEMS.replace("=v", "=other[k + k]"),
        f"defaults = dict(num_workers=4, persistent=True)\n{OVER_ITEMS}",
        f"defaults = dict(read())\n{OVER_ITEMS}",
        f"{DICT}\n" + OVER_ITEMS.replace("=v", "=None"),
    ],
)
def test_what_is_not_known_is_silent(tmp_path: Path, declared: str) -> None:
    assert errors(tmp_path, {"train.py": _script(declared, "from there import defaults")}) == []


def test_a_list_of_names(tmp_path: Path) -> None:
    loop = (
        'for k in ("num_workers", "seed"):\n    parser.add_argument(f"--{k}", default=0, type=int)'
    )
    named = 'parser.add_argument("--persistent", default=True)'
    assert len(errors(tmp_path, {"train.py": _script(f"{loop}\n{named}")})) == 1
    loop = loop.replace("num_workers", "workers")
    assert errors(tmp_path, {"train.py": _script(f"{loop}\n{named}")}) == []


HELPER = """
def add(parser, given):
    for k, v in given.items():
        parser.add_argument(f"--{k}", default=v, type=type(v))
"""


def test_a_function_that_is_given_the_dict(tmp_path: Path) -> None:
    call = f"{DICT}\nadd(parser, defaults)"
    other = call.replace("num_workers=0", "num_workers=8")
    files = {
        "helper.py": HELPER,
        "train.py": _script(call, "from helper import add"),
        "sample.py": _script(other, "from helper import add"),
    }
    (found,) = errors(tmp_path, files)
    assert found.place.path == str(tmp_path / "train.py")
