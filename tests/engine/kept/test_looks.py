"""Edits of code that nobody looked at end no answer; those of what was read do."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import dlint
from dlint.engine.kept.looks import QUESTIONS, TABLES
from tests.engine.kept.conftest import Run, Seen

CODE = """rows = []


class Helper:
    def show(self, value):
        total = value * 3
        print(total, "is shown")


def unrelated(a):
    b = a + 1
    return [b, 2]
"""


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("total = value * 3", "total = value * 4", []),
        ("total = value * 3", "total = value * 3\n        another = 5", []),
        ("b = a + 1", "b = a + 1000", []),
        ("b = a + 1", "b = a + 1\n    rows = a.cuda()", ["a"]),
        ("[b, 2]", "[b, 7]", []),
        ("rows = []", "rows = [1, 2, 3]", ["a"]),
        ("b = a + 1", "b = DataLoader(a, num_workers=1)", ["a"]),
        ("b = a + 1", "global rows\n    rows = iter(a)", ["a"]),
        ("rows = []", "rows = []\nrows = iter([1])", ["a"]),
    ],
)
def test_an_edit_ends_an_answer_if_it_was_looked_at(
    run: Run, seen: Seen, tmp_path: Path, before: str, after: str, parts: list[str]
) -> None:
    edited = tmp_path / "project/a/data_a.py"
    edited.write_text(CODE)
    run()
    for text in (CODE.replace(before, after), f"# why\n{CODE.replace(before, after)}"):
        edited.write_text(text)
        run()
        assert seen.parts == parts
        parts = []


DATA = "rows = []\n\n\ndef made(n):\n    return n\n\n\ndef steps():\n    return made(2)\n"
SCRIPT = """
import torch
from torch.utils.data import DataLoader
from data_a import rows, steps


def shown(rows):
    count = 2
    return rows


def main():
    for x in DataLoader(shown(rows), num_workers=steps()):
        x.cuda()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("\n\ndef shown", "\nanother = 1\n\n\ndef shown", []),
        ("\n\ndef shown", "\nhint = 'made'\n\n\ndef shown", []),
        ("    count = 2", "    count = 3\n    another = count", []),
        ("\n\ndef shown", "\nmain()\n\n\ndef shown", ["a"]),
        ("    main()\n", "    rows.append(1)\n    main()\n", ["a"]),
        ('if __name__ == "__main__":', "if True:", ["a"]),
    ],
)
def test_an_edit_of_a_script_ends_an_answer_if_it_was_looked_at(
    run: Run, seen: Seen, tmp_path: Path, before: str, after: str, parts: list[str]
) -> None:
    project = tmp_path / "project/a"
    (project / "data_a.py").write_text(DATA)
    (project / "train.py").write_text(SCRIPT)
    run()
    assert before in SCRIPT
    (project / "train.py").write_text(SCRIPT.replace(before, after))
    run()
    assert seen.parts == parts


def test_findings_move_with_code_that_is_written_before_them(
    run: Run, seen: Seen, tmp_path: Path
) -> None:
    edited = tmp_path / "project/a/train.py"
    text = edited.read_text() + "\n\ndef after(value):\n    return value * 3\n"
    text = text.replace("\nfor x", "\ndef before(value):\n    return value * 3\n\n\nfor x")
    edited.write_text(text)
    found = run().diagnostics
    said = [
        (d.message, text[d.place.start : d.place.end]) for d in found if d.place.path == str(edited)
    ]
    assert said
    for _ in range(3):
        text = text.replace("return value * 3", "return value * 333")
        edited.write_text(text)
        found = run().diagnostics
        assert seen.parts == []
        here = [d for d in found if d.place.path == str(edited)]
        assert [(d.message, text[d.place.start : d.place.end]) for d in here] == said


def test_all_tables_and_questions_are_known() -> None:
    """What is not known would end an answer with each edit."""
    found: dict[str, set[str]] = {"table": set(), "told_by_code": set()}
    top = Path(dlint.__file__).parent
    for path in top.rglob("*.py"):
        home = ".".join(path.relative_to(top.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.FunctionDef(name=name, decorator_list=decorators):
                    if any(isinstance(d, ast.Name) and d.id == "told_by_code" for d in decorators):
                        found["told_by_code"].add(f"{home}:{name}")
                case ast.Call(func=ast.Attribute(attr="table"), args=[ast.Name(id=name)]):
                    found["table"].add(name)
    assert found["told_by_code"] == QUESTIONS
    assert found["table"] == {name.rpartition(":")[2] for name in TABLES}
    for name in TABLES | QUESTIONS:
        home, _, own = name.partition(":")
        assert callable(getattr(import_module(home), own))
