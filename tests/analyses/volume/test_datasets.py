from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.arrays import Array
from dlint.analyses.volume.datasets import DatasetSize
from tests.analyses.volume.sized import number_of, size_of

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


def _leaf(array: Array) -> str:
    dims = "x".join("?" if d is None else str(number_of(d)) for d in array.dims)
    return f"{dims or '1'} {array.dtype}"


def _sample(size: DatasetSize) -> list[str] | None:
    return None if size.sample is None else [_leaf(array) for array in size.sample]


@pytest.mark.parametrize(
    ("text", "length", "sample"),
    [
        ("data = MNIST('.')", 60_000, None),
        ("data = MNIST('.', train=False)", 10_000, None),
        ("data = MNIST('.', False)", 10_000, None),
        ("data = MNIST('.', unknown)", None, None),
        (
            "data = MNIST('.', transform=transforms.ToTensor())",
            60_000,
            ["1x28x28 float32", "1 int64"],
        ),
        (
            """
t = transforms.Compose([
    transforms.Resize(32), transforms.Grayscale(3), transforms.ToTensor(),
    transforms.Normalize(0, 1),
])
data = MNIST('.', True, t)
""",
            60_000,
            ["3x32x32 float32", "1 int64"],
        ),
        (
            "data = CIFAR10('.', transform=v2.Compose([v2.ToImage(), v2.ToDtype(torch.float16)]))",
            50_000,
            ["3x32x32 float16", "1 int64"],
        ),
        (
            """
crop = transforms.RandomCrop(32, padding=4)
t = transforms.Compose([crop, transforms.Pad(2), transforms.PILToTensor()])
data = CIFAR10('.', transform=t)
""",
            50_000,
            ["3x36x36 uint8", "1 int64"],
        ),
        (
            """
t = transforms.Compose([transforms.RandomRotation(10), transforms.ToTensor()])
data = MNIST('.', transform=t)
""",
            60_000,
            ["1x28x28 float32", "1 int64"],
        ),
        (
            """
t = transforms.Compose([transforms.RandomRotation(10, expand=True), transforms.ToTensor()])
data = MNIST('.', transform=t)
""",
            60_000,
            None,
        ),
        ("data = datasets.SVHN('.', split='extra')", 531_131, None),
        (
            "data = datasets.STL10('.', 'unlabeled', transform=transforms.ToTensor())",
            100_000,
            ["3x96x96 float32", "1 int64"],
        ),
        (
            "data = datasets.EuroSAT('.', transforms.ToTensor())",
            27_000,
            ["3x64x64 float32", "1 int64"],
        ),
        (
            """
t = transforms.Compose([
    transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()
])
data = datasets.ImageNet('.', 'val', transform=t)
""",
            50_000,
            ["3x224x224 float32", "1 int64"],
        ),
        (
            """
t = [transforms.Resize((64, 48)), transforms.ToTensor()]
data = ImageFolder('.', transforms.Compose(t))
""",
            None,
            ["3x64x48 float32", "1 int64"],
        ),
        (
            """
t = [transforms.Resize(64), transforms.ToTensor()]
data = ImageFolder('.', transforms.Compose(t))
""",
            None,
            ["3x?x? float32", "1 int64"],
        ),
        ("data = MNIST('.', transform=transforms.Lambda(f))", 60_000, None),
        ("data = MNIST('.', transform=transforms.ToTensor(), target_transform=f)", 60_000, None),
        (
            "data = CIFAR10('.', transform=transforms.RandomApply([transforms.ToTensor()]))",
            50_000,
            ["3x32x32 float32", "1 int64"],
        ),
        ("data = datasets.FakeThing('.')", None, None),
    ],
)
def test_data_sets_of_torchvision(
    context: MakeProgram, text: str, length: object, sample: list[str] | None
) -> None:
    found = size_of(context, text)
    assert (number_of(found.length), _sample(found)) == (length, sample)


