"""Reads: which tensors a call needs on the host.

Question: of which names, and parts of named dicts, must the host know the values for a call?
Followed are methods that fetch a tensor, `float`, `str` and `print`, what TensorBoard writes down,
and texts that show one, to whatever they are handed. Given up on: tensors that only the function
called would show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.model.loops.loss_names import Tensor
from dlint.model.transfers import transfers
from dlint.model.transfers.devices import Device, devices

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_CONVERTING = frozenset({"float", "str"})
"""Functions that make a number, or a text, of a tensor's value."""

_SHOWING = frozenset({"set_postfix", "set_postfix_str", "set_description", "set_description_str"})
"""Methods of tqdm's bars, which make a text of tensors too (tqdm 4.67, `std.py`)."""

_WRITING = {"add_scalar": "scalar_value"}
"""Methods of TensorBoard's writer, which make an array of what they are given in the second place
(torch/utils/tensorboard/summary.py, `scalar`)."""

_OF_ONE = frozenset({"detach", "mean", "sum"})
"""Methods of a loss that give its value, or one number for those of several devices."""


def needed_on_host(call: ex.Call) -> list[Tensor]:
    """The names whose values a call needs on the host."""
    if isinstance(call.function, ex.Attribute) and call.name in tensors.FETCHES:
        source = _tensor(call.function.value)
    elif isinstance(call.function, ex.Attribute) and call.name in _WRITING:
        given = written(call, 1, _WRITING[call.name])
        source = None if given is None else _tensor(given)
    elif isinstance(call.function, ex.Reference) and call.name in _CONVERTING:
        given = written(call, 0) if len(call.arguments) == 1 else None
        source = None if given is None else _tensor(given)
    elif _shows(call):
        return [shown for value in _handed(call) for shown in _printed(_made(value))]
    else:
        texts = filter(_is_text, map(_made, _handed(call)))
        return [shown for text in texts for shown in _printed(text)]
    return [] if source is None else [source]


def made_for_host(call: ex.Call) -> ex.Call | None:
    """The call whose result another needs on the host at once: `step(x)` of `step(x).item()`."""
    given = fetched(call)
    if isinstance(call.function, ex.Reference) and call.name in _CONVERTING:
        given = written(call, 0) if len(call.arguments) == 1 else None
    made = None if given is None else _behind(given)
    return made if isinstance(made, ex.Call) else None


def is_made_on_host(context: AnalysisContext, tensor: Tensor | ex.Call) -> bool:
    """Whether a name holds what a call makes of something that was brought to the host before."""
    made = origin_of(tensor)
    if not isinstance(made, ex.Call):
        return False
    given = [origin_of(argument.value) for argument in made.arguments]
    return any(isinstance(one, ex.Call) and brings(context, one) for one in given)


def brings(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a method of a tensor waits for its values; `numpy` takes those of the host only."""
    if not isinstance(call.function, ex.Attribute):
        return False
    if call.name != "to":
        return fetched(call) is not None
    device, _ = transfers.of_to(call)
    return device is not None and devices(context, device, call.scope) == {Device.CPU}


def fetched(call: ex.Call) -> ex.Expression | None:
    """The tensor whose values a method brings to the host, and waits for: `loss` of `loss.item()`.

    `numpy` takes those of the host only.
    """
    callee = call.function
    if call.arguments or call.name not in tensors.FETCHES - {"numpy"}:
        return None
    return callee.value if isinstance(callee, ex.Attribute) else None


def _shows(call: ex.Call) -> bool:
    """Whether a call writes out the values that it is given: `print`, methods of progress bars."""
    if isinstance(call.function, ex.Reference):
        return call.name == "print"
    return isinstance(call.function, ex.Attribute) and call.name in _SHOWING


def _handed(call: ex.Call) -> Iterator[ex.Expression]:
    """What a call is handed, also in a dict: `bar.set_postfix({"loss": f"{loss:.3f}"})`."""
    for argument in call.arguments:
        whole = origin_of(argument.value)
        if isinstance(whole, ex.Mapping):
            yield from (value for _, value in whole.items)
        elif not argument.star:
            yield argument.value


def _is_text(made: ex.Expression) -> bool:
    """Whether it is a text with values in it: `f"{x}"`, `"%s" % x`, `"{}".format(x)`."""
    match made:
        case ex.Format():
            return True
        case (
            ex.Binary(operator="%", left=left)
            | ex.Call(name="format", function=ex.Attribute(value=left))
        ):
            return isinstance(left, ex.Constant) and isinstance(left.value, str)
    return False


def _made(value: ex.Expression) -> ex.Expression:
    """The text, or the tensor without its graph, that a name was given right before."""
    made = origin_of(value)
    is_text = isinstance(made, ex.Format) or (isinstance(made, ex.Binary) and made.operator == "%")
    named = isinstance(made, ex.Call) and made.name in ("format", "detach")
    return made if is_text or named else value


def _printed(value: ex.Expression) -> Iterator[Tensor]:
    """The tensors whose values a text shows: `loss`, `f"{loss}"`, `"{}".format(loss)`."""
    match value:
        case ex.Format():
            parts = [_shown(part) for part in value.parts]
        case ex.Binary(operator="%"):
            right = value.right
            parts = list(right.items) if isinstance(right, ex.Sequence) else [right]
        case ex.Call(name="format"):
            parts = positional(value)
        case _:
            parts = [value]
    yield from (found for part in parts if (found := _tensor(part)) is not None)


def _shown(part: ex.Expression) -> ex.Expression:
    """What a place of an f-string shows, by whatever format: `loss` of `{loss:.3f}`."""
    if isinstance(part, ex.Opaque) and all(isinstance(p, ex.Constant) for p in part.children[1:]):
        return part.children[0] if part.children else part
    return part


def _tensor(source: ex.Expression) -> Tensor | None:
    """The name behind `.data`, `detach()` and `mean()`."""
    found = _behind(source)
    return found if isinstance(found, Tensor) else None


def _behind(source: ex.Expression) -> ex.Expression:
    while True:
        match source:
            case ex.Attribute(name="data", value=value):
                source = value
            case ex.Call(function=ex.Attribute(value=value)) if source.name in _OF_ONE:
                source = value
            case _:
                return source
