"""Which argument of a call a parameter takes, by the signature of what is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.binding import Bound, bind
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.values import Literal

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]


def _bound(context: AnalysisContext, name: str, *parameters: str) -> Bound:
    (call,) = calls_anywhere(context, name)
    return bind(context, call, *parameters)


def _text(bound: Bound, name: str) -> str | None:
    place = bound.place(name)
    if place is None:
        return None
    return bound.context.project.text(place.path).decode()[place.start : place.end]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("DataLoader(ds, 8)", ("ds", "8")),
        ("DataLoader(batch_size=8, dataset=ds)", ("ds", "8")),
        ("DataLoader(ds, batch_size=8)", ("ds", "8")),
        ("DataLoader(*[ds, 8])", ("ds", "8")),
        ("DataLoader(*rows)", ("ds", "9")),
        ("DataLoader(ds, **{'batch_size': 8})", ("ds", "8")),
        ("DataLoader(ds, **options)", ("ds", "7")),
        ("DataLoader(ds, **dict(batch_size=8))", ("ds", "8")),
        ("DataLoader(ds, **written)", ("ds", None)),
        ("DataLoader(ds, **unknown)", ("ds", None)),
        ("DataLoader(*unknown)", (None, None)),
        ("DataLoader(*(ds, *more))", ("ds", None)),
        ("DataLoader(shuffle=True)", (None, None)),
    ],
)
def test_a_library_class_has_a_signature(
    context: MakeContext, call: str, expected: tuple[str | None, str | None]
) -> None:
    analysed = context(
        "from torch.utils.data import DataLoader\nfrom mine import unknown, ds, more\n"
        "options = {'batch_size': 7}\nrows = (ds, 9)\n"
        "written = {'batch_size': 1}\nif more:\n    written['batch_size'] = 2\n"
        f"{call}\n"
    )
    bound = _bound(analysed, "DataLoader")
    assert (_text(bound, "dataset"), _text(bound, "batch_size")) == expected


@pytest.mark.parametrize(
    ("definition", "call"),
    [
        ("def f(a, b): pass", "f(1, 2)"),
        ("def f(a, b): pass", "f(b=2, a=1)"),
        ("def f(a, *, b): pass", "f(1, b=2)"),
        ("def f(a, /, b): pass", "f(1, 2)"),
        ("def f(*, b, **rest): pass", "f(a=1, b=2)"),
        ("class f:\n    def __init__(self, a, b): pass", "f(1, 2)"),
        ("class f:\n    def __call__(self, a, b): pass\ng = f\nf = g()", "f(1, 2)"),
        (
            "from dataclasses import dataclass\n@dataclass\nclass f:\n    a: int\n    b: int",
            "f(1, 2)",
        ),
        ("class A:\n    def f(self, a, b): pass", "A().f(1, 2)"),
        ("class A:\n    def f(self, a, b): pass", "A.f(A(), 1, 2)"),
        ("class A:\n    @staticmethod\n    def f(a, b): pass", "A().f(1, 2)"),
        ("class A:\n    @classmethod\n    def f(cls, a, b): pass", "A.f(1, 2)"),
        ("from functools import partial\ndef h(a, b): pass\nf = partial(h, 1)", "f(2)"),
        ("from functools import partial\ndef h(a, b): pass\nf = partial(h, b=3)", "f(1, b=2)"),
        (
            "from functools import partial\ndef h(b, a): pass\nf = partial(partial(h, a=1), 2)",
            "f()",
        ),
    ],
)
def test_a_function_of_the_project_has_one(
    context: MakeContext, definition: str, call: str
) -> None:
    bound = _bound(context(f"{definition}\n{call}\n"), "f")
    assert (_text(bound, "a"), _text(bound, "b")) == ("1", "2")


def test_callees_that_disagree_bind_keywords_alone(context: MakeContext) -> None:
    analysed = context(
        "from mine import x\ndef g(a, b): pass\ndef h(b, a): pass\nf = g if x else h\nf(1, b=2)\n"
    )
    bound = _bound(analysed, "f")
    assert (_text(bound, "a"), _text(bound, "b")) == (None, "2")


def test_whoever_asks_may_name_the_parameters(context: MakeContext) -> None:
    analysed = context("def f(x):\n    x.put(1, b=2)\n")
    bound = _bound(analysed, "put", "a", "b")
    assert (_text(bound, "a"), _text(bound, "b")) == ("1", "2")
    assert isinstance(bound.get("a"), ex.Constant)
    assert bound.get("c") is None


def test_values_come_through_names_and_unpacked_dicts(context: MakeContext) -> None:
    analysed = context(
        "from torch.utils.data import DataLoader\nfrom mine import flag, ds\nn = 4\n"
        "options = {'num_workers': n}\nif flag:\n    options['num_workers'] = 0\n"
        "DataLoader(ds, 16, **options)\n"
    )
    bound = _bound(analysed, "DataLoader")
    assert bound.values("num_workers") == {Literal.of(4), Literal.of(0)}
    assert bound.values("batch_size") == {Literal.of(16)}
    assert bound.values("timeout") == frozenset()
    assert bound.is_given("num_workers")
    assert bound.is_given("dataset")
    assert not bound.is_given("timeout")
    assert not bound.may_be_given("timeout")


def test_what_may_be_given_is_not_certain(context: MakeContext) -> None:
    analysed = context(
        "from torch.utils.data import DataLoader\nfrom mine import options\n"
        "DataLoader(ds, **options)\n"
    )
    bound = _bound(analysed, "DataLoader")
    assert bound.may_be_given("num_workers")
    assert not bound.is_given("num_workers")


def test_what_is_not_known_has_no_signature(context: MakeContext) -> None:
    bound = _bound(context("from mine import f\nf(1, b=2)\n"), "f")
    assert (_text(bound, "a"), _text(bound, "b")) == (None, "2")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("MyLoader(rows, 4)", ["data", "rows"]),
        ("MyLoader(data=rows)", ["data", "rows"]),
        ("MyLoader(batch_size=4, data=rows)", ["data", "rows"]),
    ],
)
def test_an_argument_is_followed_through_what_hands_it_on(
    context: MakeContext, call: str, expected: list[str]
) -> None:
    analysed = context(f"{HANDED}\n{call}\n")
    assert _chain(analysed, "dataset") == expected


def test_so_are_the_items_of_keyword_arguments(context: MakeContext) -> None:
    analysed = context(f"{HANDED}\nMyLoader(rows, shuffle=True)\n")
    assert _chain(analysed, "shuffle") == ["True"]
    assert _chain(analysed, "num_workers") == ["2"]
    assert _chain(analysed, "timeout") == []


HANDED = """
from torch.utils.data import DataLoader
from mine import rows
class MyLoader(DataLoader):
    def __init__(self, data, **options):
        super().__init__(data, num_workers=2, **options)
"""


def _chain(context: AnalysisContext, name: str) -> list[str]:
    ((loader,),) = context[Loaders].by_call().values()
    assert loader.bound is not None
    found = []
    for argument, frame in loader.bound.arguments_for(name):
        text = context.project.text(frame.scope.module.path).decode()
        found.append(text[slice(*argument.value.span)])
    return found


@pytest.mark.parametrize(
    ("given", "may_be_false", "is_false"),
    [
        ("False", True, True),
        ("0", False, False),
        ("own or False", True, False),
        ("x", False, False),
    ],
)
def test_a_constant_among_what_is_given(
    context: MakeContext, given: str, may_be_false: bool, is_false: bool
) -> None:
    made = context(
        f"from torch.utils.data import DataLoader\ndef f(ds, own, x):\n"
        f"    return DataLoader(ds, shuffle={given})\nf([], True, 3)\n"
    )
    bound = _bound(made, "DataLoader")
    assert bound.may_be("shuffle", False) is may_be_false
    assert bound.is_certainly("shuffle", False) is is_false
