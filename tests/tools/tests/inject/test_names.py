"""What a quick reader makes of names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.workspace.source import Source
from tests.tools.inject.files import File
from tests.tools.inject.loops import Reading, is_loader

Read = Callable[..., Reading]

FACTORY = """
    from torch.utils.data import DataLoader

    def build(dataset):
        train = DataLoader(dataset, 64)
        return train, DataLoader(dataset, 1)
"""


def _loops(reading: Reading) -> dict[str, list[int]]:
    """The rows of the loaders of each loop, by the loop's file and row."""
    return {
        f"{b.file.path.rpartition('/')[2]}:{b.loop.lineno}": sorted(c.lineno for _, c in b.loaders)
        for b in reading.loops
    }


@pytest.mark.parametrize(
    "iterable",
    ["loader", "enumerate(loader)", "tqdm(enumerate(loader))", "metrics.log_every(loader, 10)"],
)
def test_a_loop_over_a_local_loader(read: Read, iterable: str) -> None:
    reading = read(
        main=f"""
            from torch.utils.data import DataLoader
            def run(ds):
                loader = DataLoader(ds)
                for batch in {iterable}:
                    pass
        """
    )
    assert _loops(reading) == {"main.py:5": [4]}


def test_a_loop_over_a_parameter(read: Read) -> None:
    reading = read(
        engine="""
            def train(model, loader):
                for batch in loader:
                    pass
        """,
        main="""
            import torch
            from engine import train
            loader = torch.utils.data.DataLoader([])
            train(None, loader)
        """,
    )
    assert _loops(reading) == {"engine.py:3": [4]}


def test_a_loop_over_what_a_factory_returns(read: Read) -> None:
    reading = read(
        factory=FACTORY,
        main="""
            from factory import build
            train, val = build([])
            for batch in train:
                pass
            for batch in val:
                pass
        """,
    )
    assert _loops(reading) == {"main.py:4": [5], "main.py:6": [6]}


def test_a_loop_over_an_attribute(read: Read) -> None:
    reading = read(
        trainer="""
            from torch.utils import data
            class Trainer:
                def __init__(self, ds):
                    self.loader = data.DataLoader(ds)
                def train(self):
                    for batch in self.loader:
                        pass
        """
    )
    assert _loops(reading) == {"trainer.py:7": [5]}


def test_a_name_that_two_functions_have_is_not_followed(read: Read) -> None:
    body = "def train(loader):\n    for batch in loader:\n        pass\n"
    main = """
        from torch.utils.data import DataLoader
        from somewhere import train
        train(DataLoader([]))
    """
    assert _loops(read(a=body, b=body, main=main)) == {}


def test_another_library_s_loader_is_none(read: Read) -> None:
    reading = read(main="from paddle.io import DataLoader\nloader = DataLoader([])\n")
    assert not is_loader(reading.files[0], reading.files[0].calls[0])


def test_spans_count_characters() -> None:
    file = File.parsed(Source("/project/a.py", "é = 'ü'; f('ö', a=1)\n"))
    assert file is not None
    assert file.segment(file.calls[0]) == "f('ö', a=1)"
    assert file.text[slice(*file.span(file.calls[0].keywords[0]))] == "a=1"
