"""Loops in which somebody is debugging."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.idle.debugged import DebuggedLoops
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

LOOP = "{0}\ndef train(loader, step, test):\n    for batch in loader:\n{1}\n    step()\n"
STOPS = {
    "pdb": ("", "        HERE\n        import pdb; pdb.set_trace()"),
    "breakpoint": ("", "        HERE\n        breakpoint()"),
    "a console": ("from IPython import embed", "        embed()\n        HERE"),
    "within with": ("import pdb", "        with test:\n            pdb.set_trace()\n        HERE"),
    "a loop inside": ("", "        breakpoint()\n        for x in batch:\n            HERE"),
}
GOES_ON = {
    "behind a test": ("", "        HERE\n        if test:\n            breakpoint()"),
    "behind a condition": ("", "        HERE\n        test and breakpoint()"),
    "left before": (
        "",
        "        HERE\n        if test:\n            continue\n        breakpoint()",
    ),
    "another function": ("from own import embed", "        HERE\n        embed()"),
    "another object": ("", "        HERE\n        test.set_trace()"),
    "outside": ("", "        pass\n    breakpoint()\n    HERE"),
}


def _is_debugged(given: tuple[str, str], context: MakeProgram, folder: Path) -> bool:
    text = LOOP.format(*given).replace("HERE", "print(here)")
    at = text.index("print(here)")
    made = context({"main.py": text})
    return made[DebuggedLoops].around(Place(str(folder / "main.py"), at, at + 5)) is not None


@pytest.mark.parametrize("given", STOPS.values(), ids=STOPS)
def test_a_loop_that_stops(given: tuple[str, str], context: MakeProgram, tmp_path: Path) -> None:
    assert _is_debugged(given, context, tmp_path)


@pytest.mark.parametrize("given", GOES_ON.values(), ids=GOES_ON)
def test_a_loop_that_goes_on(given: tuple[str, str], context: MakeProgram, tmp_path: Path) -> None:
    assert not _is_debugged(given, context, tmp_path)
