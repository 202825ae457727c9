"""Unified diffs applied in memory, and what a script imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.errors import UsageError
from dlint.project.closure import imported
from dlint.source import Sources
from dlint.verify.patches import apply_patch

PATCH = """\
--- a/pkg/x.py
+++ b/pkg/x.py
@@ -1,3 +1,4 @@
 one
-two
+2
+2b
 three
"""


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".py").write_text(text)


def test_a_patch_that_fits_though_lines_came_before(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="zero\none\ntwo\nthree\n")
    (tmp_path / "p.patch").write_text(PATCH)
    texts = apply_patch(tmp_path / "p.patch", tmp_path, Sources())
    assert texts == {str(tmp_path / "pkg" / "x.py"): "zero\none\n2\n2b\nthree\n"}


@pytest.mark.parametrize(
    ("patch", "text", "message"),
    [
        (PATCH, "one\nother\nthree\n", "does not fit"),
        (PATCH.replace("a/pkg/x.py", "/dev/null"), "one\n", "adds or removes"),
        ("nothing\n", "one\n", "no unified diff"),
        (PATCH.replace("x.py", "y.py"), "one\n", "does not exist"),
    ],
)
def test_patches_that_cannot_be_tried(tmp_path: Path, patch: str, text: str, message: str) -> None:
    _write(tmp_path, pkg__x=text)
    (tmp_path / "p.patch").write_text(patch)
    with pytest.raises(UsageError, match=message):
        apply_patch(tmp_path / "p.patch", tmp_path, Sources())


def test_a_patch_that_adds_a_newline_at_the_end(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="one\ntwo")
    (tmp_path / "p.patch").write_text(
        "--- a/pkg/x.py\n+++ b/pkg/x.py\n@@ -1,2 +1,2 @@\n one\n-two\n"
        "\\ No newline at end of file\n+2\n"
    )
    texts = apply_patch(tmp_path / "p.patch", tmp_path, Sources())
    assert list(texts.values()) == ["one\n2\n"]


def test_what_a_script_imports(tmp_path: Path) -> None:
    files = {
        "train": "import pkg.data\nfrom helper import f\n",
        "helper": "from pkg import more\n",
        "other": "import train\n",
        "pkg/__init__": "",
        "pkg/data": "from . import deep\n",
        "pkg/deep": "import nowhere\n",
        "pkg/more": "def broken(:\n",
        "pkg/unused": "",
    }
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    paths = {str(tmp_path / f"{name}.py") for name in files}
    found = imported(str(tmp_path / "train.py"), paths)
    missing = {Path(path).relative_to(tmp_path).as_posix() for path in paths - found}
    assert missing == {"other.py", "pkg/unused.py"}
