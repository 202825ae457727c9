"""Numbers of workers that are the size of a batch.

Question: is a loader given one thing for `num_workers` and for `batch_size`? Then it has workers,
whatever that is: torch refuses 0 as a size, and None as a number of workers. Followed: one name,
and one attribute or item of it, also by a local name for it where nobody writes that attribute.
Given up on (not): sizes and numbers that are worked out, and items by keys that are not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


_BY_TEXT = lazily(rb"\bsetattr\(|__dict__|\bvars\([^)\n]*\)\s*(?:\[|\.update)")
"""How attributes are written without being named."""


def is_batch_size(
    context: AnalysisContext, number: ex.Expression | None, size: ex.Expression | None
) -> bool:
    """Whether a number of workers that a call is given is the size of its batches."""
    if number is None or size is None:
        return False
    if _is_one_thing(number, size):
        return True
    origin = origin_of(number)
    return _is_one_thing(origin, origin_of(size)) and not _is_written_to(context, origin)


def _is_one_thing(one: ex.Expression, other: ex.Expression) -> bool:
    """Whether two expressions are one name, or one part of one."""
    match one, other:
        case ex.Reference(), ex.Reference():
            return one.name == other.name and one.definition is other.definition
        case ex.Attribute(), ex.Attribute():
            return one.name == other.name and _is_one_thing(one.value, other.value)
        case ex.Subscript(index=ex.Constant(value=mine)), ex.Subscript(
            index=ex.Constant(value=yours)
        ):
            return mine == yours and _is_one_thing(one.value, other.value)
    return one is other and isinstance(one, ex.Parameter)


def _is_written_to(context: AnalysisContext, part: ex.Expression) -> bool:
    """Whether it may have been another thing when a local name was bound to it."""
    if isinstance(part, ex.Attribute):
        paths = sorted(module.path for module in context.reached_modules)
        by_text = any(context.project.says(path, _BY_TEXT) for path in paths)
        return by_text or any(True for _ in context.project.writing(part.name))
    return not isinstance(part, ex.Parameter)
