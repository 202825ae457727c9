"""Notebooks as Jupyter, Colab and others write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

Write = Callable[..., str]
LINES = "lines"


def cell(source: str, kind: str = "code", split: bool = True) -> dict[str, Any]:
    """One cell; its source as a list of lines, or as one text."""
    lines: Any = source.splitlines(keepends=True) if split else source
    if kind != "code":
        return {"cell_type": kind, "metadata": {}, "source": lines}
    return {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {"scrolled": True},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": ["source: [\n", "é\n"]}],
        "source": lines,
    }


def notebook(cells: Sequence[dict[str, Any]], **members: Any) -> dict[str, Any]:
    """A notebook of version 4."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    base = {"metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 2}
    return {"cells": list(cells), **base, **members}


@pytest.fixture
def written() -> Write:
    """The text of a notebook of code cells, as Jupyter writes it."""

    def write(*sources: str, split: bool = True, **members: Any) -> str:
        cells = [cell(source, split=split) for source in sources]
        content = notebook(cells, **members)
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    return write
