"""Projects in, diagnostics out."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.analyses.context import AnalysisContext
from dlint.analyses.running_calls import loader_calls
from dlint.engine.analyse import analyse
from dlint.engine.request import Outcome, Request
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.finding import Finding
from dlint.ir.module import ModuleIndex
from dlint.workspace.discover import ProjectFiles
from dlint.workspace.errors import DlintCrash
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

LOADER = "from torch.utils.data import DataLoader\n\nloader = DataLoader(rows, 64)\n"
BOTH = """
from torch.utils.data import DataLoader, RandomSampler

def make(rows):
    return DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)
"""
IN_TEST = "import pytest\n"
Analyse = Callable[..., Outcome]


def _one(outcome: Outcome) -> Diagnostic:
    (found,) = outcome.diagnostics
    return found


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("import torch\nif x:\n\ty = x.cuda(async=True)\n", 3, 13),
        ("import torch\r\nif x:\r\n\ty = x.cuda(async=True)\r\n", 3, 13),
        ("import torch\nprint 'é'\n", 2, 1),
        ("import torch\rx = = 1\r", 2, 5),
        ("\ufeffimport torch\nx = = 1\n", 2, 5),
        ("# coding: latin-1\nimport torch\nx = 'é'; y = = 1\n", 3, 15),
        ("import torch\nif x:\n\ty = 1\n        z = 1\n", 4, 1),
        ("import torch\r\nx = (1,\r\n", 2, 5),
        ("import torch\ndef f():", 2, 9),
    ],
)
def test_a_syntax_error_is_told_of_once_though_nothing_needs_the_file(
    check: Analyse, text: str, row: int, column: int
) -> None:
    found = _one(check({"a.py": text, "b.py": LOADER}))
    assert (found.code, found.name, found.severity) == ("DLT901", "syntax-error", "error")
    source = Sources().get(found.place.path)
    assert source.position(found.place.start) == (row, column)
    assert check({"a.py": text, "b.py": LOADER}, "b.py").diagnostics == []


def test_a_broken_file_that_has_nothing_to_do_with_torch_is_passed_over(check: Analyse) -> None:
    assert check({"a.py": "print 1\n", "b.py": LOADER}).diagnostics == []
    found = _one(check({"a.py": "print 1\n", "b.py": f"from a import rows\n{LOADER}"}))
    assert Path(found.place.path).name == "a.py"


def test_a_link_that_git_wrote_as_text_is_passed_over(check: Analyse) -> None:
    files = {"recipe/datamodule.py": "../torch/datamodule.py", "torch/datamodule.py": "x = 1\n"}
    assert check(files).diagnostics == []
    assert _one(check({"datamodule.py": "../torch/datamodule.py"})).name == "syntax-error"


def test_syntax_that_only_a_newer_python_knows_is_no_error(check: Analyse) -> None:
    text = "import torch\n\ntry:\n    pass\nexcept ValueError, TypeError:\n    pass\n"
    assert check({"a.py": text}).diagnostics == []


def test_a_file_that_cannot_be_decoded_is_told_of_once(check: Analyse) -> None:
    files = {"a.py": b"import torch\nx = '\xff'\n", "b.py": LOADER}
    found = _one(check(files))
    assert (found.name, found.place.start, found.place.end) == ("unreadable-file", 0, 0)
    assert "line 2: 'utf-8' codec can't decode byte 0xff" in found.message
    assert check(files, "b.py").diagnostics == []


def test_tests_give_errors_only(check: Analyse) -> None:
    loop = "\n\ndef main():\n    for x in DataLoader(rows, num_workers=2):\n        x.cuda()\n"
    files = {"test_a.py": IN_TEST + BOTH + loop, "tests/b.py": LOADER + loop, "c.py": LOADER + loop}
    found = check(files).diagnostics
    names = {(Path(d.place.path).name, d.name) for d in found}
    assert names == {("test_a.py", "shuffle-with-sampler"), ("c.py", "missing-pin-memory")}


def test_what_tests_do_says_nothing_of_the_program(check: Analyse) -> None:
    context = "from torch.utils.data import DataLoader\n\ndef make(s):\n    return DataLoader([], "
    files = {
        "lib.py": f"{context}sampler=s, shuffle=True)\n",
        "test_lib.py": f"{IN_TEST}from lib import make\n{BOTH}\nmake(RandomSampler([]))\n",
    }
    assert Path(_one(check(files)).place.path).name == "test_lib.py"


def test_tests_that_have_nothing_to_do_with_order_are_not_read(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    _lowering(monkeypatch, lambda source: read.add(Path(source.path).name))
    helper = "from torch.utils.data import DataLoader, DistributedSampler\n\ndef make(rows):\n"
    helper += "    return DataLoader(rows, sampler=DistributedSampler(rows))\n"
    use = "from tests.helper import make\n\nfor x in make([]):\n    pass\n"
    files = {"tests/helper.py": helper, "tests/b.py": use, "tests/c.py": f"{use}# set_epoch\n"}
    check(files)
    assert read == {"helper.py", "c.py"}


def test_no_other_file_is_looked_at_where_nothing_can_be_found(tmp_path: Path) -> None:
    def walk() -> Iterator[str]:
        raise AssertionError("walked")

    path = tmp_path / "a.py"
    path.write_text("from torch import (nn, optim)\n\nprint(nn)\n")
    rules = frozenset(rule_docs.summaries())
    request = Request(tmp_path, ProjectFiles(walk), frozenset({str(path)}), rules)
    assert analyse(request, Sources()).diagnostics == []


def test_of_a_file_that_is_no_python_no_program_is_asked(check: Analyse, lowered: Path) -> None:
    files = {"a.py": f"from b import rows\n{LOADER}x = (\n", "b.py": f"rows = []\n{LOADER}"}
    assert _one(check(files, "a.py")).name == "syntax-error"
    assert {line.split()[0] for line in lowered.read_text().splitlines()} == {"a.py"}


def _lowering(monkeypatch: pytest.MonkeyPatch, see: Callable[[Source], object]) -> None:
    """Call `see` with each source before it is lowered."""
    from dlint.ir import lower

    real = lower.lower

    def seen(source: Source) -> ModuleIndex:
        see(source)
        return real(source)

    monkeypatch.setattr(lower, "lower", seen)


def _raise(source: Source) -> None:
    if source.path.endswith("odd.py"):
        raise RuntimeError("deep inside")


def test_a_crash_while_a_module_is_read_names_it(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lowering(monkeypatch, _raise)
    with pytest.raises(DlintCrash) as crash:
        check({"a.py": f"from odd import rows\n{LOADER}", "odd.py": "rows = []\n"}, "a.py")
    assert Path(crash.value.path or "").name == "odd.py"
    assert isinstance(crash.value.__cause__, RuntimeError)


def test_a_crash_of_a_rule_names_the_rule_and_the_file(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(context: AnalysisContext) -> Iterator[Finding]:
        for call in loader_calls(context):
            assert call.name != "DataLoader"
        yield from ()

    monkeypatch.setattr("dlint.rules.sampling.shuffle_with_sampler.check", broken)
    (crash,) = check({"a.py": LOADER}).crashes
    assert Path(crash.path or "").name == "a.py"
    assert crash.rule == "shuffle-with-sampler"


def test_a_crash_before_the_rules_is_one_too(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlint.analyses.relevant_scopes.RelevantScopes.extend", lambda _: [].pop())
    with pytest.raises(DlintCrash) as crash:
        check({"a.py": LOADER})
    assert isinstance(crash.value.__cause__, IndexError)


def test_the_collector_is_left_as_it_was(check: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    during: list[bool] = []
    _lowering(monkeypatch, lambda _: during.append(gc.isenabled()))
    check({"a.py": LOADER})
    _lowering(monkeypatch, lambda _: [].pop())
    with pytest.raises(DlintCrash):
        check({"a.py": LOADER})
    assert during == [False]
    assert gc.isenabled()


def test_what_is_not_checked_since_too_much_flows_in_it_is_a_warning(
    check: Analyse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from dlint.analyses import context

    small = partial(context.analysis_contexts, budget=1)
    monkeypatch.setattr(context, "analysis_contexts", small)
    outcome = check({"a.py": LOADER})
    lost = f"too much flows inside this module: it was not checked: {tmp_path / 'a.py'}"
    assert lost in outcome.warnings


def test_nothing_of_a_program_outlives_its_analysis(check: Analyse, tmp_path: Path) -> None:
    text = (
        "def load(options, rows=()):\n"
        "    options['num_workers'] = 2\n"
        "    del options['pin_memory']\n"
        "    for epoch in range(9):\n"
        "        for batch in DataLoader(rows, 64, **options):\n"
        "            batch.cuda()\n"
        "    return options\n"
        "load({'pin_memory': True}, rows)\n"
    )
    check({"a.py": LOADER + text})
    gc.collect()
    left = [o.path for o in gc.get_objects() if type(o) is ModuleIndex]
    assert str(tmp_path / "a.py") not in left


def test_what_earlier_analyses_left_behind_is_collected_when_it_is_much(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    monkeypatch.setattr(gc, "get_count", lambda: (3_000_000, 0, 0))
    check({"a.py": LOADER})
    monkeypatch.setattr(gc, "get_count", lambda: (1_000_000, 9, 9))
    check({"a.py": LOADER})
    assert collected == [1]


def test_a_text_that_stands_for_a_file_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    rules = frozenset(rule_docs.summaries())
    cache = tmp_path / "cache"
    overrides = {str(path): Source(str(path), LOADER)}
    request = Request(tmp_path, (path,), frozenset({str(path)}), rules, overrides, cache)
    analyse(request, Sources(overrides))
    assert not cache.exists()
    path.write_text(LOADER)
    analyse(request._replace(overrides={}), Sources())
    assert len(list(cache.glob("*/*/*.json"))) == 1


RUNS = "loader = DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)"
UNUSED = f"""
from torch.utils.data import DataLoader, RandomSampler

