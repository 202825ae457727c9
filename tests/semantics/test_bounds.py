from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext, analysis_contexts
from dlint.ir.lower import lower
from dlint.model.loading.loaders import Loaders
from dlint.semantics.assembly import evaluator_of, solver_of
from dlint.semantics.project import Project
from dlint.semantics.values import solver as solving
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import AllocationSite, Literal, Value
from dlint.workspace.reading import read
from tests.ends import calls_in
from tests.semantics.asked import project_of, questions

DATA = "from torch.utils.data import DataLoader\ndef make():\n    return DataLoader([])\n"
MAIN = "from data import make\nfor x in make():\n    x.cuda()\n"
ALONE = "from torch.utils.data import DataLoader\nfor x in DataLoader([]):\n    x.cuda()\n"


def _project(folder: Path) -> tuple[Project, list[str]]:
    texts = {"data.py": DATA, "main.py": MAIN, "alone.py": ALONE}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    paths = sorted(str(folder / name) for name in texts)
    project = Project(
        frozenset(paths), lambda path: lower(read(path)), lambda path: Path(path).read_bytes()
    )
    return project, paths


def _program(folder: Path, budget: int) -> AnalysisContext:
    return AnalysisContext(*_project(folder), budget)


def test_enough_budget_follows_across_modules(tmp_path: Path) -> None:
    context = _program(tmp_path, 10_000)
    assert len(context[Loaders].transfers) == 2
    assert context.notes() == []


def test_past_the_budget_each_module_is_looked_at_by_itself(tmp_path: Path) -> None:
    needed = next(b for b in range(20, 400, 5) if not _program(tmp_path, b).notes())
    notes: list[str] = []
    found = [
        Path(transfer.call.scope.module.path).name
        for context in analysis_contexts(*_project(tmp_path), notes, needed - 5)
        for transfer in context[Loaders].transfers
    ]
    assert found == ["alone.py"]
    assert "each was looked at by itself" in notes[0]


def test_past_the_budget_nothing_more_is_visited(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "from torch.utils.data import DataLoader\n"
        "def f():\n    def g():\n        def h():\n            pass\n    DataLoader([])\n"
    )
    reached = []
    for budget in range(1, 60):
        project = Project(
            frozenset({str(path)}), lambda path: lower(read(path)), lambda _: path.read_bytes()
        )
        context = AnalysisContext(project, [str(path)], budget)
        reached.append("".join(scope.name for scope in context.reach.scopes if len(scope.name) < 2))
    assert list(dict.fromkeys(reached)) == ["", "f", "fg", "fgh"]


def test_a_module_past_the_budget_is_not_checked(tmp_path: Path) -> None:
    notes: list[str] = []
    checked = {p.modules[0].module.path for p in analysis_contexts(*_project(tmp_path), notes, 1)}
    lost = {note.rpartition(": ")[2] for note in notes if "it was not checked" in note}
    assert lost
    assert checked | lost == {str(path) for path in tmp_path.iterdir()}


def test_modules_past_the_limit_are_named_in_a_note(tmp_path: Path) -> None:
    context = _program(tmp_path, 10_000)
    context.project.limit = 0
    context.project.load(str(tmp_path / "data.py"))
    assert context.project.load(str(tmp_path / "other.py")) is None


def test_past_the_limit_others_may_pass_anything(tmp_path: Path) -> None:
    text = (
        "from torch.utils.data import DataLoader\n"
        "def make(pin=False):\n    return DataLoader([], pin_memory=pin)\n"
        "for x in make():\n    x.cuda()\n"
    )
    path = tmp_path / "a.py"
    path.write_text(text, "utf-8")
    for most_bytes, unpinned in ((10_000, True), (1, False)):
        project = Project(
            frozenset({str(path)}),
            lambda path: lower(read(path)),
            lambda path: Path(path).read_bytes(),
            most_bytes=most_bytes,
        )
        context = AnalysisContext(project, [str(path)])
        loaders = [x for group in context[Loaders].by_call().values() for x in group]
        assert all(loader.is_unpinned for loader in loaders) is unpinned


