"""stream-without-max-steps: streams have no length, and the trainer raises without a bound.

Runs where the libraries are installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from torch.utils.data import IterableDataset


class _Numbers(IterableDataset[dict[str, list[int]]]):
    def __iter__(self) -> Iterator[dict[str, list[int]]]:
        yield {"input_ids": [1]}


def test_a_stream_of_torch_has_no_length() -> None:
    with pytest.raises(TypeError, match="len"):
        len(_Numbers())  # type: ignore[arg-type]


def test_streams_of_datasets_have_no_length() -> None:
    datasets = pytest.importorskip("datasets")
    stream = datasets.Dataset.from_dict({"x": [1, 2, 3]}).to_iterable_dataset()
    for one in (stream, stream.map(dict), stream.take(2), stream.shuffle(buffer_size=2)):
        with pytest.raises(TypeError, match="len"):
            len(one)


def test_the_trainer_raises_when_it_is_made(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    args = transformers.TrainingArguments(str(tmp_path), num_train_epochs=3, report_to=[])
    with pytest.raises(ValueError, match="max_steps"):
        transformers.Trainer(torch.nn.Linear(1, 1), args, train_dataset=_Numbers())
    args = transformers.TrainingArguments(str(tmp_path), max_steps=3, report_to=[])
    transformers.Trainer(torch.nn.Linear(1, 1), args, train_dataset=_Numbers())
