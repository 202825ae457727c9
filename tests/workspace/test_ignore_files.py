"""Patterns of ignore files: what git reads, and nothing that takes long."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from dlint.workspace.globs import Globs
from dlint.workspace.ignore_files import IgnoreFile, is_ignored, read
from tests.ends import comes_to_an_end

PIECE = st.text(alphabet="ab*?.[]!-^\\", min_size=1, max_size=4)
PATTERN = st.builds(
    lambda negated, top, pieces, end: negated + top + "/".join(pieces) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/", "**/"]),
    st.lists(PIECE | st.just("**"), min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**", "/*", " ", "\\ "]),
)
NAMES = st.text(alphabet="ab-[]", min_size=1, max_size=3)


@given(st.lists(PATTERN, max_size=4), st.lists(NAMES, min_size=1, max_size=3))
def test_patterns_say_what_they_say_to_pathspec(lines: list[str], parts: list[str]) -> None:
    file, path = IgnoreFile("/p/", lines), "/".join(parts)
    found = file.decides(f"/p/{path}", is_directory=False)
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return
    above = ["/".join(parts[:count]) + "/" for count in range(1, len(parts))]
    if any(spec.check_file(folder).include is not None for folder in above):
        return  # decided already where the directory was entered, or not
    assert found == spec.check_file(path).include


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


@pytest.mark.parametrize(
    "line",
    ["[", "[!", "[]", "[z-a]", "[[:nothing:]]", "a[b", "\\", "[\\", "[^", "!", "/", "//", "[a-]"],
)
def test_odd_brackets_are_read(line: str) -> None:
    IgnoreFile("/p/", [line, f"a/{line}", f"{line}*"]).decides("/p/a/b", is_directory=False)
    Globs([line, f"a/{line}", f"{line}*"], "/p").matches("/p/a/b")


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 60 + "b", "**/" * 60 + "a/b", "**/a/" * 40 + "b", "a*/" * 60 + "b", "?*" * 90],
)
def test_stars_upon_stars_take_no_time(pattern: str) -> None:
    with comes_to_an_end():
        for path in (
            "/p/" + "a" * 250,
            "/p/" + "a/" * 120 + "c",
            "/p/" + ("a" * 60 + "/") * 60 + "c",
        ):
            assert IgnoreFile("/p/", [pattern]).decides(path, is_directory=False) in (None, True)
            Globs([pattern], "/p").matches(path)


def test_many_names_are_looked_up() -> None:
    lines = [f"folder/name{number}.py" for number in range(60_000)]
    with comes_to_an_end():
        file = IgnoreFile("/p/", [*lines, *(f"name{number}" for number in range(60_000))])
        assert file.decides("/p/folder/name59999.py", is_directory=False)
        assert file.decides("/p/a/name7", is_directory=True)


def test_globs_past_the_bound_are_told(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("".join(f"a{number}*b\n" for number in range(3_000)))
    (file,) = read(str(tmp_path))
    assert file.is_cut
    assert file.decides(str(tmp_path / "a1999xb"), is_directory=False)
