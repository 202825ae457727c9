from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.backward import entered_by
from dlint.analyses.context import AnalysisContext
from dlint.analyses.guards import comes_out, results_by_tests
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.model.data.datasets import dataset_classes
from dlint.semantics.calls.call_contexts import CallContext

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import argparse, os, numpy as np
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, paths, {parameters}):
        self.paths = paths
        {before}
        if {test}:
            self.x = [np.load(p) for p in paths]
    def __getitem__(self, index):
        return self.x[index]

def make(paths, anything):
    return DataLoader(Rows(paths, {given}), num_workers=2)

parser = argparse.ArgumentParser()
parser.add_argument("--keep", action="store_true")
parser.add_argument("--lazy", action="store_true")
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("parameters", "before", "test", "given", "reads"),
    [
        ("keep=True", "", "keep", "", True),
        ("keep=False", "", "keep", "", False),
        ("keep=False", "", "keep", "keep=True", False),
        ("keep=True", "", "keep", "keep=False", False),
        ("keep=None", "", "keep is not None", "", False),
        ("lazy=False", "", "not lazy", "", True),
        ("lazy=False", "", "not lazy", "lazy=True", False),
        ("keep", "", "keep", "True", True),
        ("keep", "", "keep", "anything", False),
        ("keep", "", "keep", "args.keep", False),
        ("lazy", "", "not lazy", "args.lazy", True),
        ("keep=False", "self.keep = keep", "self.keep", "", False),
        ("keep=True", "self.keep = keep", "self.keep and paths", "", True),
        ("config=None", "", "config.get('cache', False)", "", False),
        ("config=None", "", "getattr(config, 'keep', True)", "", True),
        ("config=None", "", "config.cache", "", False),
        ("train=True", "", "train", "", True),
        ("train=False", "", "train", "train=True", True),
        ("split='train'", "", "split == 'train'", "", True),
        ("root=''", "", "os.path.exists(root)", "", True),
    ],
)
def test_switches(
    context: MakeProgram, parameters: str, before: str, test: str, given: str, reads: bool
) -> None:
    text = TEXT.format(parameters=parameters, before=before, test=test, given=given)
    (found,) = context(text)[dataset_classes]
    assert bool(found.eager_reads) is reads


def test_an_early_return_is_a_guard(context: MakeProgram) -> None:
    body = "if lazy:\n            return"
    text = TEXT.format(parameters="lazy=True", before=body, test="paths", given="")
    (found,) = context(text)[dataset_classes]
    assert found.eager_reads == ()


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ("f()", True),
        ("f(False)", False),
        ("f(*args)", None),
        ("f(flag=other)", None),
        ("f(**options)", None),
        ("def g(**o): return f(**o)\ng(size=3)", True),
        ("def g(**o): return f(**o)\ng(flag=other)", None),
        ("def g(**o): return f(**o)\ng(**options)", None),
        ("def g(**o): return f(**o)\ndef h(**p): return g(a=1, **p)\nh(size=3)", True),
        ("def g(**o): return f(**o)\ndef h(**p): return g(a=1, **p)\nh(flag=other)", None),
        ("def g(o): return f(**o)\ng(options)", None),
    ],
)
def test_what_one_call_leaves_to_a_default_is_certain(
    context: MakeProgram, call: str, outcome: bool | None
) -> None:
    head = "from torch.utils.data import DataLoader\ndef f(flag=True): return flag\n"
    analysed = context(f"{head}{call}\n")
    (scope,) = [s for facts in analysed.modules for s in facts.module.scopes if s.name == "f"]
    entered = _entered(analysed, scope)
    assert comes_out(analysed, scope.returns[0], entered, truth=True) is outcome


@pytest.mark.parametrize(
    ("body", "call", "results"),
    [
        ("if flag:\n        return 1\n    return 2", "f(True)", {1}),
        ("if flag:\n        return 1\n    return 2", "f(False)", {2}),
        ("if flag:\n        return 1\n    return 2", "f(other)", {1, 2}),
        ("return 1 if flag else 2", "f(False)", {2}),
        ("return 1 if not flag else 2 if flag else 3", "f(True)", {2}),
    ],
)
def test_results_by_tests(context: MakeProgram, body: str, call: str, results: set[object]) -> None:
    head = f"from torch.utils.data import DataLoader\ndef f(flag):\n    {body}\n"
    analysed = context(f"{head}{call}\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (made,) = [c for s in scopes for c in s.calls if c.name == "f"]
    found = results_by_tests(analysed, made, analysed.solver.root(made.scope))
    constants = [ex.constant(result) for result, _ in found]
    assert {None if one is None else one.value for one in constants} == results


@pytest.mark.parametrize(
    ("call", "outcome"),
    [("g()", True), ("g(False)", False), ("g(other)", None), ("g(*args)", None)],
)
def test_a_default_may_be_handed_on(context: MakeProgram, call: str, outcome: bool | None) -> None:
    functions = "def f(flag): return flag\ndef g(flag=True): return f(flag)\n"
    analysed = context(f"from torch.utils.data import DataLoader\n{functions}{call}\n")
    calls = [c for facts in analysed.modules for s in facts.module.scopes for c in s.calls]
    frame = analysed.solver.root(next(c for c in calls if c.name == "g").scope)
    for name in ("g", "f"):
        made = next(c for c in calls if c.name == name)
        ((scope, frame),) = entered_by(analysed, made, frame)
    assert comes_out(analysed, scope.returns[0], frame, truth=True) is outcome


def _entered(analysed: AnalysisContext, scope: Scope) -> CallContext:
    """The activation of a function by the only call of its name."""
    if scope.kind == "module":
        return analysed.solver.root(scope)
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [c for s in scopes for c in s.calls if c.name == scope.name]
    ((_, entered),) = entered_by(analysed, call, _entered(analysed, call.scope))
    return entered
