"""Tests over several ranks, of which Lightning's sampler repeats samples.

Question: is a loader certainly tested by a Trainer of several ranks, which then gives it a
`DistributedSampler`? Followed: loaders that `Trainer.test` is handed, or that `test_dataloader` of
an object returns which it is handed. Given up on: validation while it trains, loaders with a
sampler of their own, numbers of samples that the ranks are known to divide.

Read in lightning 2.5 (trainer/connectors/data_connector.py, `_prepare_dataloader`;
overrides/distributed.py): only `predict` leaves the repeated samples out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.model.data import sharding
from dlint.model.loading.loaders import Loaders
from dlint.model.ranks.launchers import Launcher, Launchers
from dlint.model.samplers.index_order import makes_sampler
from dlint.model.worth.volume import volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


class RepeatedTest(NamedTuple):
    """A loader, and the Trainer that tests on it."""

    loader: Loader
    launcher: Launcher


def repeated_tests(context: AnalysisContext) -> Iterator[RepeatedTest]:
    """The loaders of whose samples a test may count some twice."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            if not makes_sampler(loader) or not sharding.is_map_style(loader):
                continue
            for launcher in context[Launchers].testing(loader):
                if _pads(launcher) and not _are_divided(loader, launcher):
                    yield RepeatedTest(loader, launcher)


def _pads(launcher: Launcher) -> bool:
    return launcher.is_distributed and launcher.switch is None


def _are_divided(loader: Loader, launcher: Launcher) -> bool:
    """Whether each rank has as many samples as the other, so that none is repeated."""
    samples, ranks = volume_of(loader).samples, launcher.ranks
    if samples is None or ranks is None or not samples.is_exact:
        return False
    return samples.low % ranks == 0
