"""ReplaceComment changes comments and blanks around them, nothing else."""

from __future__ import annotations

import pytest

from dlint.findings.operations import ReplaceComment

TEXT = "x = '# no'  # yes: a, b\n# own\ny = 1\n"


@pytest.mark.parametrize(
    ("piece", "new", "after"),
    [
        ("  # yes: a, b", "", "x = '# no'\n# own\ny = 1\n"),
        ("a, b", "b", "x = '# no'  # yes: b\n# own\ny = 1\n"),
        ("# own\n", "", "x = '# no'  # yes: a, b\ny = 1\n"),
    ],
)
def test_replaces(lowered, find, piece, new, after):
    assert lowered(TEXT, ReplaceComment(find(TEXT, piece), new)) == after


@pytest.mark.parametrize("piece", ["# no", "'  # yes", "# own\ny", "y = 1"])
def test_touches_no_code(lowered, find, piece):
    assert lowered(TEXT, ReplaceComment(find(TEXT, piece), "")) is None
