"""fix_all: rounds, conflicts, fixes that do not help, and fixes that do harm."""

from __future__ import annotations

import re

import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.operations import InsertFirstInLoop, ReplaceExpression, SetArgument
from dlint.findings.places import Place
from dlint.fixes.apply import fix_all
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

SAFE = frozenset({Applicability.SAFE})


def sources(**texts: str) -> Sources:
    return Sources({f"/{name}.py": Source(f"/{name}.py", text) for name, text in texts.items()})


def place(path: str, found: re.Match[str]) -> Place:
    return Place(path, *found.span())


def finding(where: Place, *operations, name="rule", applicability=Applicability.SAFE) -> Diagnostic:
    fix = Fix(applicability, "fix it", operations)
    return Diagnostic("DLT000", name, Severity.WARNING, "wrong", where, (), fix)


def analyser(find, *paths: str):
    """Analyses that note how often they ran; `find(path, text)` yields the findings."""

    def analyse(now: Sources) -> list[Diagnostic]:
        analyse.runs += 1
        return [d for path in paths or ("/a.py",) for d in find(path, now.get(path).text)]

    analyse.runs = 0
    return analyse


def lacking(name: str, **options):
    """Findings on each `f(...)` without the argument `name`."""

    def find(path, text):
        for match in re.finditer(r"\bf\([^()]*\)", text):
            if f"{name}=" not in match[0]:
                where = place(path, match)
                yield finding(where, SetArgument(where, name, "1"), name=name, **options)

    return find


def test_fixes_what_may_be_fixed():
    analyse = analyser(lacking("n"))
    fixed = fix_all(analyse, sources(a="f()\nf(n=1)\nf(**k)\n"), SAFE)
    assert fixed.texts == {"/a.py": "f(n=1)\nf(n=1)\nf(**k)\n"}
    assert [d.place.start for d in fixed.applied] == [0]
    assert len(fixed.remaining) == 1
    assert analyse.runs == 2


def test_a_second_run_changes_nothing():
    fixed = fix_all(analyser(lacking("n")), sources(a="f()\nf(a,)\n"), SAFE)
    again = fix_all(analyser(lacking("n")), sources(a=fixed.texts["/a.py"]), SAFE)
    assert (again.texts, again.applied, again.remaining) == ({}, [], [])


def test_applies_only_the_asked_applicability():
    find = lacking("n", applicability=Applicability.UNSAFE)
    fixed = fix_all(analyser(find), sources(a="f()\n"), SAFE)
    assert (fixed.texts, fixed.applied, len(fixed.remaining)) == ({}, [], 1)
    both = SAFE | {Applicability.UNSAFE}
    assert fix_all(analyser(find), sources(a="f()\n"), both).texts == {"/a.py": "f(n=1)\n"}


def test_overlapping_fixes_take_turns():
    def find(path, text):
        yield from lacking("n")(path, text)
        yield from lacking("m")(path, text)

    fixed = fix_all(analyser(find), sources(a="f()\n"), SAFE)
    assert fixed.texts == {"/a.py": "f(m=1, n=1)\n"}
    assert [d.name for d in fixed.applied] == ["m", "n"]


def test_equal_edits_are_shared():
    def find(path, text):
        call = re.search(r"f\(\)", text)
        if call:
            where = place(path, call)
            for copy in re.finditer(r"to\(\)", text):
                there = place(path, copy)
                yield finding(there, SetArgument(where, "n", "1"), SetArgument(there, "b", "2"))

    analyse = analyser(find)
    fixed = fix_all(analyse, sources(a="f()\nto()\nto()\n"), SAFE)
    assert fixed.texts == {"/a.py": "f(n=1)\nto(b=2)\nto(b=2)\n"}
    assert len(fixed.applied) == 2
    assert analyse.runs == 2


def test_a_fix_of_two_files_is_applied_whole():
    def find(path, text):
        if text == "f()\n":
            there = Place("/b.py", 0, 3)
            yield finding(
                Place(path, 0, 3),
                SetArgument(Place(path, 0, 3), "n", "1"),
                SetArgument(there, "n", "1"),
            )

    fixed = fix_all(analyser(find), sources(a="f()\n", b="g()\n"), SAFE)
    assert fixed.texts == {"/a.py": "f(n=1)\n", "/b.py": "g(n=1)\n"}
    assert fix_all(analyser(find), sources(a="f()\n", b="g(*a)\n"), SAFE).texts == {}


def test_a_fix_that_breaks_the_file_is_dropped_and_the_others_are_not():
    def find(path, text):
        for match in re.finditer(r"\b[ab]\b", text):
            new = "await x" if match[0] == "a" else "c"
            yield finding(place(path, match), ReplaceExpression(place(path, match), new))

    fixed = fix_all(analyser(find), sources(a="a\nb\na\nb\n"), SAFE)
    assert fixed.texts == {"/a.py": "a\nc\na\nc\n"}
    assert len(fixed.applied) == 2
    assert len(fixed.remaining) == 2


def test_a_fix_that_does_not_help_is_not_made():
    def find(path, text):
        loop = re.search(r"for .*\n    .*", text)
        yield finding(place(path, loop), InsertFirstInLoop(place(path, loop), "a()"), name="loop")
        yield from lacking("n")(path, text)

    fixed = fix_all(analyser(find), sources(a="f()\nfor x in y:\n    f()\n"), SAFE)
    assert fixed.texts == {"/a.py": "f(n=1)\nfor x in y:\n    f(n=1)\n"}
    assert [d.name for d in fixed.applied] == ["n", "n"]


def test_two_findings_at_one_place_may_be_fixed_one_by_one():
    def find(path, text):
        for name in "nm":
            if f"{name}=" not in text:
                yield finding(
                    Place(path, 0, 1), SetArgument(Place(path, 0, text.index(")") + 1), name, "1")
                )

    assert fix_all(analyser(find), sources(a="f()\n"), SAFE).texts == {"/a.py": "f(n=1, m=1)\n"}


def test_fixes_that_undo_each_other_end():
    def find(path, text):
        where = Place(path, 0, 1)
        new, name = ("b", "to-b") if text == "a\n" else ("a", "to-a")
        yield finding(where, ReplaceExpression(where, new), name=name)

    analyse = analyser(find)
    fixed = fix_all(analyse, sources(a="a\n"), SAFE)
    assert fixed.texts == {"/a.py": "b\n"}
    assert analyse.runs < 6


def test_fixes_without_end_stop():
    def find(path, text):
        where = Place(path, 0, len(text) - 1)
        yield finding(where, ReplaceExpression(where, f"x{text[:-1]}"), name=text[:-1])

    analyse = analyser(find)
    assert fix_all(analyse, sources(a="x\n"), SAFE).texts == {"/a.py": "x" * 11 + "\n"}
    assert analyse.runs == 11


def test_keeps_what_belongs_to_the_file():
    source = Source("/a.py", "# coding: latin-1\r\nf()\r\n", "iso-8859-1", raw=b"raw")
    seen = []

    def analyse(now):
        seen.append(now.get("/a.py"))
        return list(lacking("n")("/a.py", seen[-1].text))

    fix_all(analyse, Sources({"/a.py": source}), SAFE)
    assert (seen[-1].encoding, seen[-1].raw) == ("iso-8859-1", b"raw")
    assert seen[-1].text == "# coding: latin-1\r\nf(n=1)\r\n"


@pytest.mark.filterwarnings("error")
def test_warnings_of_the_compiler_are_not_shown():
    assert fix_all(analyser(lacking("n")), sources(a="f()\nx = '\\d' is 1\n"), SAFE).texts