def test_a_partial_bound_to_itself_ends(tmp_path: Path) -> None:
    text = (
        "from functools import partial\n"
        "from torch.utils.data import DataLoader\n"
        "class Run:\n"
        "    def __init__(self):\n"
        "        self.make = partial(DataLoader, [])\n"
        "        self.make = partial(self.make, num_workers=2)\n"
        "    def train(self):\n"
        "        for x in self.make():\n            x.cuda()\n"
    )
    path = tmp_path / "a.py"
    path.write_text(text, "utf-8")
    project = Project(
        frozenset({str(path)}), lambda path: lower(read(path)), lambda path: Path(path).read_bytes()
    )
    assert len(AnalysisContext(project, [str(path)], 10_000)[Loaders].transfers) == 1


def _sharing(folder: Path, functions: int) -> AnalysisContext:
    """A module whose functions write to one global that may hold the containers of all."""
    text = "from torch.utils.data import DataLoader\nkept = []\n"
    for number in range(functions):
        text += (
            f"def f{number}(x):\n    global kept\n    kept = kept or []\n"
            "    kept.append([x])\n    kept = [*kept, {}, kept]\n"
        )
    path = folder / "a.py"
    path.write_text(f"{text}for row in kept:\n    DataLoader(row)\n", "utf-8")
    project = Project(
        frozenset({str(path)}), lambda path: lower(read(path)), lambda path: Path(path).read_bytes()
    )
    return AnalysisContext(project, [str(path)])


def test_a_global_that_all_functions_write_to_is_not_watched_once_for_each_pair(
    tmp_path: Path,
) -> None:
    few = calls_in(lambda: _sharing(tmp_path, 20))
    assert calls_in(lambda: _sharing(tmp_path, 40)) < 3.5 * few


def _ask_much(solver: Solver) -> None:
    """Have some 200,000 steps taken for one question."""
    nodes = [ConstraintNode() for _ in range(60)]
    for source in nodes:
        for target in nodes:
            solver.connect(source, target)
    for number, node in enumerate(nodes):
        solver.add(node, Literal.of(number))
    solver.settle()


def test_the_budget_counts_what_is_taken_along_each_edge(tmp_path: Path) -> None:
    solver = _program(tmp_path, 20_000).solver
    _ask_much(solver)
    assert solver.exhausted


def test_one_question_takes_a_part_of_the_budget_and_further_ones_as_much_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _program(tmp_path, 1_000_000).solver
    for _ in range(3):
        _ask_much(asked)
    assert not asked.exhausted
    monkeypatch.setattr(solving, "_ONE", asked.steps // 4)
    _ask_much(other := _program(tmp_path, 1_000_000).solver)
    assert other.exhausted
    assert other.steps < asked.steps / 2


MERGED = """
class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def merged(self, other):
        return Rows(self.rows + other.rows)


def collate(parts):
    whole = Rows([])
    for part in parts:
        whole = whole.merged(part)
    return reveal(whole)
"""


def _denoted(text: str) -> list[Value]:
    """What the one question of a program is about; few steps are taken for it."""
    evaluator = evaluator_of(solver_of(project_of(text), 20_000))
    (call,) = questions(evaluator)
    found = evaluator.solver.values(call.arguments[0].value, evaluator.solver.root(call.scope))
    assert not evaluator.solver.exhausted
    return [*found]


def test_an_object_that_each_round_makes_of_the_last_one_comes_to_an_end() -> None:
    found = _denoted(MERGED)
    assert 2 <= len([value for value in found if isinstance(value, AllocationSite)]) < 6


def test_a_chain_of_calls_is_told_apart() -> None:
    chain = "".join(".merged(Rows([1]))" for _ in range(5))
    (made,) = _denoted(MERGED.partition("def collate")[0] + f"reveal(Rows([]){chain})")
    assert isinstance(made, AllocationSite)
    assert made.frame.call is not None


def test_past_the_budget_what_was_known_is_asked_again() -> None:
    evaluator = evaluator_of(solver_of(project_of("class A: ...\nreveal(A() if u else None)\n")))
    (call,) = questions(evaluator)
    asked, frame = call.arguments[0].value, evaluator.solver.root(call.scope)
    before = evaluator.of(asked, frame)
    assert not any(alternative.is_unknown for alternative in before)
    evaluator.solver.give_up()
    after = evaluator.of(asked, frame)
    assert any(alternative.is_unknown for alternative in after), "not what stands beside new ones"
    assert evaluator.of(asked, frame) is after
