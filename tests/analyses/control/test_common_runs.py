"""Whether one run of a program may come to two calls."""

from __future__ import annotations

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.control.common_runs import may_share_run
from dlint.ir import expressions as ex
from tests.analyses.control.programs import MakeProgram

PARTS = "def begin(n):\n    first(n)\n\ndef end(n):\n    second(n)\n"
GUARD = 'if __name__ == "__main__":\n    '


def _call(analysed: AnalysisContext, name: str) -> ex.Call:
    calls = (c for facts in analysed.modules for s in facts.module.scopes for c in s.calls)
    return next(call for call in calls if call.name == name)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("begin(1)", "end(1)", False),
        (f"{GUARD}begin(1)", "end(1)", False),
        (f"{GUARD}begin(1)\n    end(1)", "end(2)", True),
        ("begin(1)", "import one\nend(1)", True),
        (f"{GUARD}begin(1)", "import one\nend(1)", False),
        ("def run():\n    begin(1)", "end(1)", True),
        ("def run():\n    begin(1)\n\nrun()", "end(1)", False),
        ("def run():\n    begin(1)", "import one\none.run()\nend(1)", True),
    ],
)
def test_a_run_begins_in_one_script(
    context: MakeProgram, one: str, other: str, together: bool
) -> None:
    imports = "from parts import begin, end\n"
    files = {"parts.py": PARTS, "one.py": imports + one, "other.py": imports + other}
    analysed = context(files)
    found = may_share_run(analysed, _call(analysed, "first"), _call(analysed, "second"))
    assert found is together


def test_a_third_script_may_import_both(context: MakeProgram) -> None:
    files = {"one.py": "first(1)", "other.py": "second(1)", "all.py": "import one, other"}
    analysed = context(files)
    assert may_share_run(analysed, _call(analysed, "first"), _call(analysed, "second"))


def test_processes_that_a_script_starts_are_of_its_run(context: MakeProgram) -> None:
    text = "import torch\n\ndef work(rank):\n    first(rank)\n\n"
    files = {"one.py": f"{text}torch.multiprocessing.spawn(work)\nsecond(1)"}
    analysed = context(files)
    assert may_share_run(analysed, _call(analysed, "first"), _call(analysed, "second"))
