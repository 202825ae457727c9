"""What argparse options hold: their defaults, presets, and what shell scripts give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.semantics.assembly import solver_of
from dlint.semantics.libraries import argparsing
from dlint.semantics.libraries.shell_runs import ShellRuns, Stated
from dlint.semantics.project import Project
from dlint.semantics.values.values import Namespace
from tests.ends import calls_in
from tests.semantics.asked import (
    denoted,
    evaluated,
    evaluator_for,
    found,
    project_of,
    questions,
)

PARSER = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("-j", "--num-workers", type=int, default=4)
parser.add_argument("--pin-memory", action="store_true")
parser.add_argument("--no-drop", dest="drop", action="store_false")
parser.add_argument("--persistent", action=argparse.BooleanOptionalAction, default=True)
parser.add_argument("--prefetch-factor", type=float)
parser.add_argument("--data", default="here")
args = parser.parse_args()
"""
DEFAULTS = {
    "a default": ("num_workers", {"4"}),
    "store_true": ("pin_memory", {"False"}),
    "store_false": ("drop", {"True"}),
    "nothing": ("prefetch_factor", {"None"}),
    "no such option": ("other", {"?"}),
}


@pytest.mark.parametrize(("name", "expected"), DEFAULTS.values(), ids=DEFAULTS)
def test_options_hold_their_defaults(name: str, expected: set[str]) -> None:
    text = f"{PARSER}\nreveal(args.{name})"
    assert denoted(text) == [expected]
    assumed = {value if value == "?" else f"~{value}" for value in expected}
    assert evaluated(text) == [assumed]


def test_a_preset_counts_beside_the_default() -> None:
    text = PARSER.replace("args =", "parser.set_defaults(num_workers=2)\nargs =")
    assert denoted(f"{text}\nreveal(args.num_workers)") == [{"2", "4"}]
    assert evaluated(f"{text}\nreveal(args.num_workers)") == [{"2", "~4"}]


def test_the_nearest_declaration_counts() -> None:
    declared = 'def add(parser):\n    parser.add_argument("--size", default={0})\n'
    files = {
        "main.py": "import argparse\nfrom near import add\nparser = argparse.ArgumentParser()\n"
        "add(parser)\nargs = parser.parse_args()\nreveal(args.size)",
        "near.py": declared.format(1),
        "far.py": declared.format(2),
    }
    assert evaluated(files) == [{"~1"}]
    files["main.py"] = files["main.py"].replace("from near", "from elsewhere")
    assert evaluated(files) == [{"~1", "~2"}]


def test_as_many_scripts_with_the_same_options_take_time_in_proportion() -> None:
    def asked(count: int) -> int:
        texts = {f"train{n}.py": f"import x{n}\n{PARSER}" for n in range(count)}
        solver = evaluator_for(texts).solver
        loaded = [solver.project.load(path) for path in sorted(solver.project.files)]
        parsing = [
            Namespace(call) for facts in loaded if facts for call in facts.calls["parse_args"]
        ]

        def ask() -> None:
            for namespace in parsing:
                (option,) = argparsing.options(solver, namespace, "num_workers")
                assert option.scope.module is namespace.call.scope.module

        assert len(parsing) == count
        return calls_in(ask)

    few, many = asked(10), asked(80)
    assert many < 10 * few


def _in_runs(tmp_path: Path, script: str, name: str, parser: str = PARSER) -> set[str]:
    files = {"train.py": f"{parser}\nreveal(args.{name})", "run.sh": script}
    return evaluated(files, tmp_path)[0]


RUNS = {
    "nothing of it": ("python train.py --data x", "num_workers", {"~4"}),
    "a word": ("python train.py --num-workers 2", "num_workers", {"~4", "~2"}),
    "the short flag": ("python train.py -j 2", "num_workers", {"~4", "~2"}),
    "two runs": (
        "python train.py -j 2\npython train.py -j 3\n",
        "num_workers",
        {"~4", "~2", "~3"},
    ),
    "a variable": ("python train.py -j $N", "num_workers", {"~4", "?"}),
    "no number": ("python train.py -j many", "num_workers", {"~4", "?"}),
    "a flag": ("python train.py --pin-memory", "pin_memory", {"~False", "~True"}),
    "a flag without a word": ("python train.py --no-persistent", "persistent", {"~True", "~False"}),
    "a number with a point": (
        "python train.py --prefetch-factor 2.5",
        "prefetch_factor",
        {"~None", "~2.5"},
    ),
    "a text": ("python train.py --data there", "data", {"~'here'"}),
    "another script": ("python other.py -j 2", "num_workers", {"~4"}),
    "as a module": ("python -m train -j 2", "num_workers", {"~4", "~2"}),
    "by torchrun": ("torchrun --nproc_per_node 2 train.py -j 2", "num_workers", {"~4", "~2"}),
}


