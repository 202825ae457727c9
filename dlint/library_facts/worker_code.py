"""What leads from a loader to the code that its workers run."""

from __future__ import annotations

TRANSFORMS = frozenset({"transform", "transforms", "target_transform", "loader"})
"""Arguments by which library data sets are given functions to apply to their samples."""

COMPOSING = frozenset({"Compose", "Sequential", "OneOf", "RandomApply", "RandomChoice", "Lambda"})
"""Library callables that apply the functions that they are given."""

IGNORED = frozenset({"print", "len", "range", "isinstance", "str", "int", "float", "format"})
"""Builtins that enter no function of the project worth following."""
