"""The sizes of arrays that expressions make, and the arithmetic of ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.arrays import Array, combined, either, scalar
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.volume.ranges import Range, exactly, joined, product, total

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import math
import cv2
import numpy as np
import torch
import torchvision
from PIL import Image
from torchvision import transforms
rows = 5
fixed = [1, 2]
filled = [1, 2]
taken = [1, 2]
def fill():
    filled.append(3)
    for row in fixed:
        taken.remove(row)
def f():
    found = [1]
    found.extend(fixed)
    return found
"""


def _asked(context: MakeProgram, text: str) -> tuple[DatasetSizes, AnalysisContext]:
    analysed = context(HEAD + text)
    return analysed[DatasetSizes], analysed


def _array(context: MakeProgram, text: str) -> str | None:
    sizes, analysed = _asked(context, text)
    scope = analysed.modules[0].module.body
    value = list(scope.bindings("x"))[-1].value
    found = sizes.sizes.array(value, analysed.solver.root(scope))
    if found is None:
        return None
    dims = "x".join(map(_dimension, found.dims))
    return f"{dims or '1'} {found.dtype}"


def _dimension(number: Range | None) -> str:
    if number is None:
        return "?"
    return f"{number.low:g}" if number.is_exact else f"({number.low:g}, {number.high:g})"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("torch.zeros(2, 3)", "2x3 float32"),
        ("torch.zeros((2, 3))", "2x3 float32"),
        ("torch.zeros(size=(2, 3))", "2x3 float32"),
        ("torch.zeros(*shape)", None),
        ("torch.zeros(unknown, 3)", "?x3 float32"),
        ("torch.full((4,), 1.0, dtype=torch.int16)", "4 int16"),
        ("torch.arange(rows)", "5 int64"),
        ("torch.arange(0, rows)", None),
        ("torch.eye(3)", "3x3 float32"),
        ("torch.linspace(0, 1, 50)", "50 float32"),
        ("np.zeros(7)", "7 float64"),
        ("np.zeros((7, 2), 'uint8')", "7x2 uint8"),
        ("np.random.randint(0, 9, size=(3, 4))", "3x4 int64"),
        ("np.random.normal(size=(3, 4))", "3x4 float64"),
        ("torch.zeros(2, 3, dtype=torch.bool)", "2x3 bool"),
        ("torch.randn(2, 3).double()", "2x3 float64"),
        ("torch.randn(2, 3).to(torch.float16)", "2x3 float16"),
        ("torch.randn(2, 3).to('cuda')", "2x3 float32"),
        ("np.zeros(3).astype(np.float32)", "3 float32"),
        ("torch.zeros(2, 3).view(3, 2)", "3x2 float32"),
        ("torch.zeros(2, 3).reshape(-1)", "6 float32"),
        ("torch.zeros(2, 3).flatten()", "6 float32"),
        ("torch.zeros(2, 3).permute(1, 0)", "3x2 float32"),
        ("torch.zeros(2, 3).permute(1, 5)", None),
        ("torch.zeros(2, 3).transpose(0, 1)", "3x2 float32"),
        ("torch.zeros(2, 3).t()", "3x2 float32"),
        ("torch.zeros(2, 3).unsqueeze(-1)", "2x3x1 float32"),
        ("torch.zeros(2, 3).unsqueeze(unknown)", None),
        ("torch.zeros(2, 3).sum()", None),
        ("torch.zeros(2, 3)[0]", "3 float32"),
        ("torch.zeros(2, 3)[0, 1]", "1 float32"),
        ("torch.zeros(2, 3) * 2", "2x3 float32"),
        ("torch.zeros(2, 3) + torch.zeros(2, 3)", "2x3 float32"),
        ("-torch.zeros(2)", "2 float32"),
        ("torch.zeros(2).item()", "1 float64"),
        ("torch.zeros(2, dtype=torch.long).item()", "1 int64"),
        ("torch.tensor([1, 2, 3])", "3 int64"),
        ("torch.tensor([0.5, 2, 3])", "3 float32"),
        ("torch.tensor(0.5)", "1 float32"),
        ("np.array([0.5, 2, 3])", "3 float64"),
        ("torch.tensor([[1, 2] for _ in range(4)])", None),
        ("np.array([float(r) for r in range(4)])", "4 float64"),
        ("torch.tensor([float(r) for r in range(4) if r])", "? float32"),
        ("torch.zeros_like(torch.zeros(2, 3))", "2x3 float32"),
        ("torch.from_numpy(np.zeros(3))", "3 float64"),
        ("transforms.ToTensor()(cv2.imread(path))", "3x?x? float32"),
        ("transforms.CenterCrop((4, 6))(Image.open(path).convert('L'))", "1x4x6 uint8"),
        ("transforms.ToTensor()(unknown)", None),
        ("transforms.ToTensor()()", None),
        ("Image.open(path).convert('XYZ')", None),
        ("torchvision.io.read_image(path)", "?x?x? uint8"),
        ("torch.zeros(2) if unknown else torch.zeros(4)", "(2, 4) float32"),
        ("torch.zeros(2) if unknown else np.zeros(2)", None),
        ("unknown(torch.zeros(2))", None),
        ("len([1, 2])", "1 int64"),
        ("int('3')", "1 int64"),
        ("None", None),
    ],
)
def test_arrays(context: MakeProgram, value: str, expected: str | None) -> None:
    assert _array(context, f"x = {value}") == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("0:1", "1x8 float32"),
        (":rows", "5x8 float32"),
        ("rows:", "15x8 float32"),
        ("rows:7", "2x8 float32"),
        ("7:rows", "0x8 float32"),
        (":100", "20x8 float32"),
        ("100:", "0x8 float32"),
        ("-3:", "3x8 float32"),
        (":-3", "17x8 float32"),
        ("-100:-18", "2x8 float32"),
        ("::3", "7x8 float32"),
        ("1:6:2", "3x8 float32"),
        ("::-1", "20x8 float32"),
        ("6:1:-1", "?x8 float32"),
        (":unknown", "?x8 float32"),
        ("unknown:", "?x8 float32"),
        ("::unknown", "?x8 float32"),
        (":int(0.75 * 20)", "15x8 float32"),
        (":rows if unknown else 9", "(5, 9)x8 float32"),
        (":, :3", "20x3 float32"),
        (":, 0", "20 float32"),
        ("2, :3", "3 float32"),
        ("None, 2:4", "1x2x8 float32"),
        (":, None", "20x1x8 float32"),
        ("0, 0, 0", None),
        ("0, unknown", None),
        ("..., 0", None),
        ("-1", "8 float32"),
        ("unknown", None),
        ("True", None),
        ("torch.zeros(4, 2)", None),
        ("torch.randint(0, 20, (6,))", "6x8 float32"),
        ("torch.randint(0, 20, (6, 2))", "6x2x8 float32"),
        ("torch.randperm(20)[:rows]", "5x8 float32"),
        ("[1, 2, 4]", "3x8 float32"),
        ("list(range(rows))", "5x8 float32"),
        ("torch.zeros(20, dtype=torch.bool)", "?x8 float32"),
        ("torch.zeros(20, 8, dtype=torch.bool)", "? float32"),
        ("torch.zeros(20) > 1", None),
        ("[r for r in range(20) if r > 3]", None),
        ("number(rows)", "8 float32"),
        ("[i for i in range(9)][2]", "8 float32"),
    ],
)
def test_what_an_index_takes_out(context: MakeProgram, index: str, expected: str | None) -> None:
    text = (
        f"def number(n):\n    return len([n]) - n\nwhole = torch.zeros(20, 8)\nx = whole[{index}]"
    )
    assert _array(context, text) == expected


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for i in range(20)", "8 float32"),
        ("for i, _ in enumerate(unknown)", "8 float32"),
        ("for i in torch.randperm(20)", "8 float32"),
        ("for i in unknown", None),
        ("for _, i in enumerate(unknown)", None),
    ],
)
def test_an_index_that_a_loop_gives(context: MakeProgram, loop: str, expected: str | None) -> None:
    text = f"whole = torch.zeros(20, 8)\n{loop}:\n    x = whole[i]"
    assert _array(context, text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("torch.zeros(2, 3) + torch.zeros(3)", "2x3 float32"),
        ("torch.zeros(3) + torch.zeros(2, 3)", "2x3 float32"),
        ("torch.zeros(2, 1) * torch.zeros(1, 3)", "2x3 float32"),
        ("torch.zeros(2, 3) * torch.zeros(2)", None),
        ("torch.zeros(unknown, 3) - torch.zeros(2, 3)", "2x3 float32"),
        ("torch.zeros(unknown, 3) - torch.zeros(1, 3)", "?x3 float32"),
        ("torch.zeros(3, dtype=torch.int64) * torch.zeros(3)", "3 float32"),
        ("torch.zeros(3) * unknown", None),
        ("torch.zeros(20, 8) @ torch.zeros(8, 4)", "20x4 float32"),
        ("torch.zeros(20, 8) @ torch.zeros(8)", "20 float32"),
        ("torch.zeros(20, 8) @ torch.zeros(2, 8, 4)", None),
        ("[torch.zeros(4)] + [torch.zeros(4)]", None),
        ("[torch.zeros(4)] * 3", None),
        ("not torch.zeros(4)", None),
    ],
)
def test_arithmetic_of_arrays(context: MakeProgram, value: str, expected: str | None) -> None:
    assert _array(context, f"x = {value}") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("len([1, 2, 3][1:])", (2, 2)),
        ("len(list(range(9))[:rows])", (5, 5)),
        ("len(torch.randperm(9)[rows:])", (4, 4)),
        ("len(torch.utils.data.TensorDataset(torch.zeros(9))[:4])", None),
        ("len(torch.zeros(9, 2)[[1, 2]])", (2, 2)),
        ("3", (3, 3)),
        ("len(range(2, 9))", (7, 7)),
        ("len(list(range(9)))", (9, 9)),
        ("math.ceil(7 / 2)", (4, 4)),
        ("math.floor(len([1, 2, 3]) / 2)", (1, 1)),
        ("torch.zeros(4, 6).shape[1]", (6, 6)),
        ("torch.zeros(4, 6).shape[-1]", (6, 6)),
        ("torch.zeros(4, 6).shape[2]", None),
        ("torch.zeros(4, 6).size(0)", (4, 4)),
        ("len([1] if unknown else [1, 2, 3])", (1, 3)),
        ("len([1]) + 2 * len([1, 2]) - 1", (4, 4)),
        ("len([1, 2, 3]) // 2", (1, 1)),
        ("len([1]) / 0", None),
        ("len([1]) ** 2", None),
        ("len([*unknown])", None),
        ("len([])", None),
        ("len(filled)", None),
        ("len(taken)", None),
        ("len(f())", None),
        ("len(fixed)", (2, 2)),
        ("len([r for r in range(3)])", (3, 3)),
        ("len([r for r in range(3) if r])", None),
        ("len(range(0, 9, 2))", None),
        ("len(unknown)", None),
        ("True", None),
        ("unknown", None),
    ],
)
def test_numbers(context: MakeProgram, value: str, expected: tuple[float, float] | None) -> None:
    sizes, analysed = _asked(context, f"x = {value}")
    scope = analysed.modules[0].module.body
    (definition,) = scope.bindings("x")
    found = sizes.sizes.number(definition.value, analysed.solver.root(scope))
    assert (None if found is None else (found.low, found.high)) == expected


