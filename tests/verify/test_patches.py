"""Unified diffs applied in memory, and what a script imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.semantics.names.import_graph import imported
from dlint.verify.plan.candidates import Variants, from_patch
from dlint.verify.plan.patches import apply_patch
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources

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

ADDED = """\
diff --git a/pkg/new.py b/pkg/new.py
new file mode 100644
index 0000000..3367afd
--- /dev/null
+++ b/pkg/new.py
@@ -0,0 +1,2 @@
+one
+two
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


def test_patches_of_several_commits_build_on_each_other(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="one\ntwo\nthree\n")
    second = "--- a/pkg/x.py\n+++ b/pkg/x.py\n@@ -2,2 +2,2 @@\n 2\n-2b\n+2c\n"
    third = "--- a/pkg/new.py\n+++ b/pkg/new.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    (tmp_path / "p.patch").write_text(PATCH + second + ADDED + third)
    texts = apply_patch(tmp_path / "p.patch", tmp_path, Sources())
    assert texts[str(tmp_path / "pkg" / "x.py")] == "one\n2\n2c\nthree\n"
    assert texts[str(tmp_path / "pkg" / "new.py")] == "one\n2\n"


def test_a_module_is_added_where_the_files_beside_it_are(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    _write(tmp_path, sub__x="one\ntwo\nthree\n")
    patch = (ADDED + PATCH).replace("pkg/", "")
    (tmp_path / "sub" / "p.patch").write_text(patch)
    texts = apply_patch(tmp_path / "sub" / "p.patch", tmp_path / "sub", Sources())
    assert set(texts) == {str(tmp_path / "sub" / name) for name in ("x.py", "new.py")}


def test_a_patch_that_adds_a_module(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="one\ntwo\nthree\n")
    (tmp_path / "p.patch").write_text(ADDED + PATCH)
    sources = Sources()
    texts = apply_patch(tmp_path / "p.patch", tmp_path, sources)
    path = tmp_path / "pkg" / "new.py"
    assert texts[str(path)] == "one\ntwo\n"
    assert len(texts) == 2
    variants = Variants([from_patch("p.patch", texts)], sources)
    without, added = variants.make([]), variants.make([from_patch("p.patch", texts)])
    assert without is not None
    assert added is not None
    assert set(added.edited) - set(without.edited) == {str(path)}
    assert not path.exists()


@pytest.mark.parametrize(
    ("patch", "text", "message"),
    [
        (PATCH, "one\nother\nthree\n", "does not fit"),
        (PATCH.replace("b/pkg/x.py", "/dev/null"), "one\n", "removes"),
        (PATCH.replace("a/pkg/x.py", "/dev/null"), "one\n", "there already"),
        (ADDED.replace("pkg/new.py", "other/new.py"), "one\n", "a new folder or package"),
        (ADDED.replace("pkg/new.py", "pkg/__init__.py"), "one\n", "a new folder or package"),
        (ADDED.replace("b/pkg/new.py", "newpkg/new.py"), "one\n", "a new folder or package"),
        (ADDED.partition("--- ")[0], "one\n", "an empty file"),
        (
            f"diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n{PATCH}",
            "one\n",
            "renames",
        ),
        ("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", "", "binary"),
        ("nothing\n", "one\n", "no unified diff"),
        (PATCH.replace("x.py", "y.py"), "one\n", "does not exist"),
    ],
)
def test_patches_that_cannot_be_tried(tmp_path: Path, patch: str, text: str, message: str) -> None:
    _write(tmp_path, pkg__x=text)
    (tmp_path / "p.patch").write_text(patch)
    with pytest.raises(UsageError, match=message):
        apply_patch(tmp_path / "p.patch", tmp_path, Sources())


def _applied(folder: Path, patch: str, *, below: str = "") -> dict[str, str]:
    """The new texts by their names in the folder, with newlines as they stand."""
    (folder / "p.patch").write_bytes(patch.encode())
    texts = apply_patch(folder / "p.patch", folder / below, Sources())
    return {Path(path).relative_to(folder).as_posix(): text for path, text in texts.items()}


@pytest.mark.parametrize("signature", ["-- \n2.40.1\n\n", "--\n2.40.1\n"])
def test_a_patch_of_a_mail_ends_with_a_signature(tmp_path: Path, signature: str) -> None:
    _write(tmp_path, pkg__x="one\ntwo\nthree\n")
    assert _applied(tmp_path, PATCH + signature) == {"pkg/x.py": "one\n2\n2b\nthree\n"}


@pytest.mark.parametrize("patch", [PATCH, PATCH.replace("\n", "\r\n")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_newlines_stay_as_the_file_has_them(tmp_path: Path, patch: str, end: str) -> None:
    _write(tmp_path, pkg__x="")
    (tmp_path / "pkg" / "x.py").write_bytes(end.join(["one", "two", "three", ""]).encode())
    expected = end.join(["one", "2", "2b", "three", ""])
    assert _applied(tmp_path, patch) == {"pkg/x.py": expected}


def test_a_file_with_two_kinds_of_newlines_is_met_as_it_is(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="")
    (tmp_path / "pkg" / "x.py").write_bytes(b"one\r\ntwo\nthree\n")
    patch = PATCH.replace(" one\n", " one\r\n").replace("+2\n", "+2\r\n")
    assert _applied(tmp_path, patch) == {"pkg/x.py": "one\r\n2\r\n2b\nthree\n"}


def test_lines_added_without_any_around_them_go_behind_the_one_that_is_named(
    tmp_path: Path,
) -> None:
    _write(tmp_path, pkg__x="one\ntwo\n")
    patch = "--- a/pkg/x.py\n+++ b/pkg/x.py\n@@ -1,0 +2 @@\n+1b\n"
    assert _applied(tmp_path, patch) == {"pkg/x.py": "one\n1b\ntwo\n"}


def test_a_line_that_looks_like_a_header_and_one_with_a_form_feed(tmp_path: Path) -> None:
    _write(tmp_path, pkg__x="-- a\n\x0c\ntwo\n")
    patch = "--- a/pkg/x.py\n+++ b/pkg/x.py\n@@ -1,3 +1,3 @@\n--- a\n+++ b\n \x0c\n-two\n+2\n"
    assert _applied(tmp_path, patch) == {"pkg/x.py": "++ b\n\x0c\n2\n"}


def test_paths_of_git_begin_at_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    _write(tmp_path, pkg__x="one\ntwo\nthree\n", x="one\ntwo\nthree\n")
    patch = f"diff --git a/pkg/x.py b/pkg/x.py\n{PATCH}"
    assert list(_applied(tmp_path, patch, below="pkg")) == ["pkg/x.py"]


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        (("pkg/x.py", "pkg/x.py"), "pkg/x.py"),
        (("x.py", "other.py"), "x.py"),
        (('"a/\\303\\244 b.py"', '"b/\\303\\244 b.py"'), "ä b.py"),
    ],
)
def test_the_file_that_is_meant(tmp_path: Path, names: tuple[str, str], changed: str) -> None:
    fitting = "one\ntwo\nthree\n"
    _write(tmp_path, pkg__x=fitting, x=fitting, other="one\n2\n2b\nthree\n")
    (tmp_path / "ä b.py").write_text(fitting)
    patch = PATCH.replace("a/pkg/x.py", names[0]).replace("b/pkg/x.py", names[1])
    assert list(_applied(tmp_path, patch)) == [changed]


def test_what_is_not_python_cannot_be_tried(tmp_path: Path) -> None:
    (tmp_path / "conf.yaml").write_text("one\ntwo\nthree\n")
    with pytest.raises(UsageError, match=r"conf\.yaml, which is not Python"):
        _applied(tmp_path, PATCH.replace("pkg/x.py", "conf.yaml"))


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
