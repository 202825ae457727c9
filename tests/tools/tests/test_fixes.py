"""FixResult copies and what is said of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from tests.tools import git
from tests.tools.__main__ import main
from tests.tools.fixes import compiles, faults

MakeCorpus = Callable[[Mapping[str, str]], Path]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def test_a_copy_is_fixed_and_the_original_is_not(
    make_corpus: MakeCorpus, training: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_corpus({"a+one/train.py": training, "b+two/README": "no Python here\n"})
    output, kept = tmp_path / "fixes.json", tmp_path / "kept"
    arguments = ["fixes", str(corpus), "--output", str(output), "--keep", str(kept)]
    assert main(arguments) == 0
    one, two = json.loads(output.read_text("utf-8"))
    assert (one["fixed"], one["files"], one["rows"], one["problems"]) == (1, 1, 2, [])
    assert two["files"] == 0
    assert "pin_memory=True" in (kept / "a+one" / "train.py").read_text("utf-8")
    assert (corpus / "a+one" / "train.py").read_text("utf-8") == dedent(training)
    assert "1 findings fixed, 1 files and 2 rows changed" in capsys.readouterr().out


def test_rows_that_no_fix_names_are_told(tmp_path: Path) -> None:
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text("a = 1\nb = 2\n", "utf-8")
    after.write_text("a = 1\nb = 3\n", "utf-8")
    change = git.Changed(removed={2})
    assert faults(before, after, change, {2}) == []
    assert faults(before, after, change, {1}) == [f"{after} changed in rows that no fix names: [2]"]


def test_text_put_between_rows_belongs_to_either(tmp_path: Path) -> None:
    path = tmp_path / "same.py"
    path.write_text("a = 1\n", "utf-8")
    change = git.Changed(inserted_after={4})
    assert faults(path, path, change, {4}) == faults(path, path, change, {5}) == []
    assert faults(path, path, change, {6}) != []


def test_a_file_that_no_longer_compiles_is_told(tmp_path: Path) -> None:
    before, after = tmp_path / "before.py", tmp_path / "after.py"
    before.write_text("a = 1\n", "utf-8")
    after.write_text("a = = 1\n", "utf-8")
    assert compiles(before)
    assert faults(before, after, git.Changed(), None) == [f"{after} compiles no longer"]
    assert faults(after, after, git.Changed(), None) == []


def test_git_says_which_rows_changed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\nc = 3\n", "utf-8")
    git.begin(tmp_path)
    (tmp_path / "a.py").write_text("a = 1\nb = 3\nc = 3\nd = 4\n", "utf-8")
    (tmp_path / "new.py").write_text("", "utf-8")
    change = git.changes(tmp_path)["a.py"]
    assert (change.removed, change.inserted_after) == ({2}, {3})
    assert git.strangers(tmp_path) == ["new.py"]


NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "outputs": [],
                "source": [],
            },
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
)


def test_notebooks_and_configs_are_fixed(
    make_corpus: MakeCorpus, training: str, tmp_path: Path
) -> None:
    notebook = NOTEBOOK.replace('"source": []', f'"source": {json.dumps(dedent(training))}')
    config = "_target_: torch.utils.data.DataLoader\nnum_workers: 0  # none\ntimeout: 3\n"
    corpus = make_corpus({"a+one/a.ipynb": notebook, "a+one/b.yaml": config, "a+one/c.py": "\n"})
    output, kept = tmp_path / "fixes.json", tmp_path / "kept"
    assert main(["fixes", str(corpus), "--output", str(output), "--keep", str(kept)]) == 0
    (one,) = json.loads(output.read_text("utf-8"))
    assert (one["fixed"], one["files"], one["problems"]) == (2, 2, [])
    assert (kept / "a+one/b.yaml").read_text() == config.replace("timeout: 3", "timeout: 0")
    assert "pin_memory=True" in (kept / "a+one/a.ipynb").read_text()


@pytest.mark.parametrize(
    ("name", "before", "after", "problem"),
    [
        ("a.ipynb", NOTEBOOK, NOTEBOOK.replace("[]}", "[ ]}"), None),
        ("a.ipynb", NOTEBOOK, NOTEBOOK.replace(": 1", ": 2"), "differs in more than its code"),
        ("a.ipynb", NOTEBOOK, NOTEBOOK + "\n", "differs in bytes outside of its code"),
        ("a.ipynb", NOTEBOOK, NOTEBOOK.replace('"code"', '"x"'), "is valid no longer"),
        ("a.yaml", "a: 1\nb: 2\n", "a: x\nb: 2\nc: 3\n", None),
        ("a.yaml", "a: 1\nb: 2\n", "b: 2\n", "has another structure"),
        ("a.json", '{"a": 1}', '{"a": 1, }', "is valid no longer"),
    ],
)
def test_what_is_wrong_with_a_document(
    name: str, before: str, after: str, problem: str | None, tmp_path: Path
) -> None:
    paths = tmp_path / "before", tmp_path / "after"
    for folder, text in zip(paths, (before, after), strict=True):
        folder.mkdir()
        (folder / name).write_text(text)
    found = faults(paths[0] / name, paths[1] / name, git.Changed(), None)
    assert (problem is None and found == []) or any(str(problem) in text for text in found)
