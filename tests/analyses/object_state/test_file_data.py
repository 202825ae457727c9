from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.object_state.file_data import Payload
from dlint.analyses.object_state.state import ObjectState

Make = Callable[..., ObjectState]

MORE = """
    def read(self, path):
        return np.load(path)
    def reset(self):
        self.x = np.load("a.npy")

class Holder:
    def __init__(self, path):
        self.kept = np.load(path)

class Decoding(Dataset):
    def __getitem__(self, index):
        return cv2.imread(str(index))

def load(path, scale=1):
    return np.load(path) * scale

def loads(paths):
    for path in paths:
        yield np.load(path)

def fill(paths, kept):
    for path in paths:
        kept.append(np.load(path))

def pair(path):
    return np.load(path), 3

def either(path):
    if path:
        return np.load(path), 1
    return 2, np.load(path)
"""


def _told(payload: Payload) -> str:
    """A payload in words: its kind, what is told of it, and the name of the part."""
    flags = [name for name in ("packed", "whole", "many", "joined") if getattr(payload, name)]
    guards = ["guarded"] if payload.guards else []
    return " ".join([str(payload.kind), *flags, *guards, *([payload.key] if payload.key else [])])


_OWN = """class Own:
    def joinpath(self, name): return "a.npy"
    def glob(self, pattern): return ["a.npy"]
"""


