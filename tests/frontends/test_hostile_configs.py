"""Configs that are made to take for ever: aliases of aliases, circles, very many tables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dlint.frontends.config_files import lower_config
from dlint.frontends.trees import tree_of
from dlint.model.versions.admitted import Versions
from dlint.workspace.source import Source
from tests.ends import comes_to_an_end


def _merging() -> str:
    lines = ["a0: &a0 {num_workers: 0, pin_memory: true}"]
    for level in range(1, 40):
        lines.append(f"a{level}: &a{level}")
        lines += [f"  k{level}_{n}: 1" for n in range(3)]
        lines.append(f"  <<: [{', '.join([f'*a{level - 1}'] * 12)}]")
    return "\n".join([*lines, "l: {_target_: torch.utils.data.DataLoader, <<: *a39}\n"])


def _doubled(head: str, part: str, last: str) -> str:
    lines = [head]
    for level in range(1, 30):
        inner = ", ".join(f"k{n}: *a{level - 1}" for n in range(9))
        lines.append(f"a{level}: &a{level} {{{part}{inner}}}")
    return "\n".join([*lines, last])


TARGET = "_target_: torch.utils.data.DataLoader, "
BOMBS = {
    "merge keys": _merging(),
    "aliases": _doubled("a0: &a0 {_target_: torch.utils.data.DataLoader}", "", "b: *a29\n"),
    "targets": _doubled(f"a0: &a0 {{{TARGET}num_workers: 0}}", TARGET, "b: *a29\n"),
    "pods": "apiVersion: v1\nkind: Pod\n"
    + _doubled("a0: &a0 {containers: [{command: [python, a.py]}]}", "", "spec: *a29\n"),
    "commands": "services:\n  x:\n    image: a\n    command: *a29\n"
    + _doubled("a0: &a0 [python, a.py]", "", ""),
    "a circle": "&a\n- *a\n",
    "a circle of keys": "a: &a\n  _target_: torch.utils.data.DataLoader\n  b: *a\n",
    "a circle of merges": "a: &a\n  <<: *a\n  _target_: torch.utils.data.DataLoader\n",
    "two circles": "a: &a\n  b: &b\n    c: *a\n    d: *b\n    _target_: x.DataLoader\n",
    "deep": "{a: " * 3_000 + "1" + "}" * 3_000,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=list(BOMBS))
def test_yaml_comes_to_an_end(text: str) -> None:
    with comes_to_an_end():
        lower_config(Source("/p/a.yaml", text))
        tree_of("/p/a.yaml", text)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"[t{number}]\na = 1\n" for number in range(20_000)),
        "".join(f"[[a.b]]\nc{number} = 1\n" for number in range(20_000)),
        "".join(f"a.b{number}.c = 1\n" for number in range(20_000)),
    ],
    ids=["tables", "lists of tables", "dotted keys"],
)
def test_toml_of_many_tables_comes_to_an_end(text: str) -> None:
    with comes_to_an_end():
        lower_config(Source("/p/a.toml", text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", f"torch>={'9' * 5_000}\n"),
        ("requirements.txt", f"torch<1.{'9' * 5_000}.{'1' * 5_000}\n"),
        ("requirements.txt", "torch" + " #" * 100_000 + "'\n"),
        ("requirements.txt", "\n" * 200_000 + "torch==1.0" + "," * 100_000),
        ("conda.yaml", f"dependencies:\n - pytorch={'8' * 5_000}.1\n"),
        ("requirements-\udcff.txt", "torch==1.0\n"),
        ("requirements²٣.txt", "torch==٣.²\ntorch==²\n"),
    ],
)
def test_odd_requirements_are_read(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    with comes_to_an_end():
        Versions().torch(str(tmp_path / "a.py"))
        Versions().python(str(tmp_path / "a.py"))


def test_what_is_no_file_declares_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements").mkdir()
    (tmp_path / "environment.yml").mkdir()
    os.mkfifo(tmp_path / "requirements.txt")
    Versions().torch(str(tmp_path / "a.py"))
