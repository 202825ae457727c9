"""`--diff-base`: findings on lines that changed since a commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dlint.workspace.git import Changes, changes

LONG = "import torch\n\n" + "".join(f"a{i} = {i}\n" for i in range(20))
CALL = "x = DataLoader(\n    ds,\n    batch_size=2,\n    drop_last=True,\n)\n"


def _git(*command: str) -> None:
    names = ("-c", "user.name=n", "-c", "user.email=n@example.com")
    subprocess.run(["git", *names, *command], check=True, capture_output=True)


def _commit() -> None:
    _git("add", "-A")
    _git("commit", "-qm", "x")


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository with one commit, in which `a.py` has a finding and a long file has none."""
    (project / "c.py").write_text(LONG + CALL)
    _git("init", "-q", "-b", "main")
    _commit()
    return project


def _lines(run: Any, *argv: str) -> list[str]:
    result = run("check", "--output-format", "concise", "-q", "--diff-base", *argv)
    assert result.code in {0, 1}
    assert result.err == ""
    return [line.split(" ")[0] for line in result.out.splitlines()]


@pytest.mark.usefixtures("repository")
def test_what_did_not_change_is_counted_and_not_shown(run: Any) -> None:
    result = run("check", "--diff-base", "HEAD")
    said = "Not shown: 2 findings (2 on lines that did not change).\n"
    assert (result.code, result.out, result.err) == (0, f"All checks passed!\n{said}", "")


def test_changed_lines_committed_or_not(run: Any, repository: Path) -> None:
    (repository / "a.py").write_text("new = DataLoader(one)\nx = DataLoader(ds)\n")
    assert _lines(run, "HEAD") == ["a.py:1:7:"]
    _commit()
    assert _lines(run, "HEAD") == []
    assert _lines(run, "HEAD~1") == ["a.py:1:7:"]


@pytest.mark.parametrize(
    ("old", "new", "is_shown"),
    [
        ("    batch_size=2,\n", "    batch_size=4,\n", True),
        ("    batch_size=2,\n", "", True),
        (")\n", ")\ny = 1\n", False),
        ("a19 = 19\n", "", False),
        ("a19 = 19\n", "a19 = 20\n", False),
    ],
)
def test_a_change_inside_a_call_is_one_of_it(
    run: Any, repository: Path, old: str, new: str, is_shown: bool
) -> None:
    text = (repository / "c.py").read_text()
    (repository / "c.py").write_text(text.replace(old, new))
    assert bool(_lines(run, "main")) is is_shown


def test_new_and_renamed_files(run: Any, repository: Path) -> None:
    (repository / "untracked.py").write_text("DataLoader(ds)\n")
    _git("mv", "c.py", "d.py")
    assert _lines(run, "HEAD") == ["untracked.py:1:1:"]
    with (repository / "d.py").open("a") as file:
        file.write("DataLoader(more)\n")
    assert _lines(run, "HEAD") == ["d.py:28:1:", "untracked.py:1:1:"]


def test_what_counts_is_where_the_branch_began(run: Any, repository: Path) -> None:
    _git("checkout", "-qb", "work")
    _git("checkout", "-q", "main")
    (repository / "a.py").write_text("x = 1\n")
    _commit()
    _git("checkout", "-q", "work")
    assert _lines(run, "main") == []


def test_a_revision_without_a_past_in_common(run: Any, repository: Path) -> None:
    _git("checkout", "-q", "--orphan", "other")
    (repository / "a.py").write_text("y = DataLoader(ds)\n")
    _commit()
    result = run("check", "--output-format", "concise", "--diff-base", "main")
    assert result.out.startswith("a.py:1:5:")
    assert result.err.startswith(f"warning: {repository}: no common ancestor of `main` and HEAD")


def test_a_place_that_a_finding_rests_on_counts(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dlint.cli.main import main

    text = (
        "from torch.utils.data import DataLoader\n\n\n"
        "def run(dataset, step):\n"
        "    loader = DataLoader(dataset, 64, num_workers=4)\n"
        "    for x in loader:\n"
        "        step(x)\n"
    )
    (repository / "a.py").write_text(text)
    _commit()
    (repository / "a.py").write_text(text.replace("step(x)", "step(x.cuda())"))
    argv = ["check", "--no-cache", "--output-format", "json", "--diff-base", "HEAD"]
    assert main(argv) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["location"]["row"]) == ("missing-pin-memory", 5)


