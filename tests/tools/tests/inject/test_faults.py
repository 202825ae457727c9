"""Which faults there are, which of them must be reported, and what the text is then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tools.inject import arguments, datasets, epochs
from tests.tools.inject.faults import Fault
from tests.tools.inject.loops import Reading

Read = Callable[..., Reading]

PINNED = """
    import torch
    from torch.utils.data import DataLoader

    def train(ds, model, device=torch.device("cuda")):
        loader = DataLoader(ds, num_workers=4, pin_memory=True)
        for i, (x, y) in enumerate(loader):
            x = x.to(device, non_blocking=True)
            model(x).backward()
"""

DISTRIBUTED = """
    from torch.utils.data import DataLoader
    from torch.utils.data.distributed import DistributedSampler

    def main(ds):
        sampler = DistributedSampler(ds){rest}
        loader = DataLoader(ds, sampler=sampler)
        for epoch in range(3):
            sampler.set_epoch(epoch)
            train(loader)

    def train(loader):
        for batch in loader:
            batch.loss.backward()
"""

IMAGES = """
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset

    class Images(Dataset):
        def __init__(self, paths):
            self.paths = paths

        def __getitem__(self, index):
            path = self.paths[index]
            return Image.open(path)

    loader = DataLoader(Images([]))
"""


def _one(found: object) -> Fault:
    (fault,) = found  # type: ignore[misc]
    assert isinstance(fault, Fault)
    return fault


def test_a_pin_is_taken_out(read: Read) -> None:
    fault = _one(arguments.unpinned(read(main=PINNED)))
    assert "DataLoader(ds, num_workers=4, )" in fault.text
    assert fault.evidence == "its batches are copied at /project/main.py:8"
    assert fault.expected == ("/project/main.py", (6, 6), (6, 6))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = x.to(device, non_blocking=True)", "pass"),
        ("x.to(device,", "x.to('cpu',"),
        ("x = x.to", "x = preprocess(x); x = x.to"),
        ("import torch\n", "import torch, accelerate\n    import accelerate\n"),
    ],
)
def test_a_pin_that_nobody_needs_is_not_awaited(read: Read, old: str, new: str) -> None:
    fault = _one(arguments.unpinned(read(main=PINNED.replace(old, new))))
    assert not fault.must_be_reported


def test_a_copy_is_made_blocking(read: Read) -> None:
    fault = _one(arguments.blocking(read(main=PINNED)))
    assert "x.to(device, )" in fault.text
    assert fault.evidence == "the batch is pinned at /project/main.py:6"
    assert fault.expected[1] == (8, 8)


@pytest.mark.parametrize("new", ["pin_memory=flag", "pin_memory=False", "drop_last=True"])
def test_a_blocking_copy_of_an_unpinned_batch_is_not_awaited(read: Read, new: str) -> None:
    fault = _one(arguments.blocking(read(main=PINNED.replace("pin_memory=True", new))))
    assert not fault.must_be_reported


def test_comprehensions_copy_batches_too(read: Read) -> None:
    text = PINNED.replace(
        "x = x.to(device, non_blocking=True)",
        "x = {k: v.to(device, non_blocking=True) for k, v in x.items()}",
    )
    assert _one(arguments.blocking(read(main=text))).must_be_reported


@pytest.mark.parametrize("given", ["sampler=sampler", "sampler=sampler, shuffle=sampler is None"])
def test_shuffle_is_put_beside_a_sampler(read: Read, given: str) -> None:
    text = DISTRIBUTED.format(rest="").replace("sampler=sampler", given)
    fault = _one(arguments.shuffled(read(main=text)))
    assert "DataLoader(ds, sampler=sampler, shuffle=True)" in fault.text
    assert fault.evidence == "the sampler is made at /project/main.py:6"


def test_shuffle_beside_an_unknown_sampler_is_not_awaited(read: Read) -> None:
    text = DISTRIBUTED.format(rest="").replace("sampler=sampler", "sampler=unknown")
    assert not _one(arguments.shuffled(read(main=text))).must_be_reported


def test_set_epoch_is_taken_out(read: Read) -> None:
    fault = _one(epochs.unset_epoch(read(main=DISTRIBUTED.format(rest=""))))
    assert "        pass\n" in fault.text
    assert "set_epoch" not in fault.text
    assert fault.evidence == "trained at /project/main.py:13"
    assert fault.expected == ("/project/main.py", (6, 6), (6, 6))


def test_set_epoch_is_found_through_the_loader(read: Read) -> None:
    text = DISTRIBUTED.format(rest="").replace("sampler.set_epoch", "loader.sampler.set_epoch")
    assert _one(epochs.unset_epoch(read(main=text))).must_be_reported


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("DistributedSampler(ds)", "DistributedSampler(ds, shuffle=False)"),
        ("for batch in loader", "for batch in other"),
        ("for epoch in range(3):", "if True:"),
        ("train(loader)\n\n", "evaluate(loader)\n\n"),
    ],
)
def test_set_epoch_that_does_nothing_is_not_awaited(read: Read, old: str, new: str) -> None:
    text = DISTRIBUTED.format(rest="").replace(old, new)
    assert not _one(epochs.unset_epoch(read(main=text))).must_be_reported


def test_of_two_calls_of_set_epoch_neither_is_awaited(read: Read) -> None:
    text = DISTRIBUTED.format(rest="; sampler.set_epoch(0)")
    found = list(epochs.unset_epoch(read(main=text)))
    assert [fault.must_be_reported for fault in found] == [False, False]


def test_a_strategy_is_set_behind_the_loop(read: Read) -> None:
    fault = _one(epochs.late_strategy(read(main=PINNED)))
    line = '    torch.multiprocessing.set_sharing_strategy("file_system")'
    assert fault.text.splitlines()[8:] == ["        model(x).backward()", line]
    assert fault.expected[2] == (10, 10)
    assert fault.must_be_reported


@pytest.mark.parametrize("workers", ["num_workers=0", "num_workers=n", "drop_last=True"])
def test_a_strategy_for_no_workers_is_not_awaited(read: Read, workers: str) -> None:
    text = PINNED.replace("num_workers=4", workers)
    assert not _one(epochs.late_strategy(read(main=text))).must_be_reported


def test_a_read_is_moved_into_init(read: Read) -> None:
    fault = _one(datasets.eager(read(main=IMAGES)))
    line = 'self._loaded = [Image.open(each_path).convert("RGB") for each_path in self.paths]'
    assert fault.text.splitlines()[7].strip() == line
    assert fault.expected[2] == (8, 8)
    assert fault.evidence == "the dataset is made at /project/main.py:13"


def test_a_read_of_a_joined_path_is_moved(read: Read) -> None:
    text = IMAGES.replace("import Image\n", "import Image\n    import os\n")
    text = text.replace("Image.open(path)", "Image.open(os.path.join(self.root, path))")
    fault = _one(datasets.eager(read(main=text)))
    assert "[Image.open(os.path.join(self.root, each_path)).convert(" in fault.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.paths[index]", "choose(index)"),
        ("Image.open(path)", "decode(path)"),
        ("(Dataset):", "(IterableDataset):"),
    ],
)
def test_what_is_no_plain_read_is_left(read: Read, old: str, new: str) -> None:
    assert list(datasets.eager(read(main=IMAGES.replace(old, new)))) == []


def test_a_dataset_that_no_loader_gets_is_not_awaited(read: Read) -> None:
    text = IMAGES.replace("loader = DataLoader(Images([]))", "images = Images([])")
    assert not _one(datasets.eager(read(main=text))).must_be_reported
