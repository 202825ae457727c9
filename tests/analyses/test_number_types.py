"""Which type the numbers of a value have."""

from __future__ import annotations

import pytest

from dlint.analyses.number_types import number_type
from tests.analyses.control.programs import MakeProgram, function

BEFORE = """
import numpy as np
from PIL import Image
from torchvision import transforms
SCALED = transforms.Compose([transforms.Resize(8), transforms.ToTensor()])
TURNED = transforms.RandomHorizontalFlip()
OWN = transforms.Compose([transforms.ToTensor(), lambda x: x.double()])
"""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("x = torch.tensor(data, dtype=torch.float)", "float32"),
        ("x = torch.tensor(data, dtype=float)", "float64"),
        ("x = torch.tensor(data)", None),
        ("x = torch.tensor([1.0, 2.0])", None),
        ("x = torch.zeros(3)", "float32"),
        ("x = np.zeros(3)", "float64"),
        ("x = torch.from_numpy(data.values.astype('float32'))", "float32"),
        ("x = torch.from_numpy(data.astype(float))", "float64"),
        ("x = torch.from_numpy(data.astype(np.float32)).permute(2, 0, 1)", "float32"),
        ("x = torch.from_numpy(data.astype(np.float32)) / 255", None),
        ("x = data.to(torch.int64)", "int64"),
        ("x = data.to('cuda')", None),
        ("x = data.long()", "int64"),
        ("x = torch.FloatTensor(data) if test else torch.zeros(3)", "float32"),
        ("x = torch.FloatTensor(data) if test else torch.LongTensor(data)", None),
        ("x = SCALED(Image.open(data).convert('RGB'))", "float32"),
        ("x = Image.open(data)\nif test:\n    x = SCALED(x)", "float32"),
        ("x = SCALED(TURNED(Image.open(data)))", "float32"),
        ("x = Image.open(data)", None),
        ("x = SCALED(np.load(data))", None),
        ("x = OWN(Image.open(data))", None),
    ],
)
def test_the_type_of_a_value(context: MakeProgram, body: str, kind: str | None) -> None:
    analysed, scope = function(context, f"{body}\nreturn x", BEFORE)
    assert number_type(analysed, scope.returns[0], analysed.solver.root(scope)) == kind
