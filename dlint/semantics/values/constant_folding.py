"""Truth, comparison and arithmetic of known values.

Question: what do Python's operators make of constants, and of objects that are certainly not None?
Numbers only, below `_LARGEST`; what raises, or is not known, is Unknown (None for a truth value).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from dlint.library_facts.processes import CPU_COUNTS
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    FunctionObject,
    Instance,
    Literal,
    Value,
    is_of_library,
    library_path,
)

CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "builtins.int": int,
    "builtins.bool": bool,
    "builtins.float": float,
    "builtins.str": str,
}

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.eq,
    "is not": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGEST = 2**64
_ZERO = Literal.of(0)
_DIVISIONS = frozenset({"/", "//"})


def is_object(value: object) -> bool:
    """Whether a value is certainly an object that is not None (an instance, class or function).

    What a library function returns may be None; what a library class (`CamelCase`) makes is not.
    """
    if is_of_library(value):
        name = library_path(value).rpartition(".")[2]
        return name.lstrip("_")[:1].isupper()
    return isinstance(
        value, AllocationSite | Instance | ClassObject | FunctionObject | Container | Batch
    )


def truth(value: object) -> bool | None:
    """The truth value of a constant or of an object; None where it is not known.

    Samplers and loaders count as true: they are false only when there is no data at all. So does
    the number of CPUs, which is None only where Python cannot tell.
    """
    if isinstance(value, Literal):
        return bool(value.value)
    if isinstance(value, Container | Batch):
        return None
    return True if is_object(value) or _counts_cpus(value) else None


def _counts_cpus(value: object) -> bool:
    return is_of_library(value) and library_path(value) in CPU_COUNTS


def compare(symbol: str, left: object, right: object) -> bool | None:
    """The outcome of a comparison, None where it is not known."""
    if isinstance(left, Literal) and isinstance(right, Literal):
        compare_values = _COMPARISONS.get(symbol)
        if compare_values is None:
            return None
        try:
            return bool(compare_values(left.value, right.value))
        except TypeError:
            return None
    if symbol in ("is", "is not", "==", "!=") and NONE in (left, right):
        other = right if left == NONE else left
        if is_object(other) or _counts_cpus(other):
            return symbol in ("is not", "!=")
    return None


def arithmetic(symbol: str, left: object, right: object) -> Value:
    """The result of an operation on known numbers; nothing divided by anything is nothing."""
    operate = ARITHMETIC.get(symbol)
    if left == _ZERO and symbol in _DIVISIONS and not isinstance(right, Literal):
        return _ZERO if symbol == "//" else Literal.of(0.0)
    if operate is None or not isinstance(left, Literal) or not isinstance(right, Literal):
        return UNKNOWN
    if not all(isinstance(v.value, int | float) and abs(v.value) < _LARGEST for v in (left, right)):
        return UNKNOWN
    if symbol == "**" and _is_huge(left.value, right.value):
        return UNKNOWN
    try:
        result = operate(left.value, right.value)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    return Literal.of(result) if isinstance(result, int | float) else UNKNOWN


def _is_huge(base: object, exponent: object) -> bool:
    """Whether a power of whole numbers has more digits than any setting."""
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return base.bit_length() * exponent > _LARGEST.bit_length()


def signed(symbol: str, value: object) -> Value:
    """`-x`, `+x`, `~x` of a known number."""
    if isinstance(value, Literal) and isinstance(value.value, int | float):
        if symbol == "-":
            return Literal.of(-value.value)
        if symbol == "+":
            return value
    return UNKNOWN


def convert(path: str, value: object) -> Value:
    """`int(x)`, `bool(x)` … of a known value; others keep what is known of them."""
    if not isinstance(value, Literal):
        return UNKNOWN
    try:
        return Literal.of(CONVERSIONS[path](value.value))
    except (TypeError, ValueError):
        return UNKNOWN
