"""Which argument a parameter takes."""

from __future__ import annotations

import pytest

from dlint.ir import expressions as ex
from dlint.ir.lower import lower
from dlint.ir.module import Scope
from dlint.semantics.calls.binding import (
    BoundArgument,
    BoundArguments,
    bind,
    given_to_rest,
    is_refused,
    library_signature,
    signature_of,
    through_partial,
)
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.workspace.source import Source


def _lowered(signature: str, *calls: str) -> tuple[Scope, list[CallArguments]]:
    text = "\n".join([f"def f({signature}): ...", *calls])
    module = lower(Source("/a.py", text))
    function = next(scope for scope in module.scopes if scope.kind == "function")
    context = CallContext(module.body)
    made = sorted(module.body.calls, key=lambda call: call.span)
    return function, [CallArguments.of(call.arguments, context) for call in made]


def _bound(signature: str, call: str, *, has_receiver: bool = False) -> BoundArguments:
    function, [*_, arguments] = _lowered(signature, call)
    return bind(arguments, signature_of(function, has_receiver=has_receiver))


def _shown(bound: BoundArgument) -> object:
    """`4` for a certain argument, `['m[0]']` for items that it may come from, None for nothing."""
    if bound.expression is not None:
        return getattr(bound.expression[0], "value", None)
    items = [f"{ex.spelled(item.source)}[{item.key}]" for item in bound.unpacked]
    return items or None


# signature, call, what each parameter takes
BINDINGS = {
    "positions": ("a, b", "f(1, 2)", {"a": 1, "b": 2}),
    "keywords in any order": ("a, b", "f(b=2, a=1)", {"a": 1, "b": 2}),
    "position and keyword": ("a, b, c=0", "f(1, c=3, b=2)", {"a": 1, "b": 2, "c": 3}),
    "a default": ("a, b=0", "f(1)", {"a": 1, "b": None}),
    "keyword only": ("a, *, b", "f(1, b=2)", {"a": 1, "b": 2}),
    "behind *args": ("a, *args, b=0", "f(1, 2, 3)", {"a": 1, "b": None}),
    "positional only": ("a, /, b", "f(1, 2)", {"a": 1, "b": 2}),
    "a keyword never fills a positional-only one": (
        "a=0, /, **more",
        "f(a=1)",
        {"a": None},
    ),
    "an unpacked list": ("a, b, c", "f(1, *xs)", {"a": 1, "b": ["xs[0]"], "c": ["xs[1]"]}),
    "a keyword beside an unpacked list": ("a, b", "f(*xs, b=2)", {"a": ["xs[0]"], "b": 2}),
    "unpacked dicts, the last one wins": (
        "a, b",
        "f(1, **d, **e)",
        {"a": 1, "b": ["d[b]", "e[b]"]},
    ),
    "a keyword beside an unpacked dict": ("a, b", "f(**d, a=1)", {"a": 1, "b": ["d[b]"]}),
    "an unpacked dict fills no positional-only one": ("a=0, /, b=0", "f(**d)", {"a": None}),
    "a short slice": ("a, b, c", "f(*xs[1:3])", {"a": ["None[0]"], "b": ["None[1]"], "c": None}),
    "a short slice from its end": ("a, b", "f(0, *xs[-1:])", {"a": 0, "b": ["None[0]"]}),
    "behind a short slice": ("a, b=0", "f(*xs[:1], **d)", {"a": ["None[0]"], "b": ["d[b]"]}),
    "a slice by a name": ("a, b", "x = xs[:1]\nf(*x)", {"a": ["x[0]"], "b": None}),
    "a slice that grows": ("a, b", "x = xs[:1]\nx.append(2)\nf(*x)", {"b": ["x[1]"]}),
    "a slice that is handed on": ("a, b", "x = xs[:1]\ng(x)\nf(*x)", {"b": ["x[1]"]}),
    "a slice that is written to": ("a, b", "x = xs[:1]\nx[1:] = y\nf(*x)", {"b": ["x[1]"]}),
    "a slice of unknown length": ("a, b", "f(*xs[1:-1])", {"b": ["None[1]"]}),
    "a slice with a step": ("a, b", "f(*xs[1:2:n])", {"b": ["None[1]"]}),
    "a position behind a short slice": ("a, b", "f(*xs[:1], 3)", {"b": ["None[1]"]}),
    "a parameter that nobody knows is a keyword": ("a", "f(1, other=2)", {"other": 2}),
}


@pytest.mark.parametrize(("signature", "call", "expected"), BINDINGS.values(), ids=BINDINGS)
def test_each_parameter_takes_its_argument(
    signature: str, call: str, expected: dict[str, object]
) -> None:
    bound = _bound(signature, call)
    assert {name: _shown(bound[name]) for name in expected} == expected


