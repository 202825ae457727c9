"""Tasks in processes: answers, crashes, deaths and endless ones."""

from __future__ import annotations

import math
import os
import time

from tests.tools.workers import each


def test_every_item_has_its_answer() -> None:
    done = {one.item: one.answer for one in each(math.sqrt, [1.0, 4.0, 9.0], 2, 30)}
    assert done == {1.0: 1.0, 4.0: 2.0, 9.0: 3.0}


def test_a_crash_is_told_with_its_traceback() -> None:
    (good, bad) = sorted(each(math.sqrt, [-1.0, 4.0], 1, 30), key=lambda one: -one.item)
    assert good.answer == 2.0
    assert bad.answer is None
    assert bad.problem is not None
    assert "ValueError: math domain error" in bad.problem


def test_a_process_that_dies_is_told() -> None:
    (done,) = each(os._exit, [7], 1, 30)
    assert done.problem == "the process ended with code 7"


def test_an_endless_task_is_ended() -> None:
    start = time.monotonic()
    (done,) = each(time.sleep, [60], 1, 0.3)
    assert done.problem == "not done after 0.3 s"
    assert time.monotonic() - start < 30
