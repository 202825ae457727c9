"""What a process notes of the samples that it collates."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from dlint.verify.probe.dlint_probe import content
from dlint.verify.probe.dlint_probe.doctor import samples


class Fetcher:
    """One of a data set that is asked by indices."""


def hashes(monkeypatch: pytest.MonkeyPatch, digest: Callable[[object], str]) -> list[str]:
    """Those of a batch of eight, where each is made in this way."""
    monkeypatch.setattr(content, "digest", digest)
    met = samples.Met()
    met.look(range(8), range(8), Fetcher())
    found: list[str] = met.told()["hashes"]
    return found


def test_a_machine_that_lets_a_process_wait_does_not_end_the_hashes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def digest(sample: object) -> str:
        time.sleep(0.06)
        return f"{sample}"

    assert hashes(monkeypatch, digest) == [f"{number}" for number in range(8)]


def test_samples_that_take_long_to_hash_are_left_after_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def digest(sample: object) -> str:
        end = time.thread_time() + 0.06
        while time.thread_time() < end:
            pass
        return f"{sample}"

    assert hashes(monkeypatch, digest) == ["0"]
