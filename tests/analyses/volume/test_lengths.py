"""How many samples a data set has, by what one object of a class is given."""

from __future__ import annotations

import pytest

from dlint.analyses.volume.datasets import DatasetSizes
from tests.analyses.volume.sized import HEAD, number_of, size_of
from tests.conftest import MakeProgram

OWN = """
class Texts(Dataset):
    def __init__(self, texts, more=(1, 2)):
        self.texts = [text.lower() for text in texts]
        self.more = more
        {more}

    def __len__(self):
        return len(self.{counted})

    def __getitem__(self, index):
        return self.texts[index]

other = Texts(unknown())
"""


@pytest.mark.parametrize(
    ("made", "counted", "more", "length"),
    [
        ("data = Texts(['a'])", "texts", "", 1),
        ("data = Texts(texts=['a', 'b', 'c'])", "texts", "", 3),
        ("data = Texts(unknown())", "texts", "", None),
        ("data = Texts(['a', *unknown()])", "texts", "", None),
        ("def f(x): return Texts([x])\ndata = f(1)", "texts", "", 1),
        ("data = Texts(['a'])", "more", "", 2),
        ("data = Texts(['a'], [1, 2, 3])", "more", "", 3),
        ("data = Texts(['a'])", "texts", "self.texts.append(1)", None),
        ("class Own(Texts): ...\ndata = Own(['a'])", "texts", "", 1),
        ("data = Texts(['a']) if unknown() else Texts(['b'])", "texts", "", None),
    ],
)
def test_each_object_is_as_long_as_what_it_is_given(
    context: MakeProgram, made: str, counted: str, more: str, length: int | None
) -> None:
    """Whatever other objects of its class are given."""
    size = size_of(context, OWN.format(counted=counted, more=more) + made)
    assert number_of(size.length) == length


SHAPE = """
class Shape:
    def __init__(self, days=3):
        self.days = days
    @property
    def count(self):
        return 10 * self.days + 1
    def doubled(self):
        return 2
class Rows(Dataset):
    def __init__(self, shape):
        self.shape = shape
    def __len__(self):
        return self.shape.{name}
"""


@pytest.mark.parametrize(
    ("name", "made", "found"),
    [
        ("count", "Shape()", 31),
        ("count", "Shape(5)", 51),
        ("count", "Shape(unknown)", None),
        ("doubled", "Shape()", None),
        ("count", "Shape() if unknown else unknown", None),
    ],
)
def test_a_property_of_another_object(
    context: MakeProgram, name: str, made: str, found: int | None
) -> None:
    size = size_of(context, f"{SHAPE.format(name=name)}data = Rows({made})\n")
    assert number_of(size.length) == found


ROWS = """
class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("rows[:10]", (0, 10)),
        ("rows[5:10]", (0, 5)),
        ("rows[:n]", None),
        ("rows[-10:]", None),
        ("rows[:-10]", None),
        ("rows[::2]", None),
        ("[1, 2, 3, 4][:2]", 2),
        ("table['train'].shuffle(seed=1).select(range(8))", 8),
        ("table.select(some)", None),
        ("MNIST('.')[:10]", None),
    ],
)
def test_a_part_of_what_nobody_knows(context: MakeProgram, given: str, found: object) -> None:
    size = size_of(context, f"{ROWS}data = Rows({given})\n")
    assert number_of(size.length) == found


def test_a_name_of_the_module(context: MakeProgram) -> None:
    text = "rows = TensorDataset(torch.zeros(7, 2))\ndef f():\n    data = rows\n    return data\n"
    analysed = context(HEAD + text)
    (scope,) = (s for f in analysed.modules for s in f.module.scopes if s.name == "f")
    (definition,) = scope.bindings("data")
    size = analysed[DatasetSizes].of(definition.value, analysed.solver.root(scope))
    assert number_of(size.length) == 7
