"""What torch does with the arguments that `invalid-loader-arguments` reports."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader

DATA = list(range(8))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"persistent_workers": True}, ValueError, "needs num_workers > 0"),
        ({"prefetch_factor": 2}, ValueError, "only be specified in multiprocessing"),
        ({"multiprocessing_context": "spawn"}, ValueError, "num_workers > 0"),
        ({"batch_size": 0}, ValueError, "positive integer"),
        ({"batch_size": True}, ValueError, "positive integer"),
        ({"batch_size": 64 / 2}, ValueError, "positive integer"),
        ({"batch_size": "64"}, ValueError, "positive integer"),
        ({"num_workers": -1}, ValueError, "non-negative"),
        ({"num_workers": None}, TypeError, "not supported"),
        ({"num_workers": "4"}, TypeError, "not supported"),
        ({"timeout": -1}, ValueError, "non-negative"),
        ({"num_workers": 1, "prefetch_factor": -1}, ValueError, "non-negative"),
    ],
)
def test_the_constructor_raises(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        DataLoader(DATA, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"timeout": 5}, "requires timeout == 0"),
        ({"num_workers": 1, "prefetch_factor": 0}, "must be greater than 0"),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_first_batch_raises(arguments: dict[str, Any], words: str) -> None:
    loader = DataLoader(DATA, **arguments)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=words):
        next(iter(loader))


@pytest.mark.parametrize("workers", [0, 1])
def test_options_given_under_a_condition_are_taken(workers: int) -> None:
    loader = DataLoader(
        DATA,  # type: ignore[arg-type]
        num_workers=workers,
        persistent_workers=workers > 0,
        prefetch_factor=4 if workers > 0 else None,
        multiprocessing_context="fork" if workers > 0 else None,
        timeout=30 if workers > 0 else 0,
    )
    assert loader.prefetch_factor == (4 if workers else None)


@pytest.mark.parametrize(
    "name", ["batch_size", "sampler", "batch_sampler", "dataset", "drop_last", "persistent_workers"]
)
def test_attributes_that_cannot_be_set(name: str) -> None:
    loader = DataLoader(DATA)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"{name} attribute should not be set"):
        setattr(loader, name, None)


def test_shuffle_set_later_does_nothing() -> None:
    loader = DataLoader(DATA, batch_size=8)  # type: ignore[arg-type]
    loader.shuffle = True  # type: ignore[attr-defined]
    assert all(batch.tolist() == DATA for _ in range(5) for batch in loader)


def test_options_for_workers_that_do_nothing() -> None:
    called: list[int] = []
    loader = DataLoader(DATA, worker_init_fn=called.append, in_order=False)  # type: ignore[arg-type]
    assert [int(batch) for batch in loader] == DATA
    assert called == []


def test_every_iteration_draws_a_seed_with_the_generator() -> None:
    generator = torch.Generator()
    state = generator.get_state()
    iter(DataLoader(DATA, generator=generator))  # type: ignore[arg-type]
    assert not torch.equal(generator.get_state(), state)


def test_indices_are_drawn_on_the_default_device_and_the_generator_is_of_the_cpu() -> None:
    with torch.device("meta"):
        generator = torch.Generator()
        indices = torch.randperm(4, generator=generator)
    assert generator.device.type == "cpu"
    assert indices.device.type == "meta"
