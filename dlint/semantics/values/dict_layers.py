"""What a dict is made of, in layers: later ones win.

Question: which keys and which other dicts do a display, a `dict(…)` call (or another callable whose
keywords become items), or `**kwargs` of one activation put together? Read off the lowered form;
what stands in an unpacked dict is for whoever asks. Linear in the items, so without a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dlint.ir import expressions as ex
from dlint.semantics.calls.binding import bound_to
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, PassedArgument
from dlint.semantics.values.values import Container, VarArgs

Written = str | int | float | bool | None


class Entry(NamedTuple):
    """One item: its key, unless that is computed, and what is evaluated to its value."""

    value: ex.Expression
    context: CallContext
    key: Written = None
    is_computed: bool = False

    def may_be(self, key: object) -> bool:
        """Whether it may stand under `key`."""
        return self.is_computed or self.key == key


class Spread(NamedTuple):
    """All items of another dict."""

    source: ex.Expression
    context: CallContext


Layer = Entry | Spread


def layers_of(value: Container | VarArgs) -> list[Layer] | None:
    """The layers of a dict; None for what is none, and for `**kwargs` of every activation."""
    if isinstance(value, VarArgs):
        bound = bound_to(value.frame) if is_mapping(value) else None
        return None if bound is None else list(_of_arguments(bound.var_keyword))
    if isinstance(value.origin, ex.Mapping):
        return list(_of_display(value.origin, value.frame))
    if isinstance(value.origin, ex.Call):
        return layers_of_call(CallArguments.of(value.origin.arguments, value.frame))
    return None


def layers_of_call(arguments: CallArguments) -> list[Layer]:
    """The layers that a call's arguments put together: `dict(other, a=1, **more)`."""
    return list(_of_arguments(arguments.arguments))


def is_taken(value: Container | VarArgs, key: object) -> bool:
    """Whether `**kwargs` never holds a key, because a parameter of its own takes it."""
    bound = bound_to(value.frame) if isinstance(value, VarArgs) else None
    return bound is not None and isinstance(key, str) and bound.signature.takes_keyword(key)


def is_mapping(value: Container | VarArgs) -> bool:
    """Whether a container has keys: a display, a call, or `**kwargs`."""
    if isinstance(value, Container):
        return isinstance(value.origin, ex.Mapping | ex.Call)
    specs = value.frame.scope.parameters
    return any(spec.name == value.name and spec.kind == "starstar" for spec in specs)


def _of_display(display: ex.Mapping, context: CallContext) -> Iterator[Layer]:
    for key, value in display.items:
        if key is None:
            yield Spread(value, context)
        elif (known := ex.constant(key)) is not None:
            yield Entry(value, context, known.value)
        else:
            yield Entry(value, context, is_computed=True)


def _of_arguments(arguments: Iterable[PassedArgument]) -> Iterator[Layer]:
    """No key of a call is given twice, so what is written out wins over what is unpacked."""
    given = list(arguments)
    for argument, context in given:
        if argument.keyword is None and argument.star != "*":
            yield Spread(argument.value, context)
    for argument, context in given:
        if argument.keyword is not None:
            yield Entry(argument.value, context, argument.keyword)
