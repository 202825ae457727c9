"""The session of an editor by itself: what it keeps, and what it does when something fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.api.checking import check
from dlint.api.settings import Settings
from dlint.engine.answer import Answer
from dlint.engine.parts import Part
from dlint.engine.request import nothing
from dlint.engine.rule_runs import RuleRuns
from dlint.ir import lower as lowering
from dlint.ir.module import ModuleIndex
from dlint.semantics.names.named_things import NamedThings
from dlint.server.kept_sources import KeptSources
from dlint.server.open_files import OpenFile
from dlint.server.schedule import Superseded
from dlint.server.session import Results, Scene, Session
from dlint.workspace.errors import DlintCrash
from dlint.workspace.source import Source
from tests.server.projects import BAD, RAISES, WAITS

CALL = "DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset))"


def scene(*paths: Path, text: str = BAD) -> Scene:
    """An editor that has some files open."""
    files = {str(path): OpenFile(path.as_uri(), str(path), 1, "python", text) for path in paths}
    return Scene(files, (paths[0].parent,))


def codes(results: Results) -> list[str]:
    """The codes of what was found in the first file."""
    return [diagnostic.code for diagnostic in results.checked[0].found]


def test_a_rule_that_crashes_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.py"
    session = Session()
    from dlint.engine import rule_runs

    found_by = rule_runs.found_by

    def failing(name: str, context: object, *told: object) -> object:
        if name == "shuffle-with-sampler":
            raise DlintCrash(str(path), name) from ZeroDivisionError("no")
        return found_by(name, context, *told)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(rule_runs, "found_by", failing)
        results = session.check(scene(path), [str(path)])
    assert codes(results) == [WAITS]
    assert [crash.rule for crash in results.crashes] == ["shuffle-with-sampler"]
    assert codes(session.check(scene(path), [str(path)])) == [RAISES, WAITS]


def test_a_failure_of_all_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    monkeypatch.setattr("dlint.engine.analyse.analyse", lambda *_: 1 / 0)
    results = Session().check(scene(path), [str(path)])
    assert codes(results) == []
    (crash,) = results.crashes
    assert isinstance(crash.__cause__, ZeroDivisionError)


def test_a_newer_edit_ends_a_check(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    asked = 0

    def pause() -> None:
        nonlocal asked
        asked += 1
        if asked == 5:
            raise Superseded

    session = Session()
    with pytest.raises(Superseded):
        session.check(scene(path), [str(path)], pause)
    assert asked == 5
    assert codes(session.check(scene(path), [str(path)], nothing)) == [RAISES, WAITS]


def test_a_file_that_did_not_change_is_the_same_object(tmp_path: Path) -> None:
    kept, path = KeptSources(), tmp_path / "a.py"
    path.write_text("x = 1\n")
    first = kept.get(str(path))
    assert kept.get(str(path)) is first
    path.write_text("x = 2\n")  # as large, perhaps in the same moment
    assert kept.get(str(path)).text == "x = 2\n"


@pytest.mark.parametrize("is_open", [True, False])
def test_findings_of_other_files_are_looked_for_only_where_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    helper, path = tmp_path / "helper.py", tmp_path / "train.py"
    helper.write_text(BAD)
    path.write_text(text := f"from helper import train\n{BAD}")
    from dlint.engine import rule_runs

    found_by, told = rule_runs.found_by, set()

    def noting(name: str, context: AnalysisContext, *others: object) -> object:
        told.add((context.told(str(path)), context.told(str(helper))))
        return found_by(name, context, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(rule_runs, "found_by", noting)
    if is_open:
        assert codes(Session().check(scene(path, text=text), [str(path)])) == [RAISES, WAITS]
    else:
        assert [one.code for one in check(path).findings] == [RAISES, WAITS]
    assert told == {(True, not is_open)}


def test_files_outside_of_any_root_have_their_own(tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "a.py", tmp_path / "two" / "b.py"
    for path in (one, two):
        path.parent.mkdir()
        path.write_text(BAD)
    results = Session().check(scene(one, two)._replace(folders=()), [str(one), str(two)])
    roots = {checked.view.directory for checked in results.checked if checked.view is not None}
    assert roots == {one.parent, two.parent}


def test_only_what_changed_is_lowered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, path = tmp_path / "helper.py", tmp_path / "train.py"
    helper.write_text(BAD)
    lowered: list[str] = []

    def lower(source: Source) -> object:
        lowered.append(source.path)
        return original(source)

    original = lowering.lower
    monkeypatch.setattr(lowering, "lower", lower)
    session, text = Session(), f"from helper import train\n{BAD}"
    for number in range(3):
        opened = scene(path, text=f"{text}\nstep = {number}\n")
        opened = opened._replace(settings=Settings(no_cache=True))
        assert codes(session.check(opened, [str(path)])) == [RAISES, WAITS]
    assert sorted(lowered) == [str(helper), *[str(path)] * 3]


def test_what_a_module_holds_by_name_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, path = tmp_path / "helper.py", tmp_path / "train.py"
    helper.write_text(BAD)
    asked: list[str] = []

    class Noting(NamedThings):
        def __init__(self, module: ModuleIndex) -> None:
            asked.append(module.path)
            super().__init__(module)

    monkeypatch.setattr("dlint.semantics.project.NamedThings", Noting)
    session, text = Session(), f"from helper import train\n{BAD}"
    for number in range(3):
        opened = scene(path, text=text.replace("dataset, 8", f"dataset, {8 + number}"))
        assert codes(session.check(opened, [str(path)])) == [RAISES, WAITS]
    assert sorted(asked) == [str(helper), *[str(path)] * 3]


UNREAD = "\n\ndef shown(value):\n    return [value, 1]\n"


@pytest.mark.parametrize(
    ("edits", "asked"),
    [
        (["# why\n{}", "# why not\n{}", "{}\n# x\n"], 1),
        (["{}", "\n\n{}", "import os\n{}", "{}"], 2),
        (["{}", "{}", "{}a = RandomSampler([1])\n", "{}", "# x\n{}"], 2),
        ([f"{{}}{UNREAD}", f"# x\n{{}}{UNREAD}", f"{{}}{UNREAD.replace('1', '7')}"], 1),
        (["{}", "{}\nx.to('cuda')\n"], 2),
    ],
)
def test_what_nobody_read_of_a_text_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: list[str], asked: int
) -> None:
    path, session, rounds = tmp_path / "train.py", Session(), 0

    def over(self: RuleRuns, part: Part) -> Answer:
        nonlocal rounds
        rounds += 1
        return original(self, part)

    original = RuleRuns.over
    monkeypatch.setattr(RuleRuns, "over", over)
    for edit in edits:
        text = edit.format(BAD)
        (checked,) = session.check(scene(path, text=text), [str(path)]).checked
        said = [(d.code, text[d.place.start : d.place.end]) for d in checked.found]
        assert said == [(RAISES, CALL), (WAITS, "x.cuda()")]
    assert rounds == asked


def test_what_other_files_say_ends_what_is_kept_of_a_text(tmp_path: Path) -> None:
    helper, path = tmp_path / "helper.py", tmp_path / "train.py"
    helper.write_text("pinned = True\n")
    text = f"from helper import pinned\n{BAD.replace('pin_memory=True', 'pin_memory=pinned')}"
    session = Session()
    assert codes(session.check(scene(path, text=text), [str(path)])) == [RAISES, WAITS]
    helper.write_text("pinned = False\n")
    assert codes(session.check(scene(path, text=text), [str(path)])) == [RAISES]
    helper.write_text("pinned = True\n")
    assert codes(session.check(scene(path, text=text), [str(path)])) == [RAISES, WAITS]


def test_findings_of_one_text_are_not_told_of_another(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    session, both = Session(), scene(one, other)
    for path in (one, other, one):
        (checked,) = session.check(both, [str(path)]).checked
        assert {d.place.path for d in checked.found} == {str(path)}
        assert [d.code for d in checked.found] == [RAISES, WAITS]
