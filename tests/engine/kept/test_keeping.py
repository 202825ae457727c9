"""Answers that are kept: when they are used, and what ends them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine import answering
from dlint.engine.analyse import analyse
from dlint.engine.answer import Answer
from dlint.engine.kept import edits
from dlint.engine.kept import files as files_module
from dlint.engine.request import Request
from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Related, Severity
from dlint.findings.edits import Edit
from dlint.findings.operations import (
    CallMethod,
    MoveToModuleTop,
    RemoveArgument,
    ReplaceExpression,
    SetArgument,
)
from dlint.findings.places import Place
from dlint.fixes import lowering, python_syntax
from dlint.fixes.lowering import lower
from dlint.semantics.names import programs
from dlint.workspace import written_imports
from dlint.workspace.reading import Sources
from dlint.workspace.source import FileProblem, Source
from tests.engine.kept.conftest import Run, Seen


def test_an_unchanged_project_is_not_even_read(run: Run, seen: Seen) -> None:
    first = run()
    assert (seen.parts, first.diagnostics != []) == (["a", "b"], True)
    again = run()
    assert (seen.parts, seen.read) == ([], set())
    assert again.diagnostics == first.diagnostics
    assert (again.notes, again.warnings) == (first.notes, first.warnings)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_processes_read_of_files_is_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(answering, "_WORTH", 0)
    run(jobs=jobs)
    found = written_imports.written_imports
    read: list[bytes] = []
    monkeypatch.setattr(
        written_imports, "written_imports", lambda raw: (read.append(raw), found(raw))[1]
    )
    edited = tmp_path / "project/a/train.py"
    edited.write_text(f"{edited.read_text()}more = 1\n")
    run()
    assert read
    assert all(b"more" in raw for raw in read)


def test_a_file_of_it_is_answered_from_what_was_said_of_all(run: Run, seen: Seen) -> None:
    whole = run()
    one = run("a/train.py")
    assert (seen.parts, seen.read <= {"train.py"}) == ([], True)
    expected = [d for d in whole.diagnostics if "/a/train.py" in d.place.path]
    assert one.diagnostics == expected != []


def test_an_edit_ends_the_answer_about_its_program(run: Run, seen: Seen, tmp_path: Path) -> None:
    run()
    (tmp_path / "project/a/data_a.py").write_text("rows = [1, 2]\n")
    run()
    assert seen.parts == ["a"]


def test_a_file_of_the_same_size_and_date_is_told_by_its_state(
    run: Run, seen: Seen, tmp_path: Path
) -> None:
    run()
    path = tmp_path / "project/a/data_a.py"
    state = path.stat()
    path.write_text("sowr = []\n")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert path.stat().st_size == state.st_size
    run()
    assert seen.parts == ["a"]


def test_files_that_were_written_a_moment_ago_are_read_again(
    run: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_COARSE", 10**12)
    run()
    run()
    assert (seen.parts, "train.py" in seen.read) == ([], True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "torch==1.8\n"),
        ("README.md", "Install PyTorch 1.8.\n"),
        ("a/requirements.txt", "torch==1.8\n"),
        ("a/rows.py", "from data_a import rows\n"),
    ],
)
def test_what_was_asked_beside_the_code_ends_it(
    run: Run, seen: Seen, tmp_path: Path, name: str, text: str
) -> None:
    run()
    (tmp_path / "project" / name).write_text(text)
    run()
    assert "a" in seen.parts


def test_words_of_other_programs_end_it_if_they_were_asked_for(
    run: Run, seen: Seen, tmp_path: Path
) -> None:
    run()
    other = tmp_path / "project/c1.py"
    other.write_text("y = 1\n")
    run()
    assert seen.parts == []
    other.write_text("from torch.distributed.fsdp import FullyShardedDataParallel\n")
    run()
    assert seen.parts == ["a", "b"]


def test_a_file_that_was_only_searched_ends_it_by_what_was_searched_for(
    run: Run, seen: Seen, tmp_path: Path
) -> None:
    other = tmp_path / "project/a/other.py"
    other.write_text("import data_a\n\nremark = 1\n")
    run()
    other.write_text("import data_a\n\nremark = 12  # and why\n")
    run()
    assert seen.parts == []
    other.write_text("import data_a\n\nx = 1\n")
    run()
    assert seen.parts == ["a"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "# a remark\n\n" + text,
        lambda text: text.replace("num_workers=2", "\n    num_workers = 2"),
        lambda text: text.replace("torch\n", "torch  # of today\n"),
    ],
)
def test_what_only_moves_takes_its_findings_along(
    run: Run, seen: Seen, tmp_path: Path, change: Callable[[str], str]
) -> None:
    path = tmp_path / "project/a/train.py"
    before = run().diagnostics
    path.write_text(change(path.read_text()))
    moved = run().diagnostics
    assert (seen.parts, moved != before) == ([], True)
    shutil.rmtree(tmp_path / "caches")
    assert run().diagnostics == moved
    assert seen.parts == ["a", "b"]


def test_what_has_moved_once_is_kept_where_it_lies_now(
    run: Run, seen: Seen, tmp_path: Path
) -> None:
    run()
    path = tmp_path / "project/a/train.py"
    path.write_text("# a remark\n" + path.read_text())
    moved = run().diagnostics
    again = run()
    assert (seen.read, again.diagnostics) == (set(), moved)


def test_another_constant_is_no_move(run: Run, seen: Seen, tmp_path: Path) -> None:
    run()
    path = tmp_path / "project/a/train.py"
    path.write_text(path.read_text().replace("num_workers=2", "num_workers=3"))
    run()
    assert seen.parts == ["a"]


def test_what_nobody_knows_the_place_of_is_found_anew(run: Run, seen: Seen, tmp_path: Path) -> None:
    run()
    path = tmp_path / "project/a/train.py"
    (entry,) = (tmp_path / "caches").glob(f"*/*/{_name(path)}.json")
    path.write_text("# a remark\n" + path.read_text())
    entry.unlink()
    run()
    assert seen.parts == ["a"]


def _edits(run: Run) -> list[tuple[Edit, ...] | None]:
    """The edits of all fixes of a run."""
    sources = Sources()
    found = run(sources=sources).diagnostics
    return [lower(d.fix, sources) for d in found if d.fix is not None]


def test_a_file_is_parsed_once_for_the_fixes_of_many_rules(
    tmp_path: Path, parsed: list[str]
) -> None:
    paths = [tmp_path / f"train{number}.py" for number in range(40)]
    for path in paths:
        path.write_text("import torch\nx = 1\n")

    def said(path: str, rule: str) -> Diagnostic:
        operation = ReplaceExpression(Place(path, 17, 18), rule)
        fix = Fix(Applicability.SAFE, "", (operation,))
        return Diagnostic("DL000", rule, Severity.WARNING, "", Place(path, 13, 14), fix=fix)

    found = [said(str(path), rule) for rule in ("a", "b", "c") for path in paths]
    python_syntax.syntax_of.cache_clear()
    kept = list(edits.made(found, Sources(), frozenset(map(str, paths))))
    assert [number for number, _, _ in kept] == list(range(3 * len(paths)))
    assert len(parsed) == len(paths)


def test_the_edits_of_fixes_are_kept(run: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _edits(run)
    assert any(first)
    monkeypatch.setattr(lowering, "_lowered", lambda *_: pytest.fail("lowered again"))
    assert _edits(run) == first


def test_the_edits_of_what_was_not_reported_are_made_when_it_is(run: Run) -> None:
    run("a/train.py")
    both = _edits(run)
    assert len({edit.path for edits in both for edit in edits or ()}) == 2


def test_edits_of_a_file_that_changed_are_made_anew(run: Run, tmp_path: Path) -> None:
    before = [edits for edits in _edits(run) if edits]
    path = tmp_path / "project/a/train.py"
    path.write_text("# a remark\n" + path.read_text())
    after = [edits for edits in _edits(run) if edits]
    moved = len("# a remark\n")
    for old, new in zip(before, after, strict=True):
        by = moved if old[0].path == str(path) else 0
        assert [(e.start - by, e.end - by, e.text) for e in new] == [
            (e.start, e.end, e.text) for e in old
        ]


def test_which_files_belong_together_is_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[int] = []
    made = programs.programs
    monkeypatch.setattr(programs, "programs", lambda *given: joined.append(1) or made(*given))
    run()
    assert joined
    joined.clear()
    (tmp_path / "project/a/data_a.py").write_text("rows = [3]\n")
    run()
    assert not joined
    (tmp_path / "project/a/data_a.py").write_text("import data_b\n\nrows = [3]\n")
    run()
    assert joined


def _name(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


def test_a_test_that_is_edited_ends_nothing_else(run: Run, seen: Seen, tmp_path: Path) -> None:
    test = tmp_path / "project/tests/test_rows.py"
    test.parent.mkdir()
    test.write_text("from a.data_a import rows\n\n\ndef test_rows():\n    assert rows == []\n")
    run()
    test.write_text(test.read_text().replace("== []", "is not None"))
    run()
    assert seen.parts == []


def test_other_rules_have_other_answers(run: Run, seen: Seen) -> None:
    run()
    few = frozenset({"missing-main-guard"})
    run(rules=few)
    assert seen.parts == ["a", "b"]
    assert {d.name for d in run(rules=few).diagnostics} == few
    assert seen.parts == []


def test_rules_of_other_packages_are_asked_anew(
    run: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    name = "missing-pin-memory"
    foreign = rule_docs.summaries()[name]._replace(package="theirs")
    known = {**rule_docs.summaries(), name: foreign}
    monkeypatch.setattr("dlint.engine.kept.keeping.rule_docs.summaries", lambda: known)
    run(rules=frozenset({"missing-shuffle"}))
    run(rules=frozenset({"missing-shuffle"}))
    assert seen.parts == []
    monkeypatch.setattr("dlint.engine.rule_runs._in_versions", lambda *_: iter(()))
    monkeypatch.setattr("dlint.engine.own_rules.sound", lambda found: found)
    for _ in range(2):
        run(rules=frozenset({name}))
        assert seen.parts == ["a", "b"]


def test_an_answer_with_a_crash_is_not_kept(
    run: Run, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlint.engine.rule_runs._in_versions", lambda *_: 1 / 0)
    assert run().crashes
    monkeypatch.undo()
    assert run().crashes == []


def test_texts_that_stand_for_files_are_not_kept(run: Run, seen: Seen, tmp_path: Path) -> None:
    first = run()
    project = tmp_path / "project"
    path = str(project / "a/train.py")
    changed = Sources().with_changes({path: Source(path, "import torch\n")})
    files = sorted(str(p) for p in project.rglob("*.py"))
    request = Request(
        project,
        files,
        frozenset(files),
        frozenset(rule_docs.summaries()),
        answers_dir=tmp_path / "caches",
    )
    found = analyse(request, changed).diagnostics
    assert {Path(d.place.path).parent.name for d in found} == {"b"}
    assert run().diagnostics == first.diagnostics
    assert seen.parts == []


def test_an_answer_comes_back_as_it_was() -> None:
    place = Place("/a.py", 1, 2)
    operations = (
        SetArgument(place, "a", "1"),
        RemoveArgument(place, "b", 2),
        CallMethod(place, "copy"),
        MoveToModuleTop(place),
    )
    answer = Answer()
    answer.diagnostics = [
        Diagnostic(
            "DLT101",
            "missing-pin-memory",
            Severity.WARNING,
            "told",
            place,
            (Related(place, "here"),),
            Fix(Applicability.SAFE, "Do", operations),
            ("/run.py",),
            place,
        ),
        Diagnostic("DLT102", "x", Severity.ERROR, "ä\ud800", place),
    ]
    answer.notes, answer.cut, answer.oversized = ["a note"], ["a cut"], ["/b.py"]
    answer.problems = {"/c.py": FileProblem(place, "bad", True)}
    import json

    back = Answer.from_json(json.loads(json.dumps(answer.to_json())))
    assert vars(back) == vars(answer)
    assert type(back.diagnostics[0].severity) is Severity
