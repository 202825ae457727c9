"""Settings that are tried without an edit."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from dlint.findings.diagnostic import Applicability, Fix
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.verify.measure.handing import waits_for_handing
from dlint.verify.measure.record import LoaderRecord
from dlint.verify.options import Options
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.plan.order import in_line
from dlint.verify.plan.overrides import from_settings, parse_settings, waiting_trials
from dlint.verify.probe.dlint_probe.overriding import Limited, overridden
from dlint.verify.probe.dlint_probe.workers import Made
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.output import making
from dlint.verify.run.runner import Run, RunConfig
from dlint.verify.session import Session
from dlint.workspace.errors import UsageError
from tests.verify.conftest import Launch
from tests.verify.made import FakeRunner, loader, run
from tests.verify.sessions import made_candidates

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
    "text",
    [
        "",
        "num_workers",
        "num_workers=",
        "workers=4",
        "num_workers=f()",
        "4",
        "**{}",
        "worker_threads=0",
    ],
)
def test_settings_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="--set"):
        parse_settings(text)


def _asked(**settings: object) -> Candidate:
    return from_settings(tuple(settings.items()))


def _tried(of: LoaderRecord, *tried: Candidate, on_gpu: bool = False) -> list[str]:
    return [c.name for c in waiting_trials(of, 0.5, on_gpu, tried, cpus=8)]


def test_where_a_loop_waits_workers_and_a_longer_queue_are_tried() -> None:
    assert _tried(loader(workers=0), on_gpu=True) == [
        "num_workers=2, persistent_workers=True, pin_memory=True",
        "num_workers=4, persistent_workers=True, pin_memory=True",
    ]
    staying = loader(workers=2).model_copy(
        update={"persistent_workers": True, "prefetch_factor": 4}
    )
    assert _tried(staying) == ["num_workers=4", "prefetch_factor=8"]
    assert waiting_trials(staying, 0.1, False, (), 8) == []


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        (1, ["num_workers=0"]),
        (2, ["num_workers=0", "num_workers=1"]),
        (8, ["num_workers=0", "num_workers=4"]),
    ],
)
def test_where_a_loop_waits_for_what_is_made_fewer_workers_are_tried(
    workers: int, expected: list[str]
) -> None:
    own = loader(workers=workers)
    found = waiting_trials(own, 0.5, True, (), 8, for_handing=True)
    assert [candidate.name for candidate in found] == expected
    assert waiting_trials(own, 0.1, True, (), 8, for_handing=True) == []
    assert waiting_trials(own, 0.5, True, (_asked(num_workers=3),), 8, for_handing=True) == []


def handing(waited: float, making: float, workers: int = 2, pid: int = 7) -> Run:
    """A run whose loop waits so long for each batch that a worker makes in so many seconds."""
    made = run(step=0.01, workers=workers)
    (record,) = made.records
    (own,) = record.loaders
    given = tuple(moment + waited for moment in own.entered)
    loaders = (own.model_copy(update={"given": given, "worker_pids": (7, 8)}),)
    records = [record.model_copy(update={"loaders": loaders})]
    return replace(made, records=records, making={pid: (16, 16 * making)})


def test_what_a_loop_waits_for_is_told_by_what_workers_take() -> None:
    assert waits_for_handing(handing(0.004, 0.0001))
    assert not waits_for_handing(handing(0.004, 0.003)), "batches take as long as that"
    assert not waits_for_handing(handing(0.004, 0.0001, workers=0))
    assert not waits_for_handing(handing(0.004, 0.0001, pid=9)), "those of another loader"


def test_no_workers_are_tried_where_the_run_shows_it(tmp_path: Path) -> None:
    for takes in (0.0001, 0.003):
        _, sources = made_candidates(tmp_path)
        runner: Any = FakeRunner(lambda name, setting, m=takes: handing(0.004, m))  # type: ignore[misc]
        options = Options(budget=300, design="pairs")
        outcome = Session(runner, [], sources, options, NullObserver()).run()
        names = [result.name for result in outcome.results]
        assert names
        assert (sorted(names) == ["num_workers=0", "num_workers=1"]) is (takes < 0.001)


def test_what_workers_take_is_written_as_batches_double(tmp_path: Path) -> None:
    made = Made(str(tmp_path))
    for pid in (1, 2):
        for number in range(7):
            made.add(pid, 100.0 if number == 0 else 0.5)
    (tmp_path / "making.3").write_text("1 0.25\n2 0.")
    (tmp_path / "making.4").write_text("1 0")
    assert making(tmp_path) == {1: (4, 2.0), 2: (4, 2.0), 3: (1, 0.25)}


SMALL = """
from common import *
if __name__ == "__main__":
    model, optimizer = make()
    loader = DataLoader(Rows(n=4000), 2, num_workers=2, persistent_workers=True)
    for epoch in range(100):
        for x, y in loader:
            step(model, optimizer, x, y)
