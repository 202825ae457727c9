"""Random numbers that `__getitem__` draws: for a part of the sample it is asked for, or which one.

Question: does a draw leave the choice of the sample to the index? Followed: a number that is drawn
from what the data set does not hold itself, in a `__getitem__` that takes something by its index;
places drawn among those of what was taken by the index (`choice(len(points), 1024)`). Given up on:
draws elsewhere, and those that any number of samples, or a part of them, is given to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.value_parts import names_of, origin_of, parts_in_function
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.ir.module import Scope

NUMBERS = frozenset({"randint", "randrange"})
"""Calls that draw one number, or as many as are asked for, by their last name."""
_COUNTING = frozenset({"range", "arange"})


def is_of_sample(method: Scope, call: ex.Call) -> bool:
    """Whether a call draws within a sample that the index has chosen."""
    if method.name != "__getitem__":
        return False
    if call.name not in NUMBERS:
        return _draws_places(method, call)
    return _takes_by_index(method) and not any(
        _is_of_all(part) for argument in call.arguments for part in _parts(argument.value)
    )


def _draws_places(method: Scope, call: ex.Call) -> bool:
    """Whether a call draws among the places of something that depends on the index."""
    given = written(call, 0)
    places = None if given is None else origin_of(given)
    while isinstance(places, ex.Call) and places.name in _COUNTING and places.arguments:
        places = origin_of(places.arguments[-1].value)
    if places is None or len(method.parameters) < 2 or not _is_count(places):
        return False
    index = method.parameters[1].name
    return any(_is_parameter(part, index) for part in parts_in_function(places))


def _is_count(part: ex.Expression) -> bool:
    """`len(x)`, `x.size(0)`, `x.shape[0]`."""
    if isinstance(part, ex.Subscript):
        return isinstance(part.value, ex.Attribute) and part.value.name == "shape"
    return isinstance(part, ex.Call) and part.name in ("len", "size")


def _takes_by_index(method: Scope) -> bool:
    """Whether something is taken by the index that the method is given."""
    names = [spec.name for spec in method.parameters]
    if len(names) < 2:
        return False
    return any(
        isinstance(part, ex.Subscript) and _is_parameter(part.index, names[1])
        for statement in walk.statements(method.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def _is_parameter(expression: ex.Expression, name: str) -> bool:
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        expression = expression.definition.value
    return isinstance(expression, ex.Parameter) and expression.name == name


def _parts(expression: ex.Expression) -> Iterator[ex.Expression]:
    """What an argument is made of, and what its names are bound to."""
    for part in walk.walk(expression):
        yield part
        if isinstance(part, ex.Reference) and part.definition is not None:
            yield part.definition.value


def _is_of_all(part: ex.Expression) -> bool:
    """Whether something is, or counts, what the data set holds: `self.n`, `len(self.items)`."""
    if isinstance(part, ex.Call) and part.name == "len":
        counted = written(part, 0)
        return counted is not None and any(map(_is_own, names_of(counted)))
    return _is_own(part) and isinstance(part, ex.Attribute)


def _is_own(expression: ex.Expression) -> bool:
    """Whether something is the data set itself, or an attribute of it."""
    name = ex.dotted(expression)
    return name is not None and name.partition(".")[0] == "self"
