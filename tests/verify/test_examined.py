"""What the probe records of a run that is divided into parts; others know nothing of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.verify.run.runner import Run, RunConfig

PROGRAM = {
    "main.py": """
    from common import *

    class Double:
        def __call__(self, x):
            time.sleep(0.002)
            return 2 * x

    class Compose:
        def __init__(self, *parts):
            self.transforms = list(parts)
        def __call__(self, x):
            for part in self.transforms:
                x = part(x)
            return x

    def halved(x):
        return x / 2

    class Changed(Rows):
        def __init__(self, n):
            super().__init__(n)
            self.change = Compose(Double(), halved)
        def __getitem__(self, index):
            x, y = super().__getitem__(index)
            return {"x": self.change(x), "y": y}

    model, optimizer = make()
    for epoch in range(100):
        for batch in DataLoader(Changed(96), 8, num_workers=WORKERS):
            x = batch.pop("x")
            assert 0 <= float(x.min()) and float(x.max()) < 96, x
            step(model, optimizer, x, batch["y"])
            x.add_(1000)
    """
}
STEPS = {"warmup": 4, "window": 12, "profile": 6, "settle": 3, "replay": 12}
EXAMINED = RunConfig(limit=60, doctor={"seconds": 60.0, "steps": STEPS})


@pytest.mark.parametrize("workers", [0, 2])
def test_the_parts_of_a_run(launch: Callable[..., Run], workers: int) -> None:
    program = {"main.py": PROGRAM["main.py"].replace("WORKERS", str(workers))}
    run = launch(program, setting=EXAMINED)
    assert run.code == 0, run.stderr
    assert run.record is not None
    found = run.record.doctor
    assert found is not None
    assert list(found.phases) == list(STEPS)
    taken = {name: (span.last or 0) - span.first for name, span in found.phases.items()}
    assert {**taken, "warmup": 4} == STEPS
    assert found.replayed == 6
    assert found.profile.error is None
    assert "aten::linear" in found.profile.names
    assert {depth >= 0 for depth in found.depths} == {workers > 0}
    fetched = [one for one in run.fetched.values() if len(one.rows) > 2]
    assert {met["loader"] for one in fetched for met in one.met} == {None if workers else 0}
    assert all(met["samples"] > 8 and not met["nones"] for one in fetched for met in one.met)
    calls = {name: n for one in fetched for name, (_, n) in one.callables.items()}
    assert calls.keys() == {"Double", "halved", "Compose"}
    for one in fetched:
        assert one.callables["Double"][0] >= 0.002 * one.callables["Double"][1]
        assert one.callables["Compose"][0] < one.callables["Double"][0]


SPAWNED = {
    "data.py": """
    from common import *

    class Double:
        def __call__(self, x):
            return 2 * x

    class Doubled(Rows):
        def __init__(self, n):
            super().__init__(n)
            self.change = Double()
        def __getitem__(self, index):
            x, y = super().__getitem__(index)
            return self.change(x), y
    """,
    "main.py": """
    from common import *
    from data import Doubled

    def main():
        model, optimizer = make()
        loader = DataLoader(Doubled(400), 8, num_workers=1, multiprocessing_context="spawn")
        for epoch in range(100):
            for x, y in loader:
                step(model, optimizer, x, y)

    if __name__ == "__main__":
        main()
    """,
}


def test_workers_that_are_spawned(launch: Callable[..., Run]) -> None:
    run = launch(SPAWNED, setting=EXAMINED)
    assert run.code == 0, run.stderr
    assert run.training is not None
    (pid,) = run.training.worker_pids[:1]
    fetched = run.fetched[pid]
    assert len(fetched.rows) > 12
    assert fetched.callables["Double"][1] >= 8 * 12
    assert fetched.sent
    assert [met["loader"] for met in fetched.met] == [None]


def test_a_run_that_is_not_examined_knows_nothing_of_it(launch: Callable[..., Run]) -> None:
    run = launch({"main.py": PROGRAM["main.py"].replace("WORKERS", "1")})
    assert run.record is not None
    assert run.record.doctor is None
    assert run.fetched == {}