@pytest.mark.parametrize(
    ("text", "length", "sample"),
    [
        (
            "data = TensorDataset(torch.randn(500, 8), torch.zeros(500, dtype=torch.long))",
            500,
            ["8 float32", "1 int64"],
        ),
        (
            "data = TensorDataset(torch.rand(100, 3, 8, 8), torch.randint(0, 9, (100,)))",
            100,
            ["3x8x8 float32", "1 int64"],
        ),
        (
            "n = 70\ndata = TensorDataset(torch.from_numpy(np.random.rand(n, 4)).float())",
            70,
            ["4 float32"],
        ),
        ("data = TensorDataset(torch.ones((10, 2)).view(5, -1), unknown)", 5, None),
        ("data = Subset(MNIST('.'), range(1000))", 1000, None),
        ("data = Subset(MNIST('.'), list(range(10, 30)))", 20, None),
        ("data = Subset(MNIST('.'), [1, 2, 3])", 3, None),
        ("data = Subset(MNIST('.'), torch.arange(40))", 40, None),
        ("data = ConcatDataset([MNIST('.'), MNIST('.', False)])", 70_000, None),
        ("data = ConcatDataset(unknown)", None, None),
        ("x = torch.randn(50, 8)\ndata = TensorDataset(x[: 30], unknown)", 30, None),
        ("x = torch.randn(50, 8)\ndata = TensorDataset(x[unknown])", None, None),
        (
            "def pick(x, i): return x[i]\ndata = TensorDataset(pick(torch.ones(9, 4), u))",
            None,
            None,
        ),
        ("data = Subset(MNIST('.'), torch.randperm(60_000).tolist()[:500])", None, None),
        ("data = Subset(MNIST('.'), torch.randperm(60_000)[:500])", 500, None),
        ("data, rest = random_split(MNIST('.'), [50_000, 10_000])", 50_000, None),
        ("rest, data = random_split(MNIST('.'), [50_000, 10_000])", 10_000, None),
        ("data, rest = random_split(MNIST('.'), [0.9, 0.1])", 54_000, None),
        ("data = random_split(MNIST('.'), [50_000, 10_000])[1]", 10_000, None),
        ("data, rest = random_split(MNIST('.'), [1, 2])", 1, None),
        ("data, rest = random_split(MNIST('.'), [-1, 2])", None, None),
        ("data, rest = random_split(MNIST('.'), [unknown, 0.5])", None, None),
        ("data, rest = random_split(MNIST('.'), unknown)", None, None),
        (
            "full = MNIST('.')\nn = int(len(full) * 0.5)\ndata, _ = random_split(full, [n, n])",
            30_000,
            None,
        ),
        ("both = [MNIST('.'), MNIST('.', False)]\ndata = ConcatDataset(both)", 70_000, None),
        ("both = []\nboth.append(MNIST('.'))\ndata = ConcatDataset(both)", None, None),
        (
            "both = [MNIST('.')]\nfor x in u:\n    both.append(x)\ndata = ConcatDataset(both)",
            None,
            None,
        ),
        ("n = [9]\nn.append(8)\ndata, _ = random_split(MNIST('.'), n)", None, None),
        ("data = unknown", None, None),
        ("data = MNIST('.') if unknown else MNIST('.', False)", (10_000, 60_000), None),
    ],
)
def test_what_torch_makes_of_tensors_and_data_sets(
    context: MakeProgram, text: str, length: object, sample: list[str] | None
) -> None:
    found = size_of(context, text)
    assert (number_of(found.length), _sample(found)) == (length, sample)


CLASS = """
def decoded(path):
    return Image.open(path).convert("RGB")

class Base(Dataset):
    size = 7
    def __init__(self, rows, n=10, transform=None):
        self.rows = rows
        self.n = n
        self.transform = transform
        self.x = torch.randn(n, 4)
        self.many = [f(r) for r in range(n)]
        self.grown = [torch.zeros(2)]
        for row in rows:
            self.grown.append(row)
        self.later = torch.zeros(4, 2)
        self.filled = torch.zeros(4, 3)
        for i in range(4):
            self.filled[i] = torch.ones(3)
    def load(self):
        self.later = torch.zeros(9, 2)

class Rows(Base):
    @property
    def count(self):
        return self.n
    def __len__(self):
        return {length}
    def __getitem__(self, index):
        {body}

data = Rows({given})
"""
CROP = "transforms.Compose([transforms.CenterCrop(8), transforms.ToTensor()])"