"""


@pytest.mark.slow
def test_a_look_shows_what_workers_take(launch: Launch) -> None:
    found = launch({"main.py": SMALL}, setting=RunConfig(0, 80, look=True, limit=60))
    assert found.code == 0, found.stderr
    assert found.training is not None
    assert set(found.making) == set(found.training.worker_pids)
    assert all(count >= 8 and 0 < seconds < count * 0.1 for count, seconds in found.making.values())


def test_what_a_candidate_does_to_this_loader_is_not_tried_again() -> None:
    own = loader(workers=2)
    assert own.site is not None
    path, row = own.site
    finding = made_with_workers(path, row)
    assert _tried(own, finding) == ["prefetch_factor=4, persistent_workers=True"]
    assert len(_tried(own, made_with_workers(path, row + 20))) == 2, "that is another loader"
    assert len(_tried(own, _asked(num_workers=3))) == 1, "settings are about all loaders"
    assert len(_tried(own, _asked(prefetch_factor=3))) == 1


def made_with_workers(path: str, row: int) -> Candidate:
    """A candidate whose fix gives the loader of a row two workers."""
    operation = SetArgument(Place(path, 0, 3), "num_workers", "2")
    fix = Fix(Applicability.TRIAL, "Two workers", (operation,))
    made = _asked(batch_size=1)._replace(settings=(), code="DLT108", fixes=(fix,))
    return made._replace(name=f"rule {row}", spots=(Spot(path, row, ""),))


def test_what_promises_most_is_tried_first() -> None:
    """Where a loop waits for four fifths of its time, four workers would feed it."""
    two, eight, four = (_asked(num_workers=count) for count in (2, 8, 4))
    none, other = _asked(num_workers=0), _asked(pin_memory=True)
    fault = other._replace(name="fault", observable=Observable.FAULT)
    tried = [other, two, none, eight, four, fault]
    assert in_line(tried, 0.8)[:2] == [fault, four]
    assert in_line(tried, 0.8)[-2:] == [other, none]
    assert in_line(tried, 0.01)[-3:] == [two, eight, four]
    assert in_line(tried, None) == [fault, *tried[:-1]]


class _Loader:
    def __init__(self, dataset: object, batch_size: int = 1, *, workers: int = 0) -> None:
        self.given = dataset, batch_size, workers


def test_arguments_are_replaced_however_they_are_given() -> None:
    for args, named in (((None, "data", 2), {}), ((None,), {"dataset": "data", "batch_size": 2})):
        rest, found = overridden(
            _Loader.__init__, args[0], args[1:], named, {"batch_size": 8, "workers": 3}
        )
        assert (rest, found) == ((), {"dataset": "data", "batch_size": 8, "workers": 3})


@pytest.mark.parametrize(
    ("own", "settings", "expected"),
    [
        ({"num_workers": 0}, {"prefetch_factor": 4}, {"num_workers": 0}),
        (
            {"num_workers": 2, "persistent_workers": True},
            {"num_workers": 0},
            {"num_workers": 0},
        ),
        ({"num_workers": 0, "persistent_workers": True}, {"timeout": 3}, None),
        ({"num_workers": 2}, {"prefetch_factor": 4}, None),
    ],
)
def test_what_is_about_workers_is_given_only_where_there_are_some(
    own: dict[str, object], settings: dict[str, object], expected: dict[str, object] | None
) -> None:
    """A loader of the validation without workers would refuse it. What the program itself gives is
    its own affair."""

    def init(
        self: object,
        num_workers: int = 0,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        timeout: float = 0,
    ) -> None: ...

    _, found = overridden(init, None, (), own, settings)
    assert found == (expected if expected is not None else {**own, **settings})


def test_threads_of_workers_are_what_they_begin_with(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(self: object, num_workers: int = 0, worker_init_fn: object = None) -> None: ...

    settings = {"worker_threads": 1}
    assert overridden(init, None, (), {"num_workers": 0}, settings)[1] == {"num_workers": 0}
    _, found = overridden(init, None, (), {"num_workers": 2, "worker_init_fn": print}, settings)
    assert sorted(found) == ["num_workers", "worker_init_fn"]
    assert pickle.loads(pickle.dumps(found["worker_init_fn"])).own is print

    threads: list[object] = []
    opencv = ModuleType("cv2")
    opencv.setNumThreads = threads.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cv2", opencv)
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    monkeypatch.setenv("OPENCV_FOR_THREADS_NUM", "")
    Limited(3, lambda worker: threads.append(f"worker {worker}"))(5)
    assert threads == ["worker 5", 3, 3]


OPENCV = """
from common import *
import cv2


class Pictures(Rows):
    def __getitem__(self, index):
        assert cv2.getNumThreads() == 1
        return super().__getitem__(index)


if __name__ == "__main__":
    model, optimizer = make()
    loader = DataLoader(Pictures(), 8, num_workers=1, multiprocessing_context="spawn")
    for x, y in loader:
        step(model, optimizer, x, y)
"""
THREADS = """
count = 8


def setNumThreads(number):
    global count
    count = number


def getNumThreads():
    return count
"""


@pytest.mark.slow
def test_threads_of_workers_that_are_spawned(launch: Launch) -> None:
    files = {"main.py": OPENCV, "cv2.py": THREADS}
    setting = RunConfig(2, 4, limit=60)
    found = launch(files, settings={"worker_threads": 1}, setting=setting)
    assert found.code == 0, found.stderr
    assert launch(files, setting=setting).code != 0


TWO = """
from common import *
if __name__ == "__main__":
    model, optimizer = make()
    other = DataLoader(Rows(n=8), 8, num_workers=0)
    loader = DataLoader(Rows(), 8, num_workers=0)
    for epoch in range(100):
        for x, y in loader:
            step(model, optimizer, x, y)
        for x, y in other:
            pass
"""


@pytest.mark.slow
def test_settings_of_one_place_are_those_of_no_other_loader(launch: Launch, tmp_path: Path) -> None:
    found = launch(
        {"main.py": TWO},
        settings={"num_workers": 2, "persistent_workers": True},
        at=(str((tmp_path / "main.py").resolve()), 6),
        setting=RunConfig(50, 10, limit=60),
    )
    assert found.code == 0, found.stderr
    assert found.record is not None
    by_row = {one.site[1]: one.num_workers for one in found.record.loaders if one.site}
    assert by_row == {5: 0, 6: 2}


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
