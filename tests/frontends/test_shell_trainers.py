"""Fixes in shell scripts, and the arguments of transformers' trainer there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlint.findings.diagnostic import Applicability
from dlint.findings.edits import apply_edits
from dlint.findings.operations import ReplaceExpression, SetKey
from dlint.findings.places import Place
from dlint.fixes.apply import fix_all
from dlint.fixes.shell_values import lower_shell
from dlint.frontends.shell import started
from dlint.workspace import scan
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source
from tests.frontends.made import check, written

# -- TrainingArguments

TRAINER = """
    from transformers import HfArgumentParser, Trainer, TrainingArguments

    parser = HfArgumentParser((TrainingArguments,))
    (arguments,) = parser.parse_args_into_dataclasses()
    Trainer(args=arguments).train()
"""
RUN = "torchrun run.py --output_dir out --max_steps 5 {0} --bf16 True  # keep\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "--dataloader_num_workers 0 --dataloader_persistent_workers True",
            "--dataloader_num_workers 0 --dataloader_persistent_workers False",
        ),
        (
            '--dataloader_num_workers=0 --dataloader_persistent_workers="true"',
            '--dataloader_num_workers=0 --dataloader_persistent_workers="false"',
        ),
    ],
)
def test_a_fix_changes_one_word(tmp_path: Path, before: str, after: str) -> None:
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(before)})
    fixed = fix_all(lambda s: check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert fixed.texts == {str(tmp_path / "run.sh"): RUN.format(after)}


def test_a_flag_alone_is_left_to_the_user(tmp_path: Path) -> None:
    flags = "--dataloader_num_workers 0 --dataloader_persistent_workers"
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(flags)})
    assert "invalid-loader-arguments" in {d.name for d in check(tmp_path)}
    fixed = fix_all(lambda s: check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert fixed.texts == {}


def test_the_script_must_read_a_trainers_arguments(tmp_path: Path) -> None:
    flags = "--dataloader_num_workers 0 --dataloader_persistent_workers True"
    written(tmp_path, {"run.py": "import argparse, torch\n", "run.sh": RUN.format(flags)})
    assert check(tmp_path) == []


@pytest.mark.parametrize(
    "script",
    [
        "YES=True\nN=0\n{0}--fp16 $YES {1} 0 {2} $YES",
        "YES=True\nN=0\n{0}{1}=$N {2} ${{YES}}",
        'YES=True\n{0}{1} 0 {2}="$YES"',
    ],
)
def test_a_fix_leaves_variables_alone(tmp_path: Path, script: str) -> None:
    start = "python run.py --output_dir out --max_steps 5 "
    flags = "--dataloader_num_workers", "--dataloader_persistent_workers"
    written(tmp_path, {"run.py": TRAINER, "run.sh": script.format(start, *flags)})
    assert "invalid-loader-arguments" in {d.name for d in check(tmp_path)}
    every = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    assert fix_all(lambda s: check(tmp_path, s), Sources(), every).texts == {}


@pytest.mark.parametrize("behind", ["$EXTRA", '"$@"', "$(cat more)"])
def test_a_trainer_that_is_given_more_is_not_known(tmp_path: Path, behind: str) -> None:
    flags = f"--dataloader_num_workers 0 --dataloader_persistent_workers True {behind}"
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(flags)})
    assert check(tmp_path) == []


def test_what_a_variable_started_is_not_known(tmp_path: Path) -> None:
    script = (
        'CMD="python run.py --output_dir out --max_steps 5"\n'
        "$CMD --dataloader_num_workers 4 --dataloader_persistent_workers True\n"
        "$CMD --dataloader_num_workers 0 --dataloader_persistent_workers True\n"
    )
    written(tmp_path, {"run.py": TRAINER, "run.sh": script})
    assert check(tmp_path) == []


def test_only_numbers_and_truth_values_are_written() -> None:
    source = Source("/a.sh", "python a.py -j 0 --b true --c $X --d 'a b'\n")

    def edited(old: str, text: str) -> list[str] | None:
        start = source.text.index(old)
        place = Place("/a.sh", start, start + len(old))
        edits = lower_shell(source, [ReplaceExpression(place, text)])
        return None if edits is None else [edit.text for edit in edits]

    assert edited("0", "4") == ["4"]
    assert edited("true", "False") == ["false"]
    assert edited("0", "None") is None
    assert edited("--b", "False") is None
    assert edited("$X", "3") is None
    assert lower_shell(source, [SetKey(Place("/a.sh", 0, 1), "a", "0")]) is None


WORDS = st.text(alphabet="ab=/-\"' $\\", min_size=1, max_size=8).map(shlex.quote)


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4), st.integers(0, 99))
def test_an_edit_changes_the_named_value_alone(
    before: list[str], after: list[str], number: int
) -> None:
    text = f"python a.py {' '.join(before)} \\\n  --workers={number} {' '.join(after)}  # end\n"
    (one,) = started(text)
    found = one.value(frozenset({"--workers"}))
    span = None if found is None or found[1] is None else found[1].span
    assert span is not None
    source = Source("/a.sh", text)
    (edit,) = lower_shell(source, [ReplaceExpression(Place("/a.sh", *span), "123")]) or ()
    (changed,) = started(apply_edits(text, [edit]))
    words = [word.text for word in one.given]
    words[words.index(f"--workers={number}")] = "--workers=123"
    assert [word.text for word in changed.given] == words
    assert apply_edits(text, [edit]).replace("=123 ", f"={number} ") == text


@pytest.mark.parametrize(
    ("text", "is_seed"),
    [
        (b"python train.py --num_workers 0", True),
        (b"ARGS='--dataloader-pin-memory False'\npython -m pkg.train $ARGS", True),
        (b"python main.py -j 8", True),
        (b"python train.py --lr 0.1", False),
        (b"ray start --num-workers 8", False),
        (b"docker run --rm image python train.py", True),
        (b"docker build --build-arg script=train.py .", False),
    ],
)
def test_which_scripts_are_read(text: bytes, is_seed: bool) -> None:
    assert scan.is_shell_seed(text) is is_seed