def train(rows):
    return DataLoader(rows, 8)

def old(rows):
    {RUNS}
    return loader

if __name__ == "__main__":
    train([1])
"""


def test_a_finding_in_code_that_nothing_runs_is_information(check: Analyse) -> None:
    found = _one(check({"main.py": UNUSED}))
    assert (found.name, found.severity) == ("shuffle-with-sampler", "info")
    assert "nothing in the project uses `old`" in found.related[-1].message
    assert _one(check({"main.py": UNUSED.replace("train([1])", "old([1])")})).severity == "error"


def test_a_finding_of_a_script_that_finds_no_imports_is_information(check: Analyse) -> None:
    main = "from data import rows\n" + BOTH
    files = {"old/main.py": main, "new/data.py": "rows = [1]\n"}
    found = _one(check(files))
    assert (found.severity, found.related[-1].place.start) == ("info", 0)
    assert "`data` lies in a folder" in found.related[-1].message
    assert _one(check({**files, "old/data.py": "rows = [2]\n"})).severity == "error"


def test_nothing_is_said_of_a_module_that_cannot_be_imported(check: Analyse) -> None:
    main = "from data import gone\n" + BOTH
    assert not check({"main.py": main, "data.py": "rows = [1]\n"}).diagnostics
    assert check({"main.py": main, "data.py": "gone = [1]\n"}).diagnostics


def test_the_versions_that_were_taken_are_told_once(check: Analyse) -> None:
    text = (
        "from torch.utils.data import DataLoader\n\ndef train(data, model):\n"
        "    loader = DataLoader(data, 64, num_workers=4)\n    for epoch in range(90):\n"
        "        for x in loader:\n            model(x).backward()\n"
    )
    outcome = check(
        {
            "train.py": text,
            "tests/test_a.py": text,
            "requirements.txt": "torch>=1.8,<2\n",
            "README.md": "\nPyTorch 1.9, Python 3.6\n",
        },
        "train.py",
        "tests/test_a.py",
    )
    assert [note for note in outcome.notes if "by " in note] == [
        "torch 1.8 to 1.x, by requirements.txt:1",
        "stated: Python 3.6, by README.md:2",
    ]


def test_tests_and_notebooks_are_looked_at_with_their_own_program_alone(tmp_path: Path) -> None:
    cells = json.dumps(
        {
            "cells": [{"cell_type": "code", "source": f"import lib\n{LOADER}", "metadata": {}}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    texts = {
        "lib.py": "rows = []\n",
        "other.py": LOADER,
        "test_lib.py": f"{IN_TEST}from lib import rows\n{BOTH}",
        "n.ipynb": cells,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = frozenset(str(tmp_path / name) for name in texts)
    looked_at: list[set[str]] = []

    def watch(context: AnalysisContext) -> None:
        looked_at.append({Path(path).name for path in context.project.files})

    analyse(Request(tmp_path, sorted(paths), paths, frozenset()), Sources(), watch)
    assert looked_at == [{"other.py"}, {"lib.py", "test_lib.py"}, {"lib.py", "n.ipynb"}]
