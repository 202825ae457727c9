"""Glob patterns of `exclude` and `per-file-ignores`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from dlint.workspace.globs import Globs

PART = st.text(alphabet="ab*?", min_size=1, max_size=4).filter(lambda text: "**" not in text)
PATTERN = st.builds(
    lambda top, parts: top + "/".join(parts),
    st.sampled_from(["", "/", "**/"]),
    st.lists(
        PART | st.just("**") | st.sampled_from(["[ab]", "[!a]", "[a-b]c"]), min_size=1, max_size=3
    ),
)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("gen", "/p/gen", True),
        ("gen", "/p/a/gen", True),
        ("gen", "/p/a/gen.py", False),
        ("gen/", "/p/a/gen", True),
        ("*.py", "/p/a/b.py", True),
        ("a/*.py", "/p/a/b.py", True),
        ("a/*.py", "/p/x/a/b.py", False),
        ("a/*.py", "/p/a/c/b.py", False),
        ("./a/*.py", "/p/a/b.py", True),
        ("a/**", "/p/a/c/b.py", True),
        ("a/**", "/p/a", False),
        ("a/**/b.py", "/p/a/b.py", True),
        ("a/**/b.py", "/p/a/c/d/b.py", True),
        ("**/b.py", "/p/b.py", True),
        ("/b.py", "/p/b.py", True),
        ("/b.py", "/p/a/b.py", False),
        ("v?.py", "/p/v1.py", True),
        ("v[0-9].py", "/p/v7.py", True),
        ("v[!0-9].py", "/p/v7.py", False),
        ("a.b", "/p/axb", False),
        ("/p/a", "/elsewhere/a", False),
        ("a+b(c).py", "/p/a+b(c).py", True),
        ("[", "/p/[", True),
    ],
)
def test_matches(pattern: str, path: str, expected: bool) -> None:
    assert Globs([pattern], "/p").matches(path) is expected


def test_cover_looks_at_the_folders_below_the_top() -> None:
    globs = Globs(["tests"], "/p")
    assert globs.cover("/p/tests/unit/a.py", "/p")
    assert not Globs(["p"], "/p").cover("/p/a.py", "/p")


def test_no_pattern_matches_nothing() -> None:
    assert not Globs([], "/p").matches("/p/a.py")
    assert not Globs(["", "/"], "/p").matches("/p/a.py")


def test_a_path_outside_of_the_base_is_matched_by_its_name() -> None:
    assert Globs(["gen"], "/p").matches("/q/gen")


@given(PATTERN, st.lists(st.text(alphabet="abc", min_size=1, max_size=3), min_size=1, max_size=3))
def test_a_pattern_says_what_it_says_to_pathspec(pattern: str, parts: list[str]) -> None:
    spec = GitIgnoreSpec.from_lines([pattern])
    above = ["/".join(parts[:count]) + "/" for count in range(1, len(parts))]
    if any(spec.check_file(folder).include for folder in above):
        return  # a pattern of dlint's names this very path, and `cover` looks above it
    path = "/".join(parts)
    assert Globs([pattern], "/p").matches(f"/p/{path}") is bool(spec.check_file(path).include)
