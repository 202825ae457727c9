"""Each rewriting by itself: what it writes, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

import pytest

from dlint.rules.loader import zero_workers
from tests.laws.cases import Case, cases
from tests.laws.facts import Kind
from tests.laws.meaning import compared, outcomes
from tests.laws.program import Program, compiles
from tests.laws.regions import Region
from tests.laws.rewriting import rewritten
from tests.laws.rewritings import BY_NAME, REWRITINGS, WHOLE_FILE
from tests.laws.subject import Finding
from tests.laws.tables import is_excepted
from tests.laws.written import REFUSED, WRITES


@pytest.mark.parametrize(("name", "before", "after"), WRITES, ids=[w[0] for w in WRITES])
def test_writes(name: str, before: str, after: str) -> None:
    found = rewritten(BY_NAME[name], Program({"a.py": dedent(before).lstrip("\n")}))
    assert found is not None
    assert found["a.py"].lstrip("\n") == dedent(after).lstrip("\n")


@pytest.mark.parametrize(("name", "text"), REFUSED)
def test_refuses(name: str, text: str) -> None:
    assert rewritten(BY_NAME[name], Program({"a.py": text})) is None


def test_a_name_changes_in_all_files() -> None:
    files = {"a.py": "from b import make\nmake(rows=1)\n", "b.py": "def make(rows): return rows\n"}
    assert rewritten(BY_NAME["function-names"], Program(files)) == {
        "a.py": "from b import alfa\nalfa(rows=1)\n",
        "b.py": "def alfa(rows): return rows\n",
    }
    assert rewritten(BY_NAME["parameter-names"], Program(files)) == {
        "a.py": "from b import make\nmake(alfa=1)\n",
        "b.py": "def make(alfa): return alfa\n",
    }


def test_files_change_their_names_with_the_imports() -> None:
    files = {"a.py": "from b import c\n", "b.py": "c = 1\n"}
    assert rewritten(BY_NAME["file-names"], Program(files)) == {
        "alfa.py": "from bravo import c\n",
        "bravo.py": "c = 1\n",
    }


def test_a_class_moves_with_the_imports_it_needs() -> None:
    text = "import m\nn = 1\nclass A:\n    def f(self): return m.f()\nprint(A(), n)\n"
    assert rewritten(BY_NAME["classes-elsewhere"], Program({"a.py": text})) == {
        "alfa.py": "import m\nclass A:\n    def f(self): return m.f()\n",
        "a.py": "n = 1\nfrom alfa import A\nprint(A(), n)\n",
    }


def test_modules_of_the_project_are_still_imported() -> None:
    files = {"a.py": "import b\ndef f(): return 1\nprint(f())\n", "b.py": "print(2)\n"}
    assert rewritten(BY_NAME["functions-elsewhere"], Program(files)) == {
        "alfa.py": "def f(): return 1\n",
        "a.py": "import b\nfrom alfa import f\nprint(f())\n",
        "b.py": "print(2)\n",
    }


def test_files_that_stand_alone_stay_alone() -> None:
    files = {"a.py": "def f(): return 1\nprint(f())\n", "b.py": "print(2)\n"}
    assert rewritten(BY_NAME["functions-elsewhere"], Program(files)) is None


def test_what_is_put_in_the_place_of_a_name_stays_whole() -> None:
    text = "def f(a, b):\n    c = a + b\n    c.g()\n"
    found = rewritten(BY_NAME["inlined-names"], Program({"a.py": text}))
    assert found == {"a.py": "def f(a, b):\n    (a + b).g()\n"}


def test_a_part_that_is_shown_stays_alone() -> None:
    text = "def f(): return 1\nprint(f(), shown)\n"
    assert rewritten(BY_NAME["functions-elsewhere"], Program({"a.py": text})) is None


def test_what_a_module_offers_stays_where_importing_it_does_something() -> None:
    text = "import torch\ntorch.set_default_device(0)\ndef f(): return 1\n"
    moved = BY_NAME["functions-elsewhere"]
    assert rewritten(moved, Program({"a.py": text})) is None
    assert rewritten(moved, Program({"a.py": text + "print(f())\n"})) is not None
    assert (
        rewritten(moved, Program({"a.py": "import torch\nn = 1\ndef f(): return 1\n"})) is not None
    )


def test_what_a_config_names_stays() -> None:
    files = {"a.py": "def make(rows): pass\n", "c.yaml": "_target_: a.make\nrows: 1\n"}
    for name in ("function-names", "parameter-names", "file-names"):
        assert rewritten(BY_NAME[name], Program(files)) is None


def test_regions_know_what_is_set_before_it_is_read() -> None:
    def region(text: str) -> Region:
        return Region(list(Program({"a.py": text}).modules["a.py"].statements))

    assert region("a = b\nc = a\n").sets_before_use()
    assert not region("c = a\na = b\n").sets_before_use()
    assert not region("if b:\n    a = 1\nc = a\n").sets_before_use()
    assert region("for x in b:\n    y = x\n    z = y\n").sets_before_use()
    assert region("a = 1\n").facts.bound == {"a": {Kind.GLOBAL}}


def test_each_rewriting_says_why_and_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(REWRITINGS)
    assert set(WHOLE_FILE) <= set(BY_NAME)
    for rewriting in REWRITINGS:
        assert (type(rewriting).__doc__ or "").strip()


def test_a_fix_may_be_gained_and_not_lost_where_a_name_is_given() -> None:
    case = Case("a", "a", {"a.py": "print(f())\n"})
    naming = BY_NAME["named-arguments"]
    none, safe = (Finding("a", "info", fix, "a.py", 1) for fix in ("", "safe"))
    assert compared(case, naming, (none,), (safe,)).state == "agree"
    assert compared(case, naming, (safe,), (none,)).state == "fix"
    assert compared(case, naming, (none, none), (safe,)).state == "differ"
    assert compared(case, BY_NAME["keyword-order"], (none,), (safe,)).state == "fix"


def test_a_rule_that_crashes_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(context: object) -> Iterator[object]:
        raise ValueError

    text = "from torch.utils.data import DataLoader\ndef f(x):\n    return DataLoader(x, g(8))\n"
    case = Case("a", "a", {"a.py": text})
    monkeypatch.setattr(zero_workers, "check", crash)
    [outcome] = outcomes(case, [BY_NAME["named-arguments"]])
    assert (outcome.state, outcome.rules) == ("crash", {"zero-workers"})
    assert not is_excepted(outcome)


def test_cases_have_names_of_their_own() -> None:
    found = cases()
    assert len({case.name for case in found}) == len(found)


def test_texts_that_do_not_compile_are_no_programs() -> None:
    assert compiles("a = 1\n")
    assert not compiles("a = = 1\n")
    assert Program({"a.py": "a = = 1\n"}).modules == {}
