"""What older Pythons take and Python 3 of today rejects, by how its line is written."""

from __future__ import annotations

from dlint.library_facts.torch_versions import Version

PYTHON_2: Version = (2, 99)
"""Stands for all of Python 2."""

ASYNC: Version = (3, 6)
"""The newest Python in which `async` is a name (PEP 492; a keyword since 3.7)."""

LAST_TORCH: Version = (0, 4)
"""The newest torch that people ran on it: 0.4.0 has no wheels for Python 3.7."""

MESSAGES = (
    "Missing parentheses in call to 'print'",
    "Missing parentheses in call to 'exec'",
    "inconsistent use of tabs and spaces in indentation",
)
"""How Python 3 begins what it says of Python 2."""

OF_PYTHON_2 = (
    r"^\s*print\s+[\w\"'`]",
    r"\braise\s+[\w.]+\s*,",
    r"`[^`]+`",
    r"<>",
    r"(?<![\w.])0[0-7]+\b(?!\.)",
    r"(?<![\w.])(?:\d+|0[xX][\da-fA-F]+)[lL]\b",
    r"\b[uU][rR](?=[\"'])",
    r"\bdef\s+\w+\s*\([^()]*\([^()]*\)|\blambda\s*\(",
)
"""Lines of Python 2: statements, `repr` in backquotes, numbers, tuples in parameters."""

OF_ASYNC = r"\basync\s*=(?!=)|\.async\b"
