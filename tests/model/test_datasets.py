from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.data.datasets import DatasetClass, Storage, dataset_classes

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import cv2, h5py, numpy as np, os, torch, torchaudio
from PIL import Image
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, random_split
"""
CLASS = """
class Rows(Dataset):
    def __init__(self, paths, keep=None):
        {body}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.x[index]
{more}

def make(paths):
    return DataLoader(Rows(paths), num_workers=2)
"""


def _of(context: MakeProgram, body: str, more: str = "", head: str = "") -> DatasetClass:
    text = CLASS.format(body=body.replace("\n", "\n" + " " * 8), more=more)
    (found,) = context(f"{HEAD}{head}\n{text}")[dataset_classes]
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Rows()", ["Rows"]),
        ("Subset(Rows(), [1, 2])", ["Rows"]),
        ("ConcatDataset([Rows(), Rows()])", ["Rows"]),
        ("random_split(Rows(), [1, 2])", ["Rows"]),
        ("Wrapper(Rows())", ["Rows", "Wrapper"]),
        ("[1, 2, 3]", []),
        ("Other()", ["Rows", "Other"]),
    ],
)
def test_loaders_are_given_classes_through_wrappers(
    context: MakeProgram, given: str, expected: list[str]
) -> None:
    found = context(f"""{HEAD}
class Rows(Dataset):
    pass

class Wrapper(Dataset):
    def __init__(self, inner):
        self.inner = inner
    def __getitem__(self, index):
        return self.inner[index]

class Other(Rows):
    pass

loader = DataLoader({given})
""")[dataset_classes]
    assert [d.cls.name for d in found] == expected


def test_a_class_without_a_torch_base_counts_where_a_loader_is_given_it(
    context: MakeProgram,
) -> None:
    found = context(f"""{HEAD}
class Rows:
    def __getitem__(self, index):
        return index

class Others:
    def __getitem__(self, index):
        return index

loader = DataLoader(Rows())
""")[dataset_classes]
    assert [d.cls.name for d in found] == ["Rows"]


def test_huggingface_datasets_are_not_torch_datasets(context: MakeProgram) -> None:
    found = context("""
import datasets
from torch.utils.data import DataLoader

class Rows(datasets.Dataset):
    pass

def make(something):
    return DataLoader(something)
""")[dataset_classes]
    assert found == ()


@pytest.mark.parametrize(
    ("body", "storage"),
    [
        ("self.x = [np.load(p) for p in paths]", Storage.ARRAYS),
        ("self.x = np.stack([np.load(p) for p in paths])", Storage.ARRAY),
        ("self.x = torch.from_numpy(np.stack([np.load(p) for p in paths]))", Storage.TENSOR),
        ("self.x = torch.stack([torch.load(p) for p in paths])", Storage.TENSOR),
        ("self.x = [torchaudio.load(p)[0] for p in paths]", Storage.TENSORS),
        ("self.x = [Image.open(p).convert('L') for p in paths]", Storage.OBJECTS),
        ("self.x = h5py.File(paths)['x'][:]", Storage.ARRAY),
        (
            "self.x = np.array(h5py.File(paths)['x'])\nself.x = torch.from_numpy(self.x)",
            Storage.TENSOR,
        ),
    ],
)
def test_storage_is_what_is_kept_in_the_end(
    context: MakeProgram, body: str, storage: Storage
) -> None:
    (read,) = _of(context, body).eager_reads
    assert read.storage is storage


@pytest.mark.parametrize(
    "body",
    [
        "for p in paths:\n    self.x[p] = cv2.imread(p)",
        "self.x = {}\nfor p in paths:\n    self.x.setdefault(p.parent, []).append(cv2.imread(p))",
        "self.x = []\nfor p in paths:\n    self.x += [cv2.imread(p)]",
        "self.x = None\nfor p in paths:\n    self.x = np.vstack([self.x, np.load(p)])",
        "xs = []\nfor p in paths:\n    xs.append({'image': cv2.imread(p), 'name': p})\nself.x = xs",
        "self.x, self.y = zip(*[(cv2.imread(p), p) for p in paths])",
        "self.x = list(map(lambda p: np.load(p), paths))",
        (
            "with ThreadPoolExecutor() as pool:\n"
            "    self.x = [f.result() for f in [pool.submit(np.load, p) for p in paths]]"
        ),
        "self.x = list(self.each(paths))",
        "self.x = [self.one(p) for p in paths]",
        "for p in paths:\n    self.keep_one(cv2.imread(p))",
        "i = 0\nwhile i < 9:\n    self.x.append(np.load(paths[i]))\n    i += 1",
        (
            "self.x = []\nfor p in paths:\n    image = Image.open(p)\n    image.load()\n"
            "    self.x.append(image)"
        ),
        "self.x = []\nfor p in paths:\n    f = open(p, 'rb')\n    self.x.append(f.read())",
    ],
)
def test_ways_to_read_and_keep(context: MakeProgram, body: str) -> None:
    more = """
    def one(self, path):
        image = cv2.imread(path)
        return cv2.resize(image, (9, 9)) if image is not None else None
    def each(self, paths):
        for path in paths:
            yield cv2.imread(path)
    def keep_one(self, image):
        self.x.append(image)
