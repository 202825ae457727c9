"""Projects that are edited: after each edit, what is kept changes nothing that is told.

`changed_by_keeping` makes one sequence of edits; `python -m tests.engine.kept` makes many, of
generated projects or of a copy of a real one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Outcome, Request
from dlint.workspace.errors import DlintCrash
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources
from tests.fuzz.choices import Choices
from tests.fuzz.mutations import mutated
from tests.fuzz.programs import program

ALL = frozenset(rule_docs.summaries())
FEW = frozenset(sorted(ALL)[::3])
_TEST = """
from torch.utils.data import DataLoader, RandomSampler
from lib.data import rows

DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)
"""
_LOOP = """
from torch.utils.data import DataLoader

for x in DataLoader([1], num_workers=2):
    x.cuda()  # dlint: ignore[missing-pin-memory]
"""
_TEXTS = {
    "requirements.txt": ("torch==1.8\n", "torch>=2.4\nnumpy\n", ""),
    "README.md": ("# A\n\nTested with Python 3.8 and PyTorch 1.9.\n", "pip install torch\n"),
    "Dockerfile": ("FROM python:3.9\n", "FROM pytorch/pytorch:2.1.0\n"),
    "setup.py": ("from setuptools import setup\nsetup(name='a', python_requires='>=3.8')\n",),
    "conf/train.yaml": (
        "_target_: torch.utils.data.DataLoader\nnum_workers: 0\npin_memory: true\n",
        "_target_: torch.utils.data.DataLoader\nnum_workers: 2\nprefetch_factor: 4\n",
    ),
    "run.sh": ("python main.py --workers 0\n", "torchrun --nproc_per_node 4 main.py\n"),
    "lib/data.py": (
        "from torch.utils.data import DataLoader\n\ndef loader(x):\n    return DataLoader(x)\n",
        "rows = []\n",
        "import torch\nx = = 1\n",
    ),
    "use.py": (
        "from lib.data import loader\nimport torch\n\nfor x in loader([1]):\n    x.cuda()\n",
        "from main import *\n",
    ),
    "tests/test_use.py": (_TEST,),
    "apart/train.py": (_LOOP, "import torch\n\ntorch.cuda.set_device(0)\n"),
}
_NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "metadata": {},
            "source": "from lib.data import loader\nfor x in loader([1]):\n    x.cuda()\n",
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
Edit = Callable[[Path, Choices], str]


def made(folder: Path, choices: Choices) -> None:
    """Write a project of a generated program, and of others around it."""
    texts = {name: choices.one_of(given) for name, given in _TEXTS.items()}
    texts["note.ipynb"] = json.dumps(_NOTEBOOK)
    for name, text in {**texts, **program(choices)}.items():
        _write(folder / name, text)


def changed_by_keeping(folder: Path, caches: Path, choices: Choices, steps: int) -> Iterator[str]:
    """Edits of the project in a folder after which a run that keeps answers tells other things."""
    history: list[dict[Path, bytes]] = []
    for number in range(steps):
        history.append(_snapshot(folder))
        edit = "nothing" if not number else _edited(folder, choices, history)
        files = _files(folder)
        reported = files if choices.number(0, 2) else files[:: choices.number(1, 3)]
        rules = ALL if choices.number(0, 3) else FEW
        alone = told(Request(folder, files, frozenset(reported), rules))
        kept = Request(
            folder,
            files,
            frozenset(reported),
            rules,
            cache_dir=caches / "indexes",
            answers_dir=caches / "answers",
        )
        if told(kept) != alone or told(kept) != alone:
            yield f"step {number}: {edit}"


def told(request: Request) -> list[object]:
    """All that is told of a run, in an order of its own."""
    try:
        outcome: Outcome = analyse(request, Sources())
    except DlintCrash as crash:
        return [crash.path, repr(crash.__cause__)]
    crashes = sorted((crash.rule or "", repr(crash.__cause__)) for crash in outcome.crashes)
    found = sorted(outcome.diagnostics, key=lambda d: (d.place, d.code, d.message))
    return [found, sorted(outcome.warnings), sorted(outcome.notes), sorted(outcome.silent), crashes]


def _files(folder: Path) -> list[str]:
    paths = (Path(top, name) for top, _, names in os.walk(folder) for name in names)
    return sorted(str(path) for path in paths if path.suffix in suffixes())


def _snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", "surrogateescape", newline="")


def _edited(folder: Path, choices: Choices, history: list[dict[Path, bytes]]) -> str:
    """One edit made, and named."""
    if choices.number(0, 5) == 0:
        past = choices.one_of(history)
        shutil.rmtree(folder)
        for path, raw in past.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        return "back to an earlier state"
    edit = choices.one_of(
        (_other_text, _mutate, _line, _line, _line, _comment, _delete, _copy, _touch)
    )
    return edit(folder, choices)


def _other_text(folder: Path, choices: Choices) -> str:
    name = choices.one_of(sorted(_TEXTS))
    _write(folder / name, choices.one_of(_TEXTS[name]))
    return f"another {name}"


def _any_file(folder: Path, choices: Choices) -> Path:
    files = [path for path in _files(folder) if path.endswith(".py")]
    return Path(choices.one_of(files)) if files else folder / "new.py"


def _mutate(folder: Path, choices: Choices) -> str:
    path = _any_file(folder, choices)
    text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    _write(path, mutated(text, choices))
    return f"mutated {path.name}"


_STATEMENTS = (
    "a_name = 5",
    "print('some words')",
    "epoch = loader = None",
    "model = model.cuda()",
    "from torch.utils.data import DataLoader",
    "for batch in DataLoader([1], num_workers=4): print(batch)",
    "return",
    "raise ValueError(len(str(0)))",
    "self.workers = 0",
    "def step(x): return x.cuda()",
    "pass",
)
_VALUES = ("0", "1", "8", "True", "None", "'cuda'", "other")


def _line(folder: Path, choices: Choices) -> str:
    """One line of code is written, changed or taken away; a few tries for one that is Python."""
    path = _any_file(folder, choices)
    lines = path.read_text("utf-8", "surrogateescape").splitlines() if path.exists() else []
    for _ in range(5):
        changed = _other_line(lines, choices)
        with suppress(SyntaxError, ValueError):
            compile("\n".join(changed), str(path), "exec")
            lines = changed
            break
    _write(path, "\n".join(lines) + "\n")
    return f"a line of {path.name}"


def _other_line(lines: list[str], choices: Choices) -> list[str]:
    at = choices.number(0, max(0, len(lines) - 1))
    line = lines[at] if lines else ""
    indent = line[: len(line) - len(line.lstrip())]
    kind = choices.number(0, 3)
    if kind == 0:
        return [*lines[:at], *lines[at + 1 :]]
    if kind == 1:
        values = list(re.finditer(r"\b(\d+|True|False|None|[a-z_]+)\b(?=[,)\]]|$)", line))
        if values:
            value = choices.one_of(values)
            line = line[: value.start()] + choices.one_of(_VALUES) + line[value.end() :]
        return [*lines[:at], line, *lines[at + 1 :]]
    return [*lines[:at], indent + choices.one_of(_STATEMENTS), *lines[at:]]


def _comment(folder: Path, choices: Choices) -> str:
    path = _any_file(folder, choices)
    lines = path.read_text("utf-8", "surrogateescape").splitlines() if path.exists() else []
    text = choices.one_of(
        (
            "# cuda",
            "# DataLoader loader",
            "# FullyShardedDataParallel init_process_group",
            "# dlint: file-ignore[zero-workers]",
            "# a remark",
            "",
        )
    )
    lines.insert(choices.number(0, len(lines)), text)
    _write(path, "\n".join(lines) + "\n")
    return f"a comment in {path.name}"


def _delete(folder: Path, choices: Choices) -> str:
    path = _any_file(folder, choices)
    path.unlink(missing_ok=True)
    return f"without {path.name}"


def _copy(folder: Path, choices: Choices) -> str:
    path = _any_file(folder, choices)
    name = choices.one_of(("new.py", "lib/__init__.py", "apart/helpers.py", "tests/conftest.py"))
    _write(folder / name, path.read_text("utf-8", "surrogateescape") if path.exists() else "")
    return f"{path.name} copied to {name}"


def _touch(folder: Path, choices: Choices) -> str:
    path = _any_file(folder, choices)
    _write(path, path.read_text("utf-8", "surrogateescape") if path.exists() else "")
    return f"{path.name} written as it was"
