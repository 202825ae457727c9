"""argparse options that a loop declares."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from dlint.library_facts.shells import IMPORT
from dlint.semantics.libraries.option_declarations import MARK
from tests.ends import comes_to_an_end
from tests.frontends.made import errors

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


TABLE = """
TABLE = {"num_workers": 0, "persistent": True}
def show(given, level):
    for k in given:
        print(k, given[k])
def spoil(given):
    given["num_workers"] = 4
def pass_on(given):
    spoil(given)
"""

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
        DICT + '\nprint(defaults, len(defaults), defaults["lr"], "lr" in defaults)',
        f"{DICT}\nshow(defaults, 1)",
        "defaults = TABLE",
        'defaults = yaml.safe_load(open("conf.yaml"))',
        'defaults = json.load(open("conf.json"))["args"]',
    ],
)
def test_the_dict_gives_the_defaults(tmp_path: Path, made: str, loop: str) -> None:
    files = {
        "train.py": _script(f"{made}\n{loop}", TABLE),
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


@pytest.mark.parametrize(
    "made",
    [
        "defaults = dict(num_workers=0, persistent=True, **load())",
        "defaults = dict(load(), num_workers=0, persistent=True)",
        'defaults = {"num_workers": 0, "persistent": True, **load()}',
        'defaults = {"num_workers": 0, "persistent": True, name(): 4}',
        f"{DICT}\nchange(defaults)",
        f"{DICT}\nspoil(defaults)",
        f"{DICT}\npass_on(given=defaults)",
        f"{DICT}\nother = defaults\nother['num_workers'] = 4",
        f"{DICT}\ndefaults.update(num_workers=0)",
        f"{DICT}\ndefaults['lr'] += 1",
        f"{DICT}\ndel defaults['lr']",
        f"{DICT}\ndefaults |= load()",
        f"{DICT}\nif seed:\n    defaults = dict(num_workers=4)",
        f"{DICT}\ndef more():\n    defaults['num_workers'] = 4\nmore()",
        'defaults = yaml.safe_load(open("conf.yaml"))\nchange(defaults)',
    ],
)
def test_a_table_that_may_change_is_silent(tmp_path: Path, made: str) -> None:
    conf = "num_workers: 0\npersistent: true\n"
    files = {"train.py": _script(f"{made}\n{OVER_ITEMS}", TABLE), "conf.yaml": conf}
    assert errors(tmp_path, files) == []


@pytest.mark.parametrize(
    "spoiled",
    [
        "TABLE['num_workers'] = 4",
        "def more():\n    TABLE['num_workers'] = 4",
        "def more():\n    change(TABLE)",
        "def more():\n    global TABLE\n    TABLE = dict(num_workers=4)",
    ],
)
def test_a_global_table_is_looked_at_in_the_whole_module(tmp_path: Path, spoiled: str) -> None:
    loop = OVER_ITEMS.replace("defaults", "TABLE")
    assert len(errors(tmp_path, {"train.py": _script(loop, TABLE)})) == 1
    assert errors(tmp_path, {"train.py": _script(loop, f"{TABLE}\n{spoiled}")}) == []


TESTED = """
for k in ["num_workers", "batch"]:
    if k == "num_workers":
        parser.add_argument(f"--{k}", default=4, type=int)
    else:
        parser.add_argument(f"--{k}", default=0, type=int)
"""
PASSED = """
for k in ["num_workers", "batch"]:
    if k == "num_workers":
        continue
    parser.add_argument(f"--{k}", default=0, type=int)
"""
CHOSEN = """
for k in ["num_workers", "batch"]:
    parser.add_argument(f"--{k}", default=4 if k == "num_workers" else 0, type=int)
"""
REMOVED = """
names = ["num_workers", "batch"]
names.remove("num_workers")
for k in names:
    parser.add_argument(f"--{k}", default=0, type=int)
"""


@pytest.mark.parametrize("loop", [TESTED, PASSED, CHOSEN, REMOVED])
def test_a_list_of_which_the_names_are_told_apart(tmp_path: Path, loop: str) -> None:
    named = 'parser.add_argument("--persistent", default=True)'
    assert errors(tmp_path, {"train.py": _script(f"{loop}\n{named}")}) == []


OWN = f"{DICT}\n{OVER_ITEMS}"
UNKNOWN = f"defaults = load()\n{OVER_ITEMS}"
LARGER = OWN.replace("=0,", "=8,")


@pytest.mark.parametrize("own", [UNKNOWN, LARGER, "declare(parser)"])
def test_a_loop_of_another_script_gives_nothing(tmp_path: Path, own: str) -> None:
    files = {"one/train.py": _script(OWN), "two/other.py": _script(own)}
    (found,) = errors(tmp_path, files)
    assert found.place.path == str(tmp_path / "one/train.py")


@pytest.mark.parametrize("own", [UNKNOWN, LARGER, "parser.add_argument(*more(), default=1)"])
def test_the_nearest_loop_ends_the_search(tmp_path: Path, own: str) -> None:
    imported = f"def declare(parser):\n{indent(OWN, '    ')}\n"
    script = _script(own, "from helper import declare")
    assert errors(tmp_path, {"train.py": script, "helper.py": imported}) == []
    script = _script("declare(parser)", "from helper import declare")
    assert len(errors(tmp_path, {"train.py": script, "helper.py": imported})) == 1


def test_a_function_that_parses_by_itself_keeps_its_options(tmp_path: Path) -> None:
    script = _script("declare(parser)", "from helper import Images")
    helper = _script(OWN).replace("persistent_workers=args.persistent", "")
    assert errors(tmp_path, {"train.py": script, "helper.py": helper}) == []


def test_two_loops_of_one_module_are_not_told_apart(tmp_path: Path) -> None:
    two = "\n".join(
        f"def declare_{n}(parser):\n{indent(DICT.replace('=0,', f'={n},'), '    ')}\n"
        f"{indent(OVER_ITEMS, '    ')}"
        for n in (0, 8)
    )
    assert errors(tmp_path, {"train.py": _script("declare_8(parser)", two)}) == []


def test_an_own_loop_is_nearer_than_a_plain_option_of_another_script(tmp_path: Path) -> None:
    plain = 'parser.add_argument("--{}", default={})'
    options = [plain.format("num_workers", 8), plain.format("persistent", True)]
    files = {"one/train.py": _script(OWN), "two/other.py": _script("\n".join(options))}
    (found,) = errors(tmp_path, files)
    assert found.place.path == str(tmp_path / "one/train.py")


def test_a_long_line_is_passed_over_quickly() -> None:
    assert MARK.search(b"for k in d:\n    p.add_argument(f'--{k}')\n")
    text = b"x = '" + b"for " * 40_000 + b"'\n"
    with comes_to_an_end():
        assert MARK.search(text) is None
    with comes_to_an_end():
        assert IMPORT.findall("from " + "." * 40_000 + " x\n") == []


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