def _kept(state: ObjectState, attribute: str = "x") -> set[str]:
    return {_told(held.payload) for held in state.file_data if held.attribute == attribute}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # lists that a function fills
        ("x = []\nfill(paths, x)\nself.x = x", {"payload many"}),
        ("x = []\nfor p in paths:\n    fill([path], x)\nself.x = x", {"payload many"}),
        ("x = []\nfill(x, paths)\nself.x = x", set()),
        # readers
        ("self.x = np.load(path)", {"payload"}),
        ("self.x = np.load(path, mmap_mode='r')", set()),
        ("self.x = np.load(path, mmap_mode=None)", {"payload"}),
        ("self.x = np.load(path, 'r')", set()),
        ("self.x = np.load(path, **rows)", set()),
        ("self.x = np.load(path, allow_pickle=True)", {"payload"}),
        ("self.x = np.load('a.npz')", {"archive"}),
        ("self.x = np.load(path + '/a.npz')", {"archive"}),
        ("name = f'{path}/a.npz'\nself.x = np.load(name)", {"archive"}),
        ("import os\nself.x = np.load(os.path.join(path, 'a.npz'))", {"archive"}),
        ("self.x = np.load(str(Path(path) / 'a.npz'))", {"archive"}),
        ("from os.path import join as put\nself.x = np.load(put(path, 'a.npz'))", {"archive"}),
        ("def join(*_): return path\nself.x = np.load(join(path, 'a.npz'))", {"payload"}),
        ("self.x = np.load(path.joinpath('a.npz'))", {"archive"}),
        (_OWN + "self.x = np.load(Own().joinpath('a.npz'))", {"payload"}),
        ("self.x = [np.load(p) for p in sorted(path.glob('*.npz'))]", {"archive many"}),
        (_OWN + "self.x = [np.load(p) for p in Own().glob('*.npz')]", {"payload many"}),
        ("import os\nself.x = np.load(os.path.join(path, 'a.npy'))", {"payload"}),
        ("self.x = np.load('a.npz')['k']", {"payload k"}),
        ("self.x = Image.open(path)", {"image"}),
        ("self.x = Image.open(path).convert('L')", {"payload"}),
        ("x = Image.open(path)\nx.load()\nself.x = x", {"payload"}),
        ("self.x = open(path)", {"handle"}),
        ("self.x = open(path, 'rb')", {"file"}),
        ("self.x = open(path, mode='rb').read()", {"payload"}),
        ("with open(path, 'rb') as f:\n    self.x = f.read()", {"payload"}),
        ("self.x = nibabel.load(path)", {"volume"}),
        ("self.x = nibabel.load(path).get_fdata()", {"payload"}),
        ("self.x = rasterio.open(path).read()", {"payload"}),
        # HDF5
        ("self.x = h5py.File(path)", {"hdf5"}),
        ("self.x = h5py.File(path)['k']", {"hdf5 k"}),
        ("self.x = h5py.File(path).get('k')", {"hdf5 k"}),
        ("self.x = h5py.File(path)['k'][:]", {"payload whole k"}),
        ("self.x = h5py.File(path)['k'][()]", {"payload whole k"}),
        ("self.x = h5py.File(path)['k'][3]", {"payload k"}),
        ("self.x = h5py.File(path)['k'][1:3]", {"payload k"}),
        ("self.x = np.array(h5py.File(path)['k'])", {"payload whole k"}),
        ("self.x = h5py.File(path)['k'].shape", set()),
        # many
        ("self.x = [np.load(p) for p in paths]", {"payload many"}),
        ("self.x = [np.load(p) for p in ('a', 'b')]", {"payload"}),
        ("self.x = {p: np.load(p) for p in paths}", {"payload many"}),
        ("self.x = []\nfor p in paths:\n    self.x.append(np.load(p))", {"payload many"}),
        ("self.x = {}\nfor p in paths:\n    self.x[p] = np.load(p)", {"payload many"}),
        (
            "x = []\nfor p in paths:\n    x.append(np.load(p))\nself.x = np.stack(x)",
            {"payload many joined"},
        ),
        ("x = []\nfor p in paths:\n    x = x + [np.load(p)]\nself.x = x", {"payload many"}),
        ("self.x = list(map(np.load, paths))", {"payload many"}),
        ("self.x = list(map(load, paths))", {"payload many"}),
        (
            "with ThreadPoolExecutor() as pool:\n    self.x = list(pool.map(load, paths))",
            {"payload many"},
        ),
        ("self.x = list(loads(paths))", {"payload many"}),
        ("self.x = [np.load(p) for p in paths][0]", {"payload"}),
        ("base = Decoding()\nself.x = [base[i] for i in range(len(base))]", {"payload many"}),
        # through functions, methods and objects
        ("self.x = load(path)", {"payload"}),
        ("self.x = load(path=path)", {"payload"}),
        ("self.x = self.read(path)", {"payload"}),
        ("self.reset()", {"payload"}),
        ("self.y = np.load(path)\nself.x = self.y", {"payload"}),
        ("self.x = Holder(path)", {"payload"}),
        ("self.x = unknown(np.load(path))", {"payload"}),
        ("self.x = transform(np.load(path))", {"payload"}),
        ("self.x = len(np.load(path))", set()),
        ("self.x = np.load(path).mean()", set()),
        ("self.x = np.load(path).shape", set()),
        ("self.x = np.load(path).T", {"payload"}),
        ("self.x = torch.from_numpy(np.load(path)).float()", {"payload"}),
        # positions
        ("self.x, n = pair(path)", {"payload"}),
        ("n, self.x = pair(path)", set()),
        ("self.x, n = either(path)", {"payload"}),
        ("a, self.x = 1, np.load(path)", {"payload"}),
        ("both = pair(path)\nself.x, n = both", {"payload"}),
        ("both = pair(path)\nn, self.x = both", set()),
        (
            "if rows:\n    both = pair(path)\nelse:\n    both = 1, 2\nself.x, n = both",
            {"payload guarded"},
        ),
        ("(self.x, a), b = pair(path), 3", {"payload"}),
        (
            """images = [np.load(p) for p in paths]
self.x = [i for (n, (i, m)) in enumerate(tqdm(zip(images, rows)))]""",
            {"payload many"},
        ),
        (
            "images = {p: np.load(p) for p in paths}\nself.x = [i for p, i in images.items()]",
            {"payload many"},
        ),
        ("images = {p: np.load(p) for p in paths}\nself.x = [p for p, i in images.items()]", set()),
        ("for i, p in enumerate(paths):\n    self.x = np.load(p)", {"payload"}),
        (
            "images = [np.load(p) for p in paths]\nself.x = [i for i, n in zip(images, rows)]",
            {"payload many"},
        ),
        ("images = [np.load(p) for p in paths]\nself.x = [n for i, n in zip(images, rows)]", set()),
        ("d = {'a': np.load(path), 'b': 1}\nself.x = d['a']", {"payload"}),
        ("d = {'a': np.load(path), 'b': 1}\nself.x = d['b']", set()),
        ("a, *self.x = np.load(path)", {"payload"}),
        # choices
        ("self.x = np.load(path) if rows else None", {"payload guarded"}),
        ("self.x = rows and np.load(path)", {"payload guarded"}),
        ("self.x = -np.load(path)", {"payload"}),
        ("x = np.load(path)\nif rows:\n    x = None\nself.x = x", {"payload guarded"}),
        ("def inner():\n    return np.load(path)\nself.x = inner()", {"payload"}),
        ("self.x = path", set()),
    ],
)
def test_what_attributes_carry(made: Make, body: str, expected: set[str]) -> None:
    assert _kept(made(body, MORE)) == expected


def test_what_is_read_by_name_is_an_archive(made: Make) -> None:
    state = made(
        "self.x = np.load(path)\nself.y = np.load(path)",
        """
    def __getitem__(self, index):
        return self.x["rows"][index], self.y[index]
""",
    )
    assert _kept(state, "x") == {"archive"}
    assert _kept(state, "y") == {"payload"}


def test_nothing_is_said_past_the_budget(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from dlint.analyses.object_state import data_taint

    monkeypatch.setattr(data_taint, "_BUDGET", 0)
    assert not made("self.x = np.load(path)").file_data


def test_where_a_payload_is_read(made: Make) -> None:
    state = made("self.x = load(path)\nself.y = np.load(path)", MORE)
    helped, direct = (held.payload for held in state.file_data)
    frame = state.activations[0]
    assert helped.frame is not frame
    assert helped.within(frame) is not None
    assert direct.within(frame) == direct.read.span
    assert direct.within(helped.frame) is None
