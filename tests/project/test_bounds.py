from __future__ import annotations

from pathlib import Path

from dlint.domain.program import Program
from dlint.index.lower import lower
from dlint.project.project import Project
from dlint.source import read

DATA = "from torch.utils.data import DataLoader\ndef make():\n    return DataLoader([])\n"
MAIN = "from data import make\nfor x in make():\n    x.cuda()\n"
ALONE = "from torch.utils.data import DataLoader\nfor x in DataLoader([]):\n    x.cuda()\n"


def _program(folder: Path, budget: int) -> Program:
    texts = {"data.py": DATA, "main.py": MAIN, "alone.py": ALONE}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    paths = sorted(str(folder / name) for name in texts)
    project = Project(
        frozenset(paths), lambda path: lower(read(path)), lambda path: Path(path).read_bytes()
    )
    return Program(project, paths, budget)


def test_enough_budget_follows_across_modules(tmp_path: Path) -> None:
    program = _program(tmp_path, 10_000)
    assert len(program.loaders.transfers) == 2
    assert program.notes() == []


def test_past_the_budget_each_module_is_looked_at_by_itself(tmp_path: Path) -> None:
    needed = next(b for b in range(20, 400, 5) if not _program(tmp_path, b).notes())
    program = _program(tmp_path, needed - 5)
    assert [Path(t.call.scope.module.path).name for t in program.loaders.transfers] == ["alone.py"]
    assert "each was looked at by itself" in program.notes()[0]


def test_modules_past_the_limit_are_named_in_a_note(tmp_path: Path) -> None:
    program = _program(tmp_path, 10_000)
    program.project.limit = 0
    program.project.load(str(tmp_path / "data.py"))
    assert program.project.load(str(tmp_path / "other.py")) is None
