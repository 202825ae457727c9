"""What the probe costs in a step."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "verify_overhead.py"
MOST = 10e-6
"""One hundredth of a step of a millisecond."""


@pytest.mark.slow
def test_the_probe_costs_less_than_a_hundredth_of_a_short_step() -> None:
    spec = spec_from_file_location("verify_overhead", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    added = (module.overhead(repeats=1, steps=4000)[1] for _ in range(3))
    assert any(seconds < MOST for seconds in added)  # a busy machine may need a second look
