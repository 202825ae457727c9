"""Settings that are tried without an edit."""

from __future__ import annotations

import pytest

from dlint.verify.plan.overrides import parse_settings
from dlint.verify.probe.dlint_probe.hooks import _overridden
from dlint.verify.run.runner import RunConfig
from dlint.workspace.errors import UsageError
from tests.verify.conftest import Launch

TEXT = """
from common import *
if __name__ == "__main__":
    model, optimizer = make()
    loader = DataLoader(Rows(delay=0.0), 8, False, num_workers=0)
    for epoch in range(100):
        for x, y in loader:
            step(model, optimizer, x, y)
"""


def test_settings_as_they_are_written() -> None:
    given = parse_settings("num_workers=4,persistent_workers=True")
    assert given == (("num_workers", 4), ("persistent_workers", True))
    assert parse_settings("prefetch_factor=None") == (("prefetch_factor", None),)


@pytest.mark.parametrize(
    "text", ["", "num_workers", "num_workers=", "workers=4", "num_workers=f()", "4", "**{}"]
)
def test_settings_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="--set"):
        parse_settings(text)


class _Loader:
    def __init__(self, dataset: object, batch_size: int = 1, *, workers: int = 0) -> None:
        self.given = dataset, batch_size, workers


def test_arguments_are_replaced_however_they_are_given() -> None:
    for args, named in (((None, "data", 2), {}), ((None,), {"dataset": "data", "batch_size": 2})):
        rest, found = _overridden(
            _Loader.__init__, args[0], args[1:], named, {"batch_size": 8, "workers": 3}
        )
        assert (rest, found) == ((), {"dataset": "data", "batch_size": 8, "workers": 3})


@pytest.mark.slow
def test_a_loader_is_given_settings_in_place_of_its_own(launch: Launch) -> None:
    found = launch(
        {"main.py": TEXT},
        settings={"num_workers": 2, "batch_size": 4, "persistent_workers": True},
        setting=RunConfig(2, 4, limit=60),
    )
    assert found.code == 0, found.stderr
    assert found.training is not None
    assert (found.training.num_workers, found.training.batch_size) == (2, 4)
    assert found.training.persistent_workers is True