@pytest.mark.parametrize(("script", "name", "expected"), RUNS.values(), ids=RUNS)
def test_what_runs_give_to_options(
    tmp_path: Path, script: str, name: str, expected: set[str]
) -> None:
    assert _in_runs(tmp_path, script, name) == expected


UNCERTAIN = {
    "words that are given": ("args = parser.parse_args()", "args = parser.parse_args(words)"),
    "a list": ("args = parser.parse_args()", "args = parser.parse_args(['-j', '1'])"),
    "subcommands": ("args =", "sub = parser.add_subparsers()\nargs ="),
    "another type": ("type=int", "type=count"),
    "several words": ("type=int", "nargs=2"),
    "another action": ("type=int", "action=Own"),
}


@pytest.mark.parametrize(("old", "new"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_a_parser_makes_of_words_may_be_unknown(tmp_path: Path, old: str, new: str) -> None:
    parser = PARSER.replace(old, new, 1)
    assert "~2" not in _in_runs(tmp_path, "python train.py -j 2", "num_workers", parser)


def test_a_main_without_words_reads_the_command_line(tmp_path: Path) -> None:
    text = """
        import argparse
        def main(argv=None):
            parser = argparse.ArgumentParser()
            parser.add_argument("--num-workers", type=int, default=4)
            args = parser.parse_args(argv)
            reveal(args.num_workers)
    """
    files = {"train.py": text, "run.sh": "python train.py --num-workers 2"}
    assert evaluated(files, tmp_path) == [{"~4", "~2"}]


def test_a_script_is_found_from_the_folder_of_the_shell_script_on(tmp_path: Path) -> None:
    text = f"{PARSER}\nreveal(args.num_workers)"
    near = {"tool/train.py": text, "tool/scripts/run.sh": "python train.py -j 2"}
    assert evaluated(near, tmp_path / "near") == [{"~4", "~2"}]
    only = {"src/deep/train.py": text, "run.sh": "python deep/train.py -j 2"}
    assert evaluated(only, tmp_path / "only") == [{"~4", "~2"}]
    two = {"a/train.py": text, "b/train.py": text, "run.sh": "python train.py -j 2"}
    assert evaluated(two, tmp_path / "two") == [{"~4"}, {"~4"}]


def test_a_parser_in_a_module_that_the_script_imports(tmp_path: Path) -> None:
    files = {
        "options.py": f"{PARSER}\nreveal(args.num_workers)",
        "train.py": "from options import args",
        "run.sh": "python train.py -j 2",
    }
    assert evaluated(files, tmp_path) == [{"~4", "~2"}]
    files["train.py"] = f"from options import args\n{PARSER}"
    assert evaluated(files, tmp_path) == [{"~4", "?"}]


def test_a_word_names_its_place(tmp_path: Path) -> None:
    files = {"train.py": f"{PARSER}\nreveal(args.num_workers)", "run.sh": "python train.py -j 2"}
    [values] = found(files, tmp_path)
    labels = {one.assumed for one in values}
    assert labels == {"default of option `--num-workers`", "value of `--num-workers` in run.sh"}


def test_which_modules_a_run_comes_to(tmp_path: Path) -> None:
    files = {
        "train.py": f"import lib\n{PARSER}\nreveal(args.num_workers)",
        "lib.py": "",
        "other.py": "",
        "run.sh": "python train.py -j 2",
    }
    evaluator = evaluator_for(files, tmp_path)
    [call] = questions(evaluator)
    values = evaluator.of(call.arguments[0].value, evaluator.solver.root(call.scope))
    [stated] = [one.source for one in values if isinstance(one.source, Stated)]
    runs = evaluator.solver[ShellRuns]
    reached = {name: runs.runs(stated, str(tmp_path / name)) for name in ("lib.py", "other.py")}
    assert reached == {"lib.py": True, "other.py": False}


def test_the_text_of_a_script_is_searched_once_for_all_modules_that_parse() -> None:
    modules = {f"m{n}.py": PARSER for n in range(9)}
    project = project_of({"train.py": "".join(f"import {name[:-3]}\n" for name in modules)})
    read: list[str] = []
    texts = {"/p/train.py": project.text("/p/train.py"), **{f"/p/{name}": b"" for name in modules}}

    def text(path: str) -> bytes:
        read.append(path)
        return texts[path]

    runs = ShellRuns(solver_of(Project(frozenset(texts), lambda _: None, text)))
    reached = [module for module in sorted(texts) if runs._comes_to("/p/train.py", module)]
    assert reached == sorted(texts)
    assert read.count("/p/train.py") <= 3
