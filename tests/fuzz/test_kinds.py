"""Every kind of the fuzzers for a moment, and what they tell where a law is broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dlint.fixes.write import write_all
from tests.fuzz import __main__ as command
from tests.fuzz import fixing
from tests.fuzz.choices import Choices, Drawn
from tests.fuzz.fixing import broken_fixes
from tests.fuzz.kinds import KINDS
from tests.fuzz.laws import written

EXAMPLES = {"settings": 25, "mutants": 12, "notebooks": 8, "pages": 6, "fixes": 6}
SUFFICES = 3
BAD = (
    "from torch.utils.data import DataLoader, RandomSampler\n\n"
    "def make(data):\n    return DataLoader(data, sampler=RandomSampler(data), shuffle=True)\n"
)


@pytest.mark.parametrize("kind", KINDS)
def test_no_law_is_broken(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(
        max_examples=EXAMPLES.get(kind, SUFFICES),
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def hold(data: st.DataObject) -> None:
        folder = tmp_path_factory.mktemp(kind)
        assert list(KINDS[kind](Drawn(data), folder)) == []

    hold()


def _spoiled(path: str, text: str) -> None:
    Path(path).write_bytes(Path(path).read_bytes() + text.encode())


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: _spoiled(path, "x = (\n"), "does not parse any more"),
        (lambda path: _spoiled(path, "y = 1\r\n"), "has newlines that it had not"),
        (lambda path: _spoiled(path, BAD), "fixed again"),
        (lambda path: _spoiled(path, "y = 1\n"), "does not hold what was shown"),
        (lambda path: _spoiled(str(Path(path).with_name("b.py")), " "), "without being named"),
    ],
)
def test_a_broken_fix_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[str], None], told: str
) -> None:
    files = written(tmp_path, {"a.py": BAD, "b.py": "x = 1\n"})
    assert list(broken_fixes(tmp_path, files)) == []
    assert "shuffle" not in (tmp_path / "a.py").read_text()

    def spoiling(changes: list[object]) -> None:
        write_all(changes)  # type: ignore[arg-type]
        spoil(str(tmp_path / "a.py"))

    (tmp_path / "a.py").write_text(BAD)
    monkeypatch.setattr(fixing, "write_all", spoiling)
    assert any(told in text for text in broken_fixes(tmp_path, files))


def test_a_run_goes_on_where_the_last_one_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def odd(choices: Choices, folder: Path) -> Iterator[str]:
        seen.append(choices.number(0, 10**9))
        assert not any(folder.iterdir())
        if len(seen) == 2:
            raise ValueError("so")
        if len(seen) == 3:
            yield "a law"

    monkeypatch.setattr(command, "KINDS", {"odd": odd})
    monkeypatch.setattr(command, "_AT_ONCE", 1)
    totals = tmp_path / "totals.json"
    argv = ["--hours", "1e-9", "--kinds", "odd", "--totals", str(totals)]
    for expected in (0, 1, 1, 1):
        times = iter([0.0, 0.0, 1.0])
        monkeypatch.setattr(command.time, "monotonic", times.__next__)
        assert command.main(argv) == expected
    monkeypatch.undo()
    monkeypatch.setattr(command, "KINDS", {"odd": odd})
    kept = json.loads(totals.read_text())["odd"]
    assert (kept["next"], kept["faults"]) == (
        4,
        {"1": ["ValueError('so') from None"], "2": ["a law"]},
    )
    assert len(set(seen)) == 4
    assert "odd: 4 run, 2 faults" in capsys.readouterr().out
    command.main(["--case", "odd", "1"])
    assert seen[-1] == seen[1]
    command.main([*argv, "--hours", "1", "--cases", "5"])
    assert json.loads(totals.read_text())["odd"]["next"] == 5
