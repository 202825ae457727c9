"""What a check says of earlier measurements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.cli.main import main
from dlint.reports.measured import FOLDER, Measurement, Measurements, write

LINE = "loader = DataLoader(data, num_workers=4)"
MADE = Measurement(
    rule="missing-pin-memory",
    fix="missing-pin-memory",
    verdict="confirmed",
    program="train.py",
    machine="NVIDIA X",
    torch="2.13.0",
    when="2026-11-21T10:00:00+00:00",
    speedup=1.5,
    low=1.4,
    high=1.6,
    observable="seconds a step",
    places=(("pkg/train.py", LINE),),
)


def _of(root: Path, line: str = f"    {LINE}", rule: str = "missing-pin-memory") -> list[str]:
    found = Measurements().of(rule, str(root / "pkg" / "train.py"), line)
    return [measurement.in_words() for measurement in found]


def test_a_result_is_shown_where_it_was_measured(tmp_path: Path) -> None:
    assert _of(tmp_path) == []
    write(tmp_path / FOLDER, "a", MADE)
    words = (
        "the fix pays, a step 1.50x (1.40..1.60); train.py on NVIDIA X, torch 2.13.0, 2026-11-21"
    )
    assert _of(tmp_path) == [words]
    assert _of(tmp_path, line="loader = DataLoader(data)") == []
    assert _of(tmp_path, rule="zero-workers") == []


def test_the_latest_result_of_each_trial_and_machine_counts(tmp_path: Path) -> None:
    later = "2026-11-22T10:00:00+00:00"
    trial = MADE._replace(fix="missing-pin-memory (x=2)", verdict="slower", speedup=None)
    write(tmp_path / FOLDER, "b", MADE)
    write(tmp_path / FOLDER, "a", MADE._replace(verdict="no-effect", when=later))
    write(tmp_path / FOLDER, "c", MADE._replace(machine="CPU"))
    write(tmp_path / FOLDER, "d", trial)
    found = _of(tmp_path)
    assert len(found) == 3
    assert any(
        w.startswith("the fix has no effect, a step 1.50x (1.40..1.60); train.py") for w in found
    )
    assert "x=2: slower with the fix; train.py on NVIDIA X, torch 2.13.0, 2026-11-21" in found


def test_what_an_epoch_gains_is_told_before_a_step() -> None:
    made = MADE._replace(observable="seconds an epoch", step=1.9)
    told = "the fix pays, an epoch 1.50x (1.40..1.60), a step 1.90x; train.py"
    assert made.in_words().startswith(told)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 9, "when": "x"}', '{"when": 1}'])
def test_what_cannot_be_read_is_left_out(tmp_path: Path, text: str) -> None:
    write(tmp_path / FOLDER, "a", MADE)
    (tmp_path / FOLDER / "broken.json").write_text(text)
    assert len(_of(tmp_path)) == 1


def test_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "from torch.utils.data import DataLoader, WeightedRandomSampler\n\n\n"
        "def make(data, sampler):\n"
        "    sampler = WeightedRandomSampler([1.0], 1)\n"
        "    return DataLoader(data, shuffle=True, sampler=sampler)\n"
    )
    (tmp_path / "train.py").write_text(text)
    rule, line = "shuffle-with-sampler", text.splitlines()[-1].strip()
    made = MADE._replace(rule=rule, fix=rule, verdict="mends-crash", speedup=None)
    write(tmp_path / FOLDER, "a", made._replace(places=(("train.py", line),)))
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--no-cache", "train.py"]) == 1
    words = "measured: a crash is fixed; train.py on NVIDIA X, torch 2.13.0, 2026-11-21\n"
    assert words in capsys.readouterr().out
    main(["check", "--no-cache", "train.py", "--output-format", "json"])
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["measured"][0]["verdict"] == "mends-crash"
    assert "places" not in finding["measured"][0]


@pytest.mark.parametrize("name", ["schema", *Measurement._fields])
@pytest.mark.parametrize(
    "value", [None, 0, 1e308, float("inf"), 10**400, True, "x", [], {}, ["a"], [[["a"], 1]]]
)
def test_what_a_project_brings_is_taken_for_what_it_looks_like(
    tmp_path: Path, name: str, value: object
) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    document = {"schema": 1, **MADE._asdict(), name: value}
    (tmp_path / FOLDER / "a.json").write_text(json.dumps(document))
    for words in _of(tmp_path):
        assert "inf" not in words
        assert len(words) < 1_000


def test_a_result_is_one_line_of_some_length(tmp_path: Path) -> None:
    for name in ("fix", "verdict", "program", "machine", "torch", "when"):
        write(tmp_path / FOLDER, name, MADE._replace(**{name: "a\n::error::b" + "c" * 9_000}))
    found = _of(tmp_path)
    assert len(found) == 3
    assert not any("\n" in words or len(words) > 1_000 for words in found)


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 200_000, '{"schema": 1', "\0"])
def test_what_is_no_result_is_left_out(tmp_path: Path, text: str) -> None:
    write(tmp_path / FOLDER, "a", MADE)
    (tmp_path / FOLDER / "b.json").write_text(text)
    (tmp_path / FOLDER / "c.json").mkdir()
    assert len(_of(tmp_path)) == 1
