"""Lineages of classes, and which calls make loaders."""

from __future__ import annotations

import pytest

from dlint.ir.module import Class
from dlint.semantics.calls import calls
from dlint.semantics.calls.arguments import construction
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.values import AllocationSite
from tests.semantics.asked import evaluator_for, questions

TEXT = """
import torch
from torch.utils.data import DataLoader, Dataset
from elsewhere import unknown
class Base(Dataset):
    def __getitem__(self, i): ...
class Left(Base): ...
class Right(Base): ...
class Both(Left, Right): ...
class Odd(unknown()): ...
class Stream:
    def __iter__(self): ...
class Rows(list):
    def __iter__(self): ...
class Lib(torch.nn.Module):
    def __iter__(self): ...
class Round(Round): ...
class Loader(DataLoader): ...
"""


def _classes() -> tuple[Evaluator, dict[str, Class]]:
    evaluator = evaluator_for(TEXT)
    facts = evaluator.solver.project.loaded[0]
    return evaluator, {cls.name: cls for cls in facts.module.classes}


def _names(found: object) -> list[str]:
    return [cls.name for cls in found]  # type: ignore[attr-defined]


def test_ancestors_and_descendants() -> None:
    evaluator, named = _classes()
    classes = evaluator.solver.classes
    assert _names(classes.ancestors(named["Both"])) == ["Both", "Left", "Right", "Base"]
    assert _names(classes.descendants(named["Base"])) == ["Left", "Right", "Both"]
    assert classes.externals(named["Both"]) == ["torch.utils.data.Dataset"]
    assert _names(classes.ancestors(named["Round"])) == ["Round"]


RELATED = {
    ("Left", "Base"): (True, False),
    ("Left", "Right"): (False, False),
    ("Stream", "Base"): (False, False),
}


@pytest.mark.parametrize(("pair", "expected"), RELATED.items(), ids=map("-".join, RELATED))
def test_relations(pair: tuple[str, str], expected: tuple[bool, bool]) -> None:
    evaluator, named = _classes()
    classes, (one, other) = evaluator.solver.classes, (named[name] for name in pair)
    assert (classes.are_related(one, other), classes.are_siblings(one, other)) == expected


def test_siblings_share_an_ancestor_and_no_descendant() -> None:
    text = "class A: ...\nclass B(A): ...\nclass C(A): ...\n"
    evaluator = evaluator_for(text)
    a, b, c = evaluator.solver.project.loaded[0].module.classes
    classes = evaluator.solver.classes
    assert classes.are_siblings(b, c)
    assert not classes.are_siblings(a, b)


def test_a_class_with_an_unknown_base_is_not_whole() -> None:
    evaluator, named = _classes()
    whole = {name for name, cls in named.items() if evaluator.solver.classes.is_whole(cls)}
    assert "Odd" not in whole
    assert {"Base", "Both", "Stream"} <= whole


def test_iterators_take_nothing_from_a_library() -> None:
    evaluator, named = _classes()
    iterators = {n for n, cls in named.items() if evaluator.solver.classes.is_iterator(cls)}
    assert iterators == {"Stream", "Rows"}


def test_a_method_is_the_nearest() -> None:
    evaluator, named = _classes()
    method = evaluator.solver.classes.method
    assert method(named["Both"], "__getitem__") is named["Base"].methods["__getitem__"]
    assert method(named["Both"], "missing") is None


MAKING = {
    "torch's": ("DataLoader([1])", True),
    "a subclass's": ("Loader([1])", True),
    "a drop-in's": ("StatefulDataLoader([1])", True),
    "another class's": ("Other([1])", False),
    "a library's": ("torch.utils.data.Subset([1])", False),
}


@pytest.mark.parametrize(("made", "expected"), MAKING.values(), ids=MAKING)
def test_which_calls_make_loaders(made: str, expected: bool) -> None:
    head = """
import torch
from torch.utils.data import DataLoader
from torchdata.stateful_dataloader import StatefulDataLoader
class Loader(DataLoader): ...
class Other: ...
"""
    evaluator = evaluator_for(f"{head}reveal({made})\n")
    [call] = questions(evaluator)
    [value] = evaluator.solver.values(call.arguments[0].value, evaluator.solver.root(call.scope))
    assert calls.is_loader(evaluator.solver, value) is expected


CONSTRUCTED = {
    "plainly": ("DataLoader([1], 8)", 2),
    "through one super": ("One([1])", 2),
    "through two": ("Two([1])", 2),
    "by name": ("Spelled([1])", 2),
    "with two calls of super": ("Twice([1])", None),
    "without any": ("Never([1])", None),
}


@pytest.mark.parametrize(("made", "expected"), CONSTRUCTED.values(), ids=CONSTRUCTED)
def test_what_the_librarys_own_constructor_is_given(made: str, expected: int | None) -> None:
    text = f"""
from torch.utils.data import DataLoader
class One(DataLoader):
    def __init__(self, data):
        super().__init__(data, 4)
class Two(One):
    def __init__(self, data):
        super().__init__(data)
class Spelled(DataLoader):
    def __init__(self, data):
        DataLoader.__init__(self, data, 4)
class Twice(DataLoader):
    def __init__(self, data, u=0):
        if u:
            super().__init__(data, 4)
        else:
            super().__init__(data, 8)
class Never(DataLoader):
    def __init__(self, data): ...
reveal({made})
"""
    evaluator = evaluator_for(text)
    [call] = questions(evaluator)
    [value] = evaluator.solver.values(call.arguments[0].value, evaluator.solver.root(call.scope))
    assert isinstance(value, AllocationSite)
    found = construction(evaluator.solver, value)
    assert (None if found is None else len(found[0].arguments)) == expected