@pytest.mark.parametrize(
    ("length", "body", "given", "expected"),
    [
        ("1000", "return torch.zeros(3)", "[]", (1000, ["3 float32"])),
        (
            "self.n",
            "return self.x[index], int(index % 2)",
            "[], 30",
            (30, ["4 float32", "1 int64"]),
        ),
        (
            "self.count",
            "return {'x': self.x[index], 'y': 0.5}",
            "[]",
            (10, ["4 float32", "1 float64"]),
        ),
        ("len(self.x)", "return 'text', True", "[], n=5", (5, ["1 bool"])),
        (
            "len(self.many)",
            "return np.zeros((2, 2), dtype=np.uint8)",
            "[], n=5",
            (5, ["2x2 uint8"]),
        ),
        ("len(self.rows)", "return self.rows[index]", "[1, 2, 3]", (3, None)),
        (
            "self.size",
            "return self.transform(decoded(self.rows[index]))",
            f"[], 1, {CROP}",
            (7, ["3x8x8 float32"]),
        ),
        (
            "self.x.shape[0]",
            "return self.x[index].unsqueeze(0).half()",
            "[]",
            (10, ["1x4 float16"]),
        ),
        ("self.x.size(0)", "return torch.stack(self.x)", "[]", (10, None)),
        (
            "len(self.rows) // 2",
            "return torch.tensor([1.0, 2.0, 3.0])",
            "range(10)",
            (5, ["3 float32"]),
        ),
        ("2 * self.n + 1", "return torch.FloatTensor([1, 2])", "[]", (21, ["2 float32"])),
        ("1", "return torch.FloatTensor(3, 24, 8, 8)", "[]", (1, ["3x24x8x8 float32"])),
        ("1", "return torch.LongTensor(self.n)", "[]", (1, ["10 int64"])),
        ("1", "return torch.FloatTensor(unknown(), 2)", "[]", (1, ["?x2 float32"])),
        ("1", "return torch.FloatTensor(unknown())", "[]", (1, None)),
        ("1", "return torch.ByteTensor(self.x[index])", "[]", (1, ["4 uint8"])),
        ("self.n - 1", "return self.x[index] * 2 + 1", "[]", (9, ["4 float32"])),
        ("1", "return self.x[self.rows[index + 1]]", "unknown", (1, ["4 float32"])),
        ("1", "return self.x[self.rows]", "unknown", (1, None)),
        ("1", "return self.x[index, :2]", "unknown", (1, ["2 float32"])),
        ("1", "return self.x[index : index + 3]", "unknown", (1, ["?x4 float32"])),
        ("int(self.n / 4)", "return self.x[index].permute(0)", "[]", (2, ["4 float32"])),
        ("unknown()", "yield 1", "[]", (None, None)),
        ("len(self.grown)", "return self.grown[index]", "[]", (None, None)),
        ("len(self.later)", "return self.later[index]", "[]", (None, None)),
        ("len(self.filled)", "return self.filled[index]", "[]", (4, ["3 float32"])),
        ("len(self.rows)", "return self.rows[index]", "MNIST('.')", (60_000, None)),
    ],
)
def test_classes_of_the_project(
    context: MakeProgram,
    length: str,
    body: str,
    given: str,
    expected: tuple[object, list[str] | None],
) -> None:
    found = size_of(context, CLASS.format(length=length, body=body, given=given))
    assert (number_of(found.length), _sample(found)) == expected


def test_what_holds_by_default_is_named(context: MakeProgram) -> None:
    text = """
def make(n=100):
    return TensorDataset(torch.zeros(n, 2))
data = make()
"""
    found = size_of(context, text)
    assert found.length is not None
    assert found.length.assumed == ("default of parameter `n`",)