"""
    (read,) = _of(context, body, more).eager_reads
    assert not read.is_single


@pytest.mark.parametrize(
    "body",
    [
        "self.x = paths\nfor p in paths:\n    self.last = cv2.imread(p)",
        "self.x = [p for p in paths if cv2.imread(p) is not None]",
        "self.x = list(filter(lambda p: cv2.imread(p) is not None, paths))",
        "self.x = [cv2.imread(p).shape for p in paths]",
        "self.x = [torchaudio.load(p)[1] for p in paths]",
        "self.x = [(p, *Image.open(p).size) for p in paths]",
        "total = 0\nfor p in paths:\n    total += np.load(p).mean()\nself.x = total",
        "self.x = np.zeros(3)\nfor p in paths:\n    self.x += np.load(p)",
        "for p in paths:\n    np.save(p + 'x', cv2.imread(p))\nself.x = paths",
        "self.x = [hash(open(p, 'rb').read()) for p in paths]",
        "import pickle\nf = open(paths, 'rb')\nself.x = [pickle.load(f) for _ in range(9999)]",
        "self.x = h5py.File(paths)['labels'][:]",
        "self.x = h5py.File(paths)['x'][:10]",
        "self.x = {name: Image.open(name) for name in paths}",
        "if keep:\n    self.x = [np.load(p) for p in paths]",
        "if keep is None:\n    return\nself.x = [np.load(p) for p in paths]",
        "self.x = [np.load(p) for p in paths] if keep else paths",
        "if os.environ.get('PRELOAD'):\n    self.x = [np.load(p) for p in paths]",
    ],
)
def test_ways_to_read_and_not_keep(context: MakeProgram, body: str) -> None:
    assert _of(context, body).eager_reads == ()


@pytest.mark.parametrize(
    ("taken", "flagged"),
    [
        ("self.x[index]", True),
        ("self.x[index, 0]", True),
        ("self.x[index : index + 10]", False),
        ("self.table[index]", False),
    ],
)
def test_one_file_counts_where_samples_are_its_rows(
    context: MakeProgram, taken: str, flagged: bool
) -> None:
    (found,) = context(f"""{HEAD}
class Rows(Dataset):
    def __init__(self, path):
        self.x = np.load(path)
    def __getitem__(self, index):
        return {taken}

loader = DataLoader(Rows("x.npy"))
""")[dataset_classes]
    assert [read.is_single for read in found.eager_reads] == [True] * flagged


def test_reads_of_one_loop_are_one_result(context: MakeProgram) -> None:
    body = (
        "self.x, self.y = [], []\nfor p in paths:\n"
        "    self.x.append(cv2.imread(p))\n    self.y.append(np.load(p))"
    )
    more = "    def label(self, index):\n        return self.y[index]"
    (read,) = _of(context, body, more).eager_reads
    assert read.attribute == "x"
    assert len(read.reads) == 1


def test_what_is_kept_is_read_again_before_it_is_known(context: MakeProgram) -> None:
    body = "self.x = np.array(h5py.File(paths)['x'])\nself.convert()\nself.n = self.x.clone()"
    more = """
    def convert(self):
        self.x = torch.from_numpy(self.x)
"""
    (read,) = _of(context, body, more).eager_reads
    assert read.storage is Storage.TENSOR


def test_a_helper_is_named_where_the_constructor_calls_it(context: MakeProgram) -> None:
    analysed = context(
        {
            "reading.py": """
import cv2

def read(paths):
    return [cv2.imread(p) for p in paths]
""",
            "main.py": f"""{HEAD}
from reading import read

class Rows(Dataset):
    def __init__(self, paths):
        images = read(paths)
        self.x = [image / 255 for image in images]
    def __getitem__(self, index):
        return self.x[index]

loader = DataLoader(Rows([]))
""",
        }
    )
    (found,) = analysed[dataset_classes]
    (read,) = found.eager_reads
    text = analysed.project.text(read.place.path).decode()
    assert text[read.place.start : read.place.end] == "read(paths)"
    assert [place.path.rpartition("/")[2] for place in read.reads] == ["reading.py"]


def test_methods_are_those_of_the_class_that_is_made(context: MakeProgram) -> None:
    found = context(f"""{HEAD}
class Base(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.prepare()
    def prepare(self):
        pass
    def __getitem__(self, index):
        return index

class Lazy(Base):
    pass

class Eager(Base):
    def prepare(self):
        self.x = [np.load(p) for p in self.paths]

a, b = DataLoader(Lazy([])), DataLoader(Eager([]))
""")[dataset_classes]
    assert {d.cls.name: len(d.eager_reads) for d in found} == {"Base": 0, "Lazy": 0, "Eager": 1}


def test_one_file_says_nothing_where_no_loader_is_seen(context: MakeProgram) -> None:
    (found,) = context(f"""{HEAD}
class Rows(Dataset):
    def __init__(self, path):
        self.x = np.load(path)
    def __getitem__(self, index):
        return self.x[index]

def make(dataset):
    return DataLoader(dataset)
""")[dataset_classes]
    assert found.loaders == ()
    assert found.eager_reads == ()


@pytest.mark.parametrize(("workers", "expected"), [("0", True), ("4", False), ("n", False)])
def test_without_workers_means_a_literal_zero(
    context: MakeProgram, workers: str, expected: bool
) -> None:
    (found,) = context(f"""{HEAD}
class Rows(Dataset):
    pass

def make(n):
    return DataLoader(Rows(), num_workers={workers})
""")[dataset_classes]
    assert found.is_used_without_workers is expected
