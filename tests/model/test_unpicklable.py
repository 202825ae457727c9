"""What of a loader's arguments pickle refuses, where objects hold each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir.module import Class
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.workers import unpicklable as asked
from dlint.rules.process import unpicklable_worker_arguments
from dlint.semantics.calls.call_contexts import CallContext

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
HEAD = """
from torch.utils.data import DataLoader


class Part0:
    def __init__(self):
        self.function = {last}
"""
PART = """

class Part{number}:
    def __init__(self):
        self.a = Part{before}()
        self.b = Part{before}()
        self.c = Part{before}()
"""
LOADER = """

loader = DataLoader(Part3(), num_workers=2)
for batch in loader:
    print(batch)
"""


def _program(last: str) -> str:
    parts = (PART.format(number=number, before=number - 1) for number in range(1, 4))
    return HEAD.format(last=last) + "".join(parts) + LOADER


def _loader(program: AnalysisContext) -> Loader:
    ((loader,),) = program[Loaders].by_call().values()
    return loader


def test_each_class_is_asked_once_at_each_depth(
    context: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that, three objects of three objects … are asked 27 times for the last."""
    times: Counter[str] = Counter()
    original = asked._of_object

    def counted(
        program: AnalysisContext, cls: Class, making: CallContext | None, depth: int
    ) -> object:
        times[cls.name] += 1
        return original(program, cls, making, depth)

    monkeypatch.setattr(asked, "_of_object", counted)
    program = context(_program("None"))
    loader = _loader(program)
    assert asked.unpicklable(loader) is None
    assert times == {f"Part{number}": 1 for number in range(4)}


def test_what_lies_deep_is_found(context: MakeProgram) -> None:
    loader = _loader(context(_program("lambda x: x")))
    found = asked.unpicklable(loader)
    assert found is not None
    assert found.what == "a lambda"


LOCAL = """
from torch.utils.data import DataLoader, Dataset

def opened(path):
    return path

def make(paths):
    class Files(Dataset):
        def __init__(self, paths):
            self.paths = paths
            self.read = {read}

        def __getitem__(self, index):
            return self.read(self.paths[index])

    for path in DataLoader(Files(paths), num_workers=2):
        print(path)
"""


@pytest.mark.parametrize(
    ("read", "beside"),
    [("lambda path: opened(path)", ("a lambda", "read")), ("opened", None)],
)
def test_what_a_local_class_holds_beside(
    context: MakeProgram, read: str, beside: tuple[str, str] | None
) -> None:
    program = context(LOCAL.format(read=read))
    ((loader,),) = program[Loaders].by_call().values()
    found = asked.unpicklable(loader)
    assert found is not None
    told = found.beside
    assert (None if told is None else (told.what, told.attribute)) == beside
    (finding,) = unpicklable_worker_arguments.check(program)
    assert ("holds a lambda in `read`" in finding.message) is (beside is not None)
