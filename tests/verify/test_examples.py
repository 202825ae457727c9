"""Each training example has the mistake that its README says, and a fix to try for it."""

from __future__ import annotations

import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from dlint.cli.verify_findings import find
from dlint.fixes.trials import trials
from tests.verify.programs import EXAMPLES, TRAINING

TRIED = {
    "images": ["zero-workers (num_workers=2)"],
    "table": ["workers-for-in-memory-data"],
    "texts": ["missing-persistent-workers"],
    "ranks": ["missing-set-epoch"],
}


@pytest.mark.parametrize("name", TRIED)
def test_what_is_tried(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "affinity", lambda: 2)
    shutil.copy(TRAINING / f"{name}.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    found = find(tmp_path / f"{name}.py", None, None)
    assert [candidate.name for candidate in found.candidates] == TRIED[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_program_has_its_mistake(name: str, tmp_path: Path) -> None:
    example = EXAMPLES[name]
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "train.py").write_text(example.text)
    found = find(tmp_path / "train.py", [example.rule], None)
    assert {candidate.rule for candidate in found.candidates} == {example.rule}


def test_each_rule_has_a_control() -> None:
    worthless = {e.rule for e in EXAMPLES.values() if "no-effect" in e.verdicts}
    worth = {e.rule for e in EXAMPLES.values() if e.verdicts & {"confirmed", "mends-fault"}}
    worth |= {e.rule for e in EXAMPLES.values() if "mends-crash" in e.verdicts}
    assert worth == worthless


def test_steps_of_the_tutorial() -> None:
    path = Path(__file__).parent.parent / "benchmarks" / "verify_tutorial.py"
    spec = spec_from_file_location("verify_tutorial", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = [module._text(step) for step in module.STEPS]
    assert len(set(texts)) == len(texts) == 6
    for text in texts:
        compile(text, "train.py", "exec")
