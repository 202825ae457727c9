"""Trial edits that need a standard shape: data that a constructor reads, streams, queues."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from dlint.cli.verify_findings import find
from dlint.verify.plan.candidates import UNWRITTEN, texts_of

HEAD = """\
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
"""
TAIL = """

def make_loader(paths):
    return DataLoader(Data(paths), batch_size=64, num_workers=4)
"""


def _tried(folder: Path, text: str) -> str | None:
    """What the trial makes of the class; None when there is none."""
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    path = folder / "train.py"
    path.write_text(HEAD + dedent(text) + TAIL, "utf-8")
    found = find(path, ["eager-load-in-init"], None)
    if not found.candidates:
        assert [left.why for left in found.not_tried] == [UNWRITTEN]
        return None
    (candidate,) = found.candidates
    assert candidate.name == "eager-load-in-init (read when asked)"
    texts = texts_of([candidate], found.sources)
    assert texts is not None
    (changed,) = texts.values()
    compile(changed, "train.py", "exec")
    return changed.removeprefix(HEAD).removesuffix(TAIL)


def test_a_comprehension(tmp_path: Path) -> None:
    text = """
    class Data(Dataset):
        def __init__(self, paths):
            self.images = [np.array(Image.open(path)) for path in paths]

        def __len__(self):
            return len(self.images)

        def __getitem__(self, index):
            return self.images[index], "ä", self.images[index]
    """
    changed = _tried(tmp_path, text)
    assert changed is not None
    read = "(lambda path: np.array(Image.open(path)))(self.images[index])"
    expected = dedent(text).replace("[np.array(Image.open(path)) for", "[path for")
    before, _, after = expected.partition("return self.images")
    assert changed == f'{before}return {read}, "ä", {read}\n'
    assert after


def test_a_loop_that_appends(tmp_path: Path) -> None:
    changed = _tried(
        tmp_path,
        """
        class Data(Dataset):
            def __init__(self, items):
                self.images, self.labels = [], []
                for path, label in items:
                    image = np.array(Image.open(path))
                    self.images.append(image)
                    self.labels.append(label)

            def __len__(self):
                return len(self.images)

            def __getitem__(self, index):
                return torch.from_numpy(self.images[index]), self.labels[index]
        """,
    )
    assert changed is not None
    assert "image = path\n" in changed
    assert "self.labels.append(label)" in changed
    read = "(lambda path: np.array(Image.open(path)))(self.images[index])"
    assert f"return torch.from_numpy({read}), self.labels[index]" in changed


def test_items_of_two_variables(tmp_path: Path) -> None:
    changed = _tried(
        tmp_path,
        """
        class Data(Dataset):
            def __init__(self, items):
                self.samples = []
                for path, label in items:
                    self.samples.append((np.load(path), label))

            def __len__(self):
                return len(self.samples)

            def __getitem__(self, index):
                image, label = self.samples[index]
                return image, label
        """,
    )
    assert changed is not None
    assert "self.samples.append((path, label))" in changed
    read = "(lambda path, label: (np.load(path), label))(*self.samples[index])"
    assert f"image, label = {read}\n" in changed


SHAPES = {
    "made of an argument of the constructor": ("np.load(root + path)", "self.images[index]"),
    "sliced": ("np.load(path)", "self.images[index:]"),
    "iterated": ("np.load(path)", "sum(self.images)"),
    "written": ("np.load(path)", "self.images.pop()"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes_are_left_alone(tmp_path: Path, shape: str) -> None:
    item, use = SHAPES[shape]
    text = f"""
    class Data(Dataset):
        def __init__(self, paths, root=""):
            self.images = [{item} for path in paths]

        def __len__(self):
            return len(self.images)

        def __getitem__(self, index):
            return {use}
    """
    assert _tried(tmp_path, text) is None


STREAM = """\
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            for line in file:
                yield float(line)


loader = DataLoader(Lines("x"), batch_size=64, num_workers=4{more})
for batch in loader:
    print(batch)
"""


def _change(folder: Path, text: str, rule: str) -> str | None:
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    path = folder / "train.py"
    path.write_text(text)
    found = find(path, [rule], None)
    if not found.candidates:
        return None
    texts = texts_of(found.candidates, found.sources)
    assert texts is not None
    return texts[str(path)]


def test_a_stream_shared_out_to_the_workers(tmp_path: Path) -> None:
    rule = "iterable-without-worker-sharding"
    changed = _change(tmp_path, STREAM.format(more=""), rule)
    assert changed is not None
    compile(changed, "train.py", "exec")
    assert "for line in (item for number, item in enumerate(file) if (worker := " in changed
    assert "import torch" in changed.split("class")[0]
    twice = STREAM.format(more="").replace("yield float(line)\n", "yield 1\n        yield 2\n")
    assert _change(tmp_path, twice, rule) is None


def test_a_queue_as_long_as_usual(tmp_path: Path) -> None:
    changed = _change(tmp_path, STREAM.format(more=", prefetch_factor=64"), "oversized-prefetch")
    assert changed is not None
    assert "num_workers=4, prefetch_factor=2)" in changed
