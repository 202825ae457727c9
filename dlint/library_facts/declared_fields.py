"""What a class declares that its objects hold, unless their constructors are given another value.

dataclasses (Python 3.13), attrs 25.4 (`attr/__init__.py`, `attr/_next_gen.py`: `field` takes
keywords alone), pydantic 2.12 (`fields.py`).
"""

from __future__ import annotations

from typing import NamedTuple


class Declaring(NamedTuple):
    """The arguments by which a callable declares a field."""

    default: int | None
    """The position of `default`; None where it is a keyword only."""
    factory: str
    """The keyword that takes a callable which makes the default."""


_ATTRS = Declaring(0, "factory")
_PYDANTIC = Declaring(0, "default_factory")

FIELDS = {
    "dataclasses.field": Declaring(None, "default_factory"),
    "attr.ib": _ATTRS,
    "attr.attrib": _ATTRS,
    "attr.field": Declaring(None, "factory"),
    "attrs.field": Declaring(None, "factory"),
    "pydantic.Field": _PYDANTIC,
    "pydantic.fields.Field": _PYDANTIC,
}
"""Callables that declare a field in a class body: what they return there is the default."""

_READING = {
    name: frozenset(f"{module}.{name}" for module in ("dataclasses", "attr", "attrs"))
    for name in ("astuple", "asdict")
}
AS_TUPLE, AS_DICT = _READING["astuple"], _READING["asdict"]
"""Callables that read all fields of the object they are given, in the order of its class."""

TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
"""Bases of classes whose objects are tuples of their fields."""

REPLACING = frozenset(
    {"dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve", "attr.assoc"}
)
"""Functions that make another object of one, with other values of the fields that are named."""

REPLACING_METHODS = frozenset({"_replace", "__replace__", "model_copy"})
"""Methods of records that do."""
