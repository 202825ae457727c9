"""Which functions and classes of a notebook no cell comes to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import dlint

IMPORT = "from torch.utils.data import DataLoader\n"
FAULTY = f"{IMPORT}def faulty(data):\n    DataLoader(data, batch_size=-1)"
NOTED = FAULTY.replace("batch_size=-1", "worker_init_fn=print")
USED = "def used(): ..."
RUN = "used()"
METHOD = FAULTY.replace("def faulty(data):\n    ", "class Trainer:\n  def fit(self): ...\n  ")
METHOD = METHOD.replace("  DataLoader", "  def search(self, data):\n    DataLoader")


def _found(folder: Path, *cells: str, **others: Sequence[str]) -> list[str]:
    """How bad what is found is in a notebook of these cells, beside others by their names."""
    for name, sources in {"main": cells, **others}.items():
        made = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in sources
        ]
        document = {"cells": made, "metadata": {}, "nbformat": 4}
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.ipynb").write_text(json.dumps(document))
    settings = dlint.Settings(select=("invalid-loader-arguments",))
    found = dlint.check([folder], settings).findings
    return [one.severity for one in found]


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param((FAULTY, USED, RUN), id="no cell names it"),
        pytest.param((FAULTY, USED, f"{RUN}\n# faulty([1])"), id="in a comment"),
        pytest.param((FAULTY, USED, "def f():\n    faulty([1])", RUN), id="from such a one"),
        pytest.param((FAULTY, USED, RUN, "print('faulty rows')"), id="in prose"),
        pytest.param((FAULTY, "def faulty(data): ...", "faulty([1])"), id="defined anew"),
        pytest.param((FAULTY, "from other import faulty", USED, RUN, "faulty([1])"), id="imported"),
        pytest.param((FAULTY, USED, RUN, "'used' in globals()"), id="another is asked for"),
        pytest.param((FAULTY, USED, RUN, "eval(text, {'a': 1})"), id="evaluated apart"),
        pytest.param((FAULTY, "rows = read('a')\nshow(rows[0])"), id="cells that do other work"),
        pytest.param((FAULTY, "for row in read('a'):\n    print(row)"), id="cells with a loop"),
        pytest.param((METHOD, "t = Trainer()\nt.fit()\n# t.search([1])"), id="a method"),
    ],
)
def test_what_no_cell_comes_to_is_information(cells: Sequence[str], tmp_path: Path) -> None:
    assert _found(tmp_path, *cells) == ["info"]


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param((FAULTY, "faulty([1])"), id="called"),
        pytest.param((FAULTY, "def main():\n    faulty([1])", "main()"), id="through a function"),
        pytest.param((FAULTY, "faulty([1])", "def faulty(data): ...", "faulty([1])"), id="before"),
        pytest.param(
            (FAULTY, "class A:\n  def f(self): faulty([1])", "a = A()", "def faulty(x): ..."),
            id="an object outlives it",
        ),
        pytest.param((FAULTY, "if x:\n    def faulty(data): ...", "faulty([1])"), id="maybe anew"),
        pytest.param(("faulty([1])", FAULTY), id="the cells stand in another order"),
        pytest.param((FAULTY, "faulty = wrapped(faulty)", "faulty([1])"), id="bound to itself"),
        pytest.param((FAULTY, USED, RUN, "run('faulty')"), id="a text that is the name"),
        pytest.param((FAULTY, USED, RUN, "run('faulty([1])')"), id="a text that calls it"),
        pytest.param((FAULTY, USED, RUN, "%lprun -f faulty print()"), id="in a magic"),
        pytest.param((FAULTY, USED, RUN, "%timeit faulty([1])"), id="timed"),
        pytest.param((FAULTY, USED, RUN, "r = %timeit -o faulty([1])"), id="timed and kept"),
        pytest.param((FAULTY, USED, RUN, "%run other.py"), id="what is run may use it"),
        pytest.param((FAULTY, USED, RUN, "%%my_magic\nfaulty([1])"), id="another cell magic"),
        pytest.param((FAULTY, USED, RUN, "globals()[name]([1])"), id="looked up"),
        pytest.param((FAULTY, USED, RUN, "exec(text)"), id="any text is run"),
        pytest.param((f"#| export\n{FAULTY}", USED, RUN), id="exported"),
        pytest.param((FAULTY.replace("def f", "@app.add\ndef f"), USED, RUN), id="decorated"),
        pytest.param((FAULTY, USED), id="a library"),
        pytest.param((FAULTY, "size = 1\nseed(size)"), id="a library with settings"),
        pytest.param((FAULTY, "device = find()\nprint(device)"), id="a library that prints"),
        pytest.param((METHOD, "t = Trainer()\nt.search([1])"), id="a method"),
        pytest.param((METHOD, "t = Trainer()\ngetattr(t, name)([1])"), id="a method, looked up"),
        pytest.param((METHOD, "t = Trainer()", "%prun t.search([1])"), id="a method, in a magic"),
    ],
)
def test_what_a_cell_may_come_to_is_told(cells: Sequence[str], tmp_path: Path) -> None:
    assert _found(tmp_path, *cells) == ["error"]


def test_information_there_is_silent(tmp_path: Path) -> None:
    assert _found(tmp_path, NOTED, "faulty([1])") == ["info"]
    assert not _found(tmp_path, NOTED, USED, RUN)


@pytest.mark.parametrize("runs", ["%run main.ipynb", "%run ./main", "import import_ipynb, main"])
def test_another_notebook_may_run_it(runs: str, tmp_path: Path) -> None:
    cells = (FAULTY, USED, RUN)
    assert _found(tmp_path, *cells, other=["print('main')"]) == ["info"]
    assert _found(tmp_path, *cells, other=[runs]) == ["error"]