def test_a_receiver_takes_no_argument() -> None:
    bound = _bound("self, a, b=0", "f(1, 2)", has_receiver=True)
    assert {spec.name: _shown(one) for spec, one in bound} == {"a": 1, "b": 2}
    assert bound["self"].is_absent


def test_nothing_given_is_absent_and_what_may_be_given_is_not() -> None:
    assert _bound("a=0", "f()")["a"].is_absent
    assert not _bound("a=0", "f(**d)")["a"].is_absent
    assert not _bound("a=0", "f(1)")["a"].is_absent


def test_star_parameters_take_what_is_left() -> None:
    bound = _bound("a, *args, b=0, **more", "f(1, 2, 3, b=4, c=5, **d)")
    assert [(i, _value(pair[0])) for i, pair in bound.var_positional] == [(0, 2), (1, 3)]
    assert [(a.keyword, a.star) for a, _ in bound.var_keyword] == [("c", ""), (None, "**")]


def test_what_one_call_gives_to_star_parameters() -> None:
    function, [arguments] = _lowered("a, *args", "f(1, 2, *xs)")
    given = given_to_rest(CallContext(function, passed=arguments))
    assert [ex.spelled(a.value) or _value(a) for a, _ in given] == [2, "xs"]
    assert given_to_rest(CallContext(function)) == []


def test_a_positional_only_name_may_be_a_key_of_kwargs() -> None:
    bound = _bound("a, /, **more", "f(1, a=2)")
    assert [_value(argument) for argument, _ in bound.var_keyword] == [2]
    assert bound.parameter_of(bound.arguments.arguments[1][0]) == "more"


def test_behind_an_unpacked_list_no_position_is_known() -> None:
    bound = _bound("a, *args", "f(*xs, 1)")
    assert [(i, a.star) for i, (a, _) in bound.var_positional] == [(None, "*"), (None, "")]


TAKERS = {
    "position": ("a, b", "f(1, 2)", ["a", "b"]),
    "keyword": ("a, b", "f(1, b=2)", ["a", "b"]),
    "star parameters": ("a, *args, **more", "f(1, 2, c=3)", ["a", "args", "more"]),
    "too many": ("a", "f(1, 2, c=3)", ["a", None, None]),
    "unpacked": ("a, b, c", "f(1, *xs, 2, c=3, **d)", ["a", None, None, "c", None]),
}


@pytest.mark.parametrize(("signature", "call", "expected"), TAKERS.values(), ids=TAKERS)
def test_each_argument_has_its_parameter(
    signature: str, call: str, expected: list[str | None]
) -> None:
    bound = _bound(signature, call)
    given = [argument for argument, _ in bound.arguments.arguments]
    assert [bound.parameter_of(argument) for argument in given] == expected


def test_an_argument_of_another_call_has_no_parameter() -> None:
    function, [one, other] = _lowered("a", "f(1)", "f(2)")
    bound = bind(one, signature_of(function, has_receiver=False))
    assert bound.parameter_of(other.arguments[0][0]) is None


def test_a_call_overrides_its_partial() -> None:
    function, [partial, call] = _lowered("a, b, c=0", "partial(f, 1, c=3)", "g(2, c=4)")
    arguments = through_partial(partial, call.arguments)
    bound = bind(arguments, signature_of(function, has_receiver=False))
    assert {spec.name: _shown(one) for spec, one in bound} == {"a": 1, "b": 2, "c": 4}


def test_a_library_takes_known_positions_and_any_keyword() -> None:
    _, [arguments] = _lowered("", "g(1, 2, workers=3)")
    bound = bind(arguments, library_signature(("dataset", "batch_size")))
    taken = {name: _shown(bound[name]) for name in ("dataset", "batch_size", "workers", "seed")}
    assert taken == {"dataset": 1, "batch_size": 2, "workers": 3, "seed": None}


def _value(argument: ex.Argument) -> object:
    return getattr(argument.value, "value", None)


# signature, call, whether Python refuses it
REFUSED = {
    "one too few": ("a, b", "f(1)", True),
    "one too many": ("a, b", "f(1, 2, 3)", True),
    "an unknown keyword": ("a", "f(1, b=2)", True),
    "one given twice": ("a, b=0", "f(1, a=1)", True),
    "a default": ("a, b=0", "f(1)", False),
    "a keyword for the rest": ("a, **more", "f(1, b=2)", False),
    "what is unpacked may be there": ("a, b", "f(1, *rest)", False),
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_arguments_that_a_function_does_not_take(given: tuple[str, str, bool]) -> None:
    """A call that Python refuses is told from one that it may take."""
    signature, call, expected = given
    function, [*_, arguments] = _lowered(signature, call)
    [*_, made] = sorted(function.module.body.calls, key=lambda call: call.span)
    assert is_refused(CallContext(function, call=made, passed=arguments)) is expected
    assert not is_refused(CallContext(function, call=made, passed=CallArguments(())))
