"""Whether two texts compile to the same instructions, but for names."""

from __future__ import annotations

import dis
import re
from collections import Counter
from collections.abc import Mapping
from types import CodeType

from tests.laws.rewriting import UnsoundError


def same_instructions(before: str, after: str, mapping: Mapping[str, str], name: str) -> None:
    """Raise UnsoundError if two texts differ in more than the names."""
    back = {new: old for old, new in mapping.items()}
    old, new = (compile(t, "p", "exec", dont_inherit=True) for t in (before, after))
    if _instructions(old, {}) != _instructions(new, back):
        raise UnsoundError(f"{name}: other instructions\n{after}")


def _instructions(code: CodeType, back: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """The instructions of a module and all that is in it, with the old names."""
    found: Counter[tuple[str, str]] = Counter()
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        if isinstance(value, CodeType):
            found += _instructions(value, back)
        else:
            words = re.sub(r"\w+", lambda m: back.get(m[0], m[0]), str(value))
            found[instruction.opname, "" if isinstance(value, int) else words] += 1
    return found
