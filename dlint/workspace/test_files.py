"""Which files are tests: by their path, and by their text where the path alone could be a script's.

`test_net.py` and `train_test.py` are often what evaluates a model: scripts, in which nothing is a
test.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dlint.findings.regexes import lazily
from dlint.workspace.reading import Sources
from dlint.workspace.spelling import spelled

_FOLDERS = frozenset({"tests", "test"})
_TESTING = lazily(
    rb"\bunittest\b|\bpytest\b|\bdoctest\b|^class Test\w*\s*(?::|\(\s*(?:object)?\s*\)\s*:)"
    rb"|\bdef test\w*\(\s*(?:self\b|\))",
    re.M,
)
"""What a runner of tests finds, or a test is written with."""
_SCRIPT = lazily(rb"\b__main__\b|\bargparse\b|\bhydra\b|\bclick\b|\bfire\b")
_ANY_TEST = lazily(rb"\bdef test")


def is_test(relative: str, is_script: Callable[[], bool]) -> bool:
    """Whether a file is a test, by its path below its project's root, and by its text if need be.

    `is_script` is asked where only the name of a file says so.
    """
    *folders, name = spelled(relative).split("/")
    if name == "conftest.py" or not _FOLDERS.isdisjoint(folders):
        return True
    is_named = name.startswith("test_") or name.endswith("_test.py")
    return is_named and not is_script()


def holds_no_test(text: bytes) -> bool:
    """Whether a file that is named as a test is a script instead."""
    if _TESTING.search(text) is not None:
        return False
    return _SCRIPT.search(text) is not None or _ANY_TEST.search(text) is None


def is_test_of(sources: Sources, path: str, root: str) -> bool:
    """Whether the file at a path, of a project with this root, is a test."""
    return is_test(path[len(root) :], lambda: holds_no_test(sources.raw(path)))
