"""Unified diffs that git applies to the byte."""

from __future__ import annotations

import subprocess

import pytest

from dlint.fixes.diff import unified_diff
from dlint.workspace.reading import decode
from dlint.workspace.source import Source


def diff(name, before, after):
    return unified_diff(name, decode(name, before.encode()), after)


def test_shape():
    assert diff("src/a.py", "a\nb\n", "a\nc\n") == (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )


def test_equal_texts_have_no_diff():
    assert diff("a.py", "a\n", "a\n") == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nb\nc\n"),
        ("a\nb", "a\nc"),
        ("a\nb", "a\nb\n"),
        ("a\r\nb\r\n", "a\r\nx\r\nb\r\n"),
        ("a\n\f\nb\u2028b\n", "a\n\f\nb\u2028c\n"),
        ("a\rb\n", "a\rc\n"),
        ("\ufeffa\n", "\ufeffb\n"),
    ],
)
@pytest.mark.parametrize("name", ["a.py", "a b/ü.py"])
def test_git_applies_it(tmp_path, name, before, after):
    target = tmp_path / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(before.encode())
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(
        command,
        input=diff(name, before, after.removeprefix("\ufeff")).encode(),
        cwd=tmp_path,
        check=True,
    )
    assert target.read_bytes() == after.encode()


def test_a_new_file(tmp_path):
    text = unified_diff("new.py", Source("new.py", ""), "a\nb\n")
    subprocess.run(["git", "apply", "-"], input=text, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "new.py").read_text() == "a\nb\n"