def test_recursion_and_the_budget_end_a_question(
    context: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dlint.analyses.volume import sizes

    text = "def f(n):\n    return f(n)\nx = f(1)"
    assert _array(context, text) is None
    monkeypatch.setattr(sizes, "_MOST", 0)
    assert _array(context, "y = torch.zeros(2)\nx = y") is None


def test_ranges() -> None:
    one = Range(1, 2, ("a",))
    assert one + exactly(3) == Range(4, 5, ("a",))
    assert exactly(3) - one == Range(1, 2, ("a",))
    assert Range(-1, 2) * Range(3, 4) == Range(-4, 8)
    assert exactly(8) / Range(2, 4, ("b",)) == Range(2, 4, ("b",))
    assert exactly(8) / Range(-1, 1) is None
    assert one | Range(5, 6, ("b", "a")) == Range(1, 6, ("a", "b"))
    assert (Range(1.5, 2.5).floor(), Range(1.5, 2.5).ceil()) == (Range(1, 2), Range(2, 3))
    assert Range(-1, 2, ("a",)).at_least(0) == Range(0, 2, ("a",))
    assert one.at_most(Range(2, 9, ("b",))) == one
    assert Range(1, 4, ("a",)).at_most(Range(2, 9, ("b",))) == Range(1, 4, ("a", "b"))
    assert joined([]) is None
    assert joined([one, None]) is None
    assert joined([one]) == one
    assert product([exactly(2), None]) is None
    assert product([exactly(2), exactly(3)]) == exactly(6)
    assert total([exactly(2), exactly(3)]) == exactly(5)
    assert total([None]) is None


def test_sizes_of_arrays() -> None:
    array = Array((exactly(2), exactly(3)), "float32")
    assert array.size == exactly(24)
    assert Array((None,), "int8").size is None
    assert Array((), "int64").element is None
    assert scalar("str") is None
    assert either(array, array.of_type("float64")) is None
    assert either(array, Array((exactly(4), exactly(3)), "float32")) == Array(
        (Range(2, 4), exactly(3)), "float32"
    )
    assert combined(Array((), "int64"), array) == array
    assert Array((None, exactly(2)), "int8").reshaped([exactly(-1)]).dims == (None,)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("x, y = make_moons(4097)", "4097x2 float64"),
        ("y, x = make_moons(n_samples=rows, noise=0.1)", "5 float64"),
        ("x, y = make_blobs(9, 3)", "9x3 float64"),
        ("x, y = make_classification()", "100x20 float64"),
        ("made = make_classification(8); x, y = made", "8x20 float64"),
        ("x, y = make_blobs(9, centers=made)", None),
        ("x, y = make_moons((5, 6))", "?x2 float64"),
        ("x, y = make_multilabel_classification(9)", None),
    ],
)
def test_samples_that_are_drawn(context: MakeProgram, bound: str, expected: str | None) -> None:
    """scikit-learn's functions give samples and their labels at once."""
    text = bound.replace("make_", "sklearn.datasets.make_")
    assert _array(context, f"import sklearn.datasets\n{text}") == expected
