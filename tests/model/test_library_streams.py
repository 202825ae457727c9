"""Streams of the project and of other libraries: their parts, orders, shards and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.stream_parts import may_get_part, unapplied_filters
from dlint.model.data.streams import stream_of
from dlint.model.loading.library_streams import unordered_stream, unsplit_shards
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.unbounded_trainings import unbounded_trainings

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]


def _text(place: Place | None) -> str:
    """What stands at a place."""
    assert place is not None
    return Path(place.path).read_text("utf-8")[place.start : place.end]


STREAM = """
import numpy, torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

class Base({base}):
    def __iter__(self):
        yield from range(9)

class Rows(Base):
    pass

def seeded(worker):
    numpy.random.seed(worker)

def divided(worker):
    get_worker_info().dataset.part = worker

loader = DataLoader(Rows(), num_workers=2, worker_init_fn={init})
"""


@pytest.mark.parametrize(("base", "name"), [("IterableDataset", "Base"), ("Dataset", None)])
def test_the_class_that_a_stream_is_of(context: MakeContext, base: str, name: str | None) -> None:
    found = context(STREAM.format(base=base, init=None))[dataset_classes]
    (dataset,) = [one for one in found if one.own_loaders]
    stream = stream_of(dataset)
    assert (None if stream is None or stream.definition is None else stream.definition.name) == name
    if stream is not None and stream.definition is not None:
        assert _text(stream.definition.place).startswith("class Base")


@pytest.mark.parametrize(
    ("init", "may"), [("None", False), ("seeded", False), ("divided", True), ("unknown()", True)]
)
def test_functions_that_give_workers_their_part(context: MakeContext, init: str, may: bool) -> None:
    text = STREAM.format(base="IterableDataset", init=init)
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert may_get_part(loader) is may


@pytest.mark.parametrize(
    ("pipe", "told"),
    [
        ("IterableWrapper(range(9)).shuffle().sharding_filter()", True),
        ("IterableWrapper(range(9)).shuffle()", False),
    ],
)
def test_filters_that_no_loader_comes_to(context: MakeContext, pipe: str, told: bool) -> None:
    text = f"""
    from torch.utils.data import DataLoader, IterableDataset
    from torchdata.datapipes.iter import IterableWrapper

    class Rows(IterableDataset):
        def __iter__(self):
            yield from {pipe}

    loader = DataLoader(Rows(), num_workers=2)
    """
    found = list(unapplied_filters(context(text)))
    assert [one.class_name for one in found] == ["Rows"] * told
    assert [len(one.loaders) for one in found] == [1] * told
    assert all(_text(one.place) == pipe for one in found)


HUGGING_FACE = """
from datasets import load_dataset
from torch.utils.data import DataLoader

data = load_dataset("c4", streaming={streaming})
mixed = data.shuffle(seed=1)
loader = DataLoader({given}, batch_size=8)
for epoch in range(3):
    {before}
    for x in loader:
        print(x)
"""


@pytest.mark.parametrize(
    ("streaming", "given", "before", "told"),
    [
        (True, "mixed", "pass", True),
        (True, "mixed.map(print)", "pass", True),
        (False, "mixed", "pass", False),
        (True, "data", "pass", False),
        (True, "mixed", "mixed.set_epoch(epoch)", False),
    ],
)
def test_streams_that_keep_one_order(
    context: MakeContext, streaming: bool, given: str, before: str, told: bool
) -> None:
    text = HUGGING_FACE.format(streaming=streaming, given=given, before=before)
    ((loader,),) = context(text)[Loaders].by_call().values()
    found = unordered_stream(loader)
    assert (found is not None) is told
    if found is not None:
        assert _text(found.shuffle) == "data.shuffle(seed=1)"
        assert _text(found.epochs.place).startswith("for epoch in range(3)")


SHARDS = """
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

def main(path, net):
    loader = DataLoader({dataset})
    model = {model}
    for x in loader:
        model(x).backward()
"""


@pytest.mark.parametrize(
    ("dataset", "model", "pipeline"),
    [
        ("wds.WebDataset(path).decode()", "DistributedDataParallel(net)", False),
        ("wds.WebDataset(path, resampled=False)", "DistributedDataParallel(net)", False),
        ("wds.WebDataset(path, resampled=True)", "DistributedDataParallel(net)", None),
        ("wds.WebDataset(path, nodesplitter=net)", "DistributedDataParallel(net)", None),
        ("wds.WebDataset(path).decode()", "net", None),
        (
            "wds.DataPipeline(wds.SimpleShardList(path), wds.tarfile_to_samples())",
            "DistributedDataParallel(net)",
            True,
        ),
        (
            "wds.DataPipeline(wds.SimpleShardList(path), wds.split_by_node)",
            "DistributedDataParallel(net)",
            None,
        ),
    ],
)
def test_shards_that_each_rank_reads(
    context: MakeContext, dataset: str, model: str, pipeline: bool | None
) -> None:
    text = SHARDS.format(dataset=dataset, model=model)
    ((loader,),) = context(text)[Loaders].by_call().values()
    found = unsplit_shards(loader)
    assert (None if found is None else found.is_pipeline) is pipeline
    if found is not None:
        assert _text(found.ranks) == "DistributedDataParallel(net)"


TRAINER = """
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments

DataLoader([1])
rows = load_dataset("c4", split="train", streaming={streaming})
options = TrainingArguments("out"{steps})
{after}
trainer = Trainer(model, options, train_dataset=rows)
"""


@pytest.mark.parametrize(
    ("streaming", "steps", "after", "told"),
    [
        (True, "", "", True),
        (True, ", max_steps=-1", "", True),
        (True, ", max_steps=100", "", False),
        (True, "", "options.max_steps = 100", False),
        (False, "", "", False),
    ],
)
def test_trainers_that_are_told_no_number_of_steps(
    context: MakeContext, streaming: bool, steps: str, after: str, told: bool
) -> None:
    text = TRAINER.format(streaming=streaming, steps=steps, after=after)
    found = list(unbounded_trainings(context(text)))
    assert [one.trainer for one in found] == ["Trainer"] * told
    assert all(_text(one.place).startswith("TrainingArguments(") for one in found)
    assert all(_text(one.data_place) == "rows" for one in found)
