"""Attributes that data sets read, and that nothing writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.data.missing_attributes import missing_attributes

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

ROWS = """
from torch.utils.data import Dataset
{before}
class Rows({base}):
    {body}

    def __init__(self, rows, other=None):
        self.rows = rows
        {init}

    def __len__(self):
        {length}

    def __getitem__(self, index):
        {item}

{after}
"""


def _found(context: MakeProgram, **parts: str) -> list[tuple[str, str, str | None]]:
    usual = {
        "before": "",
        "base": "Dataset",
        "body": "size = 3",
        "init": "pass",
        "length": "return len(self.rows)",
        "item": "return self.rows[index]",
        "after": "data = Rows([1])",
    }
    analysed = context(ROWS.format(**usual | parts))
    return [(m.method, m.name, m.meant) for m in missing_attributes(analysed)]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({}, []),
        ({"length": "return len(self.row)"}, [("__len__", "row", "rows")]),
        ({"item": "return self.images[index]"}, [("__getitem__", "images", None)]),
        ({"item": "return self.images(index), self.images"}, [("__getitem__", "images", None)]),
        ({"item": "return self.convert(self.rows[index])"}, []),
        (
            {"item": "return self._lode(index)", "body": "def _load(self, i): return i"},
            [("__getitem__", "_lode", "_load")],
        ),
        ({"length": "return len(self.row) if self.rows else 0"}, []),
        ({"length": "return len(self.rows) if self.row else 0"}, [("__len__", "row", "rows")]),
        ({"item": "return self.rows and self.row"}, []),
        ({"item": "return [self.row for _ in ()]"}, []),
        (
            {"item": "try:\n            return self.row\n        except AttributeError: pass"},
            [],
        ),
        ({"item": "if index:\n            return self.row\n        return 1"}, []),
    ],
)
def test_reads(
    context: MakeProgram, parts: dict[str, str], found: list[tuple[str, str, str | None]]
) -> None:
    assert _found(context, **parts) == found


@pytest.mark.parametrize(
    "parts",
    [
        {"init": "self.row, *self.rest = rows"},
        {"init": "(self.row, self.b), c = rows"},
        {"init": "with open(rows) as self.row: pass"},
        {"init": "for self.row in rows: pass"},
        {"init": "self.row: int = 3"},
        {"init": "setattr(self, other, rows)"},
        {"init": "self.__dict__.update(other)"},
        {"body": "row = 3"},
        {"body": "def row(self): pass"},
        {"body": "def __getattr__(self, name): pass"},
        {"body": "def later(self): self.row = 3"},
        {"after": "data = Rows([1])\ndata.row = 3"},
        {"after": "class Sub(Rows):\n    row = 1\nSub([1])"},
        {"after": ""},
        {"before": "from mine import Base", "base": "Base"},
        {"before": "class Base(Dataset):\n    row = 3", "base": "Base"},
        {"before": "from mine import fill\n@fill"},
    ],
)
def test_what_may_have_it(context: MakeProgram, parts: dict[str, str]) -> None:
    assert _found(context, **{"item": "return self.row"} | parts) == []


def test_a_class_whose_constructor_is_not_shown(context: MakeProgram) -> None:
    shown = """
from torch.utils.data import Dataset

class Rows(Dataset):
    def __len__(self):
        return len(self.rows)

data = Rows()
"""
    assert list(missing_attributes(context(shown))) == []
