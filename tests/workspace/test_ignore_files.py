"""Patterns of ignore files, tried at once before they are asked one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from dlint.workspace.ignore_files import IgnoreFile, _patterns, is_ignored, read

PIECE = st.text(alphabet="ab*?.[]!", min_size=1, max_size=3)
PATTERN = st.builds(
    lambda negated, top, pieces, end: negated + top + "/".join(pieces) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/", "**/"]),
    st.lists(PIECE, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**", "/*"]),
)
NAMES = st.text(alphabet="ab.", min_size=1, max_size=3)


def _file(lines: list[str]) -> IgnoreFile | None:
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return None
    return IgnoreFile("/p/", spec, *_patterns(spec))


@given(st.lists(PATTERN, max_size=4), st.lists(NAMES, min_size=1, max_size=3))
def test_what_is_passed_over_is_named_by_no_pattern(lines: list[str], parts: list[str]) -> None:
    file = _file(lines)
    if file is None:
        return
    above = ["/".join(parts[:count]) + "/" for count in range(1, len(parts))]
    if any(file.spec.check_file(folder).include is not None for folder in above):
        return  # decided already where the directory was entered, or not
    path = "/".join(parts)
    assert file.decides(f"/p/{path}", is_directory=False) == file.spec.check_file(path).include


@pytest.mark.parametrize(
    ("lines", "path", "is_kept"),
    [
        ("*.yaml\n!keep.yaml", "a/keep.yaml", True),
        ("*.yaml\n!keep.yaml", "a/b.yaml", False),
        ("/a/*.yaml", "a/b.yaml", False),
        ("/a/*.yaml", "c/a/b.yaml", True),
        ("b.yaml/", "a/b.yaml", True),
        ("a/**", "a/b.yaml", False),
        ("**/a/b.yaml", "x/a/b.yaml", False),
        ("[ab].yaml", "x/a.yaml", False),
        ("\\#a.yaml", "#a.yaml", False),
    ],
)
def test_files(tmp_path: Path, lines: str, path: str, is_kept: bool) -> None:
    (tmp_path / ".gitignore").write_text(lines)
    files = read(str(tmp_path))
    assert is_ignored(files, str(tmp_path / path), is_directory=False) is not is_kept