def test_rows_of_a_notebook_are_those_of_its_file(run: Any, repository: Path) -> None:
    def write(*cells: str) -> None:
        kept = [
            {"cell_type": "code", "id": f"c{i}", "source": [t], "metadata": {}, "outputs": []}
            | {"execution_count": None}
            for i, t in enumerate(cells)
        ]
        document = {"cells": kept, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (repository / "n.ipynb").write_text(json.dumps(document, indent=1))

    write("DataLoader(ds)")
    _commit()
    write("1", "DataLoader(ds)", "DataLoader(more)")
    assert _lines(run, "HEAD") == ["n.ipynb:cell"]
    assert "n.ipynb:cell 3:1:1" in run("check", "--diff-base", "HEAD").out


def test_line_ends_are_no_change(run: Any, repository: Path) -> None:
    text = (repository / "c.py").read_text()
    (repository / "c.py").write_bytes(text.replace("\n", "\r\n").encode())
    assert _lines(run, "HEAD") == []


def test_a_broken_file_is_told_where_it_changed(run: Any, repository: Path) -> None:
    (repository / "a.py").write_text("x = 1\n\n\nSyntaxError!\n")
    assert _lines(run, "HEAD") == ["a.py:4:1:"]
    _commit()
    assert _lines(run, "HEAD") == []


def test_fixes_keep_to_changed_lines(run: Any, repository: Path) -> None:
    (repository / "a.py").write_text("new = DataLoader(one)\nx = DataLoader(ds)\n")
    run("check", "--fix", "--diff-base", "HEAD")
    assert (repository / "a.py").read_text() == (
        "new = DataLoader(one, pin_memory=True)\nx = DataLoader(ds)\n"
    )


def test_another_repository_inside(run: Any, repository: Path) -> None:
    inner = repository / "sub"
    inner.mkdir()
    (inner / "s.py").write_text("DataLoader(ds)\n")
    _git("init", "-q", "sub")
    result = run("check", "--output-format", "concise", "--diff-base", "HEAD")
    assert result.out.startswith("sub/s.py:1:1:")
    assert f"no commit `HEAD` in {inner}" in result.err
    assert "its findings are all shown" in result.err


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("no-such", "there is no commit `no-such`"),
        ("--help", "there is no commit `--help`"),
        ("", "there is no commit ``"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_revision_that_is_none(run: Any, revision: str, said: str) -> None:
    result = run("check", f"--diff-base={revision}")
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_outside_a_repository(run: Any, project: Path) -> None:
    result = run("check", "--diff-base", "HEAD")
    assert result.code == 2
    assert f"`--diff-base`: {project} is in no git repository" in result.err


def test_without_git(run: Any, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    assert "git cannot be run" in run("check", "--diff-base", "HEAD").err


def test_nothing_that_the_repository_names_is_run(run: Any, repository: Path) -> None:
    trap = repository / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {repository}/sprung\ncat\n")
    trap.chmod(0o755)
    (repository / ".gitattributes").write_text("*.py filter=trap diff=trap\n")
    _commit()
    for key in ("filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv", "diff.external"):
        _git("config", key, str(trap))
    _git("config", "core.fsmonitor", str(trap))
    _git("config", "core.hooksPath", str(repository))
    (repository / "a.py").write_text("new = DataLoader(one)\n")
    assert _lines(run, "HEAD") == ["a.py:1:7:"]
    assert not (repository / "sprung").exists()


def test_objects_that_are_not_there_are_not_fetched(run: Any, repository: Path) -> None:
    named = subprocess.check_output(["git", "rev-parse", "HEAD:a.py"], text=True).strip()
    (repository / ".git/objects" / named[:2] / named[2:]).unlink()
    _git("config", "remote.origin.url", f"ext::sh -c touch% {repository}/sprung")
    _git("config", "remote.origin.promisor", "true")
    _git("config", "extensions.partialClone", "origin")
    _git("config", "core.repositoryFormatVersion", "1")
    _git("config", "protocol.ext.allow", "always")
    (repository / "a.py").write_text("new = DataLoader(one)\n")
    run("check", "--diff-base", "HEAD")
    assert not (repository / "sprung").exists()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a b c", "a b c", Changes((), ())),
        ("a b c", "a x c", Changes((range(2, 3),), ())),
        ("a b c", "a c", Changes((), (1,))),
        ("a", "a b c", Changes((range(2, 4),), ())),
        ("a b", "x a b y", Changes((range(1, 2), range(4, 5)), ())),
        ("", "\0 @@", Changes((range(1, 3),), ())),
    ],
)
def test_rows_that_changed(before: str, after: str, expected: Changes) -> None:
    assert changes(before.split(), after.split()) == expected
