"""Versions in sentences, badges and commands."""

from __future__ import annotations

import pytest

from dlint.model.versions.version_files import PYTHON, TORCH
from dlint.model.versions.version_prose import said_of
from dlint.model.versions.version_specifiers import Admitted


def _torch(text: str) -> list[Admitted]:
    return [found for _, found in said_of(TORCH.word, text, TORCH.oldest, TORCH.newest)]


@pytest.mark.parametrize(
    ("text", "oldest", "newest"),
    [
        ("1. PyTorch 0.2.0", (0, 2), (0, 2)),
        ("64-bit Python 3.7 and PyTorch 1.7.1. See", (1, 7), (1, 7)),
        ("- [PyTorch](https://pytorch.org) 1.4", (1, 4), (1, 4)),
        ("`pytorch (version 1.1.0)`", (1, 1), (1, 1)),
        ("* **PyTorch** version: v1.2", (1, 2), (1, 2)),
        ("| PyTorch | 1.10.0 |", (1, 10), (1, 10)),
        ("Pytorch - 1.12.1", (1, 12), (1, 12)),
        ("pip install torch==1.8.1+cu111 torchvision", (1, 8), (1, 8)),
        ("conda install pytorch=0.4.1 torchvision=0.2.1", (0, 4), (0, 4)),
        ("Python version is 3.6.7, Pytorch is 1.4.0, and so on", (1, 4), (1, 4)),
        ("The PyTorch version is 1.4.0", (1, 4), (1, 4)),
        ("PyTorch 1.0+", (1, 0), None),
        ("PyTorch 1.3.1 or greater", (1, 3), None),
        ("PyTorch (1.0 or newer)", (1, 0), None),
        ("at least PyTorch 1.4", (1, 4), None),
        ("torch >= 1.5.1", (1, 5), None),
        ("PyTorch ≥ 1.6", (1, 6), None),
        ("PyTorch<2.0", None, (1, 99)),
        ("PyTorch 1.x", (1, 0), (1, 99)),
        ("PyTorch 1.x (worked at 1.4)", (1, 4), (1, 4)),
        ("PyTorch >= 1.0 (we used 1.5.1)", (1, 5), (1, 5)),
        ("PyTorch 1.2 (tested on Ubuntu 18.04)", (1, 2), (1, 2)),
        ("PyTorch 0.4/1.0", (0, 4), (1, 0)),
        ("PyTorch 1.0 to 1.4", (1, 0), (1, 4)),
        ("![](https://img.shields.io/badge/PyTorch-1.7.1-red)", (1, 7), (1, 7)),
        ("![](https://img.shields.io/badge/pytorch-%3E%3D1.4-red.svg)", (1, 4), None),
        ("环境要求：torch1.2以上版本", (1, 2), None),
    ],
)
def test_torch_is_spoken_of(
    text: str, oldest: tuple[int, int] | None, newest: tuple[int, int] | None
) -> None:
    assert _torch(text) == [Admitted(oldest, newest)]


@pytest.mark.parametrize(
    "text",
    [
        "PyTorch Lightning 1.5",
        "pytorch-lightning==1.5",
        "torch-geometric==2.1, torchvision 0.8",
        "PyTorch3D 0.5",
        "![](https://img.shields.io/badge/PyTorch-%23EE4C2C.svg?style=flat&logo=PyTorch)",
        "cu122torch2.1cxx11abi.whl",
        "PyTorch and CUDA 10.1",
        "PyTorch 7.0 GB",
    ],
)
def test_other_numbers_are_none_of_torch(text: str) -> None:
    assert _torch(text) == []


@pytest.mark.parametrize(
    ("text", "oldest", "newest"),
    [
        ("conda create -n x python=3.8 --yes", (3, 8), (3, 8)),
        ("tested with python 3.6, CUDA 10", (3, 6), (3, 6)),
        ("Python3.7.4", (3, 7), (3, 7)),
        ("Python 3.6+", (3, 6), None),
        ("![](https://img.shields.io/badge/python-3.6%2B-blue)", (3, 6), None),
        ("Python 2.7/3.5", (2, 7), (3, 5)),
    ],
)
def test_python_is_spoken_of(
    text: str, oldest: tuple[int, int], newest: tuple[int, int] | None
) -> None:
    found = list(said_of(PYTHON.word, text, PYTHON.oldest, PYTHON.newest))
    assert [admitted for _, admitted in found] == [Admitted(oldest, newest)]


@pytest.mark.parametrize("text", ["python3 train.py", "/usr/lib/python3.8/site-packages", "py38"])
def test_commands_and_paths_are_no_versions(text: str) -> None:
    assert list(said_of(PYTHON.word, text, PYTHON.oldest, PYTHON.newest)) == []


def test_a_place_is_that_of_the_name() -> None:
    text = "# Title\n\nNeeds PyTorch 1.7\n"
    assert [at for at, _ in said_of(TORCH.word, text, TORCH.oldest, TORCH.newest)] == [
        text.index("PyTorch")
    ]
