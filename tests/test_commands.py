"""Every command that the README and the documents show is run, or it is said what runs it.

`dlint` commands run in this process, in a small project that has what they name; those of a
document run one after the other, as a reader would. What is put in place of what it says:

- `dlint verify` and `dlint doctor` get `--dry-run`: what they would do is worked out, and
  nothing is measured
- what a shell would write to a file (`> FILE`) is thrown away
- `$GITHUB_BASE_REF` is `main`
- commands of other programs are those of `ELSEWHERE`, each with the test that runs it
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dlint.cli import completion, main

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^(`{3,})(?P<language>\w*)(?P<title> [^\n]*)?\n(?P<text>.*?)^\1$", re.M | re.S)
_OF_A_PIPELINE = re.compile(r"^\s*-(?: run:)? (?=(?:dlint|pip) )", re.M)

ELSEWHERE = {
    r'pip install "(?:git\+https://example.com/dlint|\$DLINT)"': "tests/test_install.py",
    r'pip install "dataloader-lint\[server\] @ git.*"': "tests/test_install.py",
    r'pip install -e "\.\[(?:dev|docs)\]"': ".ci/run",
    r"python -m pytest .*": ".ci/run",
    r"(?:docker|reviewdog) .*": "tests/test_ci_recipes.py",
    r"mkdocs build .*": "tests/test_site.py",
}
"""Commands of other programs, and what runs them."""

BY_A_TEST_OF_THEIR_OWN = {"docs/own-rules.md": "tests/own_rules/test_installed.py"}
"""Documents all of whose commands another test runs, which names them."""

TRAIN = """\
import argparse

from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    loader = DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset))
    for epoch in range(parser.parse_args().epochs):
        for batch in loader:
            print(batch)
"""
PATCH = """\
--- train.py
+++ train.py
@@ -9,1 +9,1 @@
-    loader = DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset))
+    loader = DataLoader(dataset, sampler=RandomSampler(dataset))
"""


class Document(NamedTuple):
    """A document that shows commands."""

    name: str
    commands: list[str]


def _documents() -> Iterator[Document]:
    for path in DOCUMENTS:
        blocks = _BLOCK.finditer(path.read_text("utf-8"))
        shown = [b for b in blocks if not b["title"]]  # a title makes it an example of a file
        commands = [c for b in shown for c in _commands(b["language"], b["text"])]
        if commands:
            yield Document(path.relative_to(ROOT).as_posix(), commands)


def _commands(language: str, text: str) -> Iterator[str]:
    lines = text.replace("\\\n", " ").splitlines()
    if language in ("sh", "bash"):
        yield from (line for line in lines if line.strip() and not line.startswith("#"))
    elif language in ("yaml", "yml"):
        yield from (_OF_A_PIPELINE.sub("", line) for line in lines if _OF_A_PIPELINE.match(line))
    else:
        yield from (line.removeprefix("$ ") for line in lines if line.startswith("$ "))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with what the documents' commands name."""
    for name in ("train.py", "data.py", "src/data.py", "package/train.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TRAIN, "utf-8")
    (tmp_path / "package/__init__.py").touch()
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci/dlint.toml").touch()
    (tmp_path / "idea.patch").write_text(PATCH, "utf-8")
    (tmp_path / "train.ipynb").write_text('{"cells": [], "nbformat": 4, "metadata": {}}', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    return tmp_path


@pytest.mark.parametrize("document", list(_documents()), ids=lambda document: document.name)
def test_commands_run_as_they_are_printed(
    document: Document, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if test := BY_A_TEST_OF_THEIR_OWN.get(document.name):
        assert document.name in (ROOT / test).read_text("utf-8")
        return
    if any("docs/examples" in command for command in document.commands):
        shutil.copytree(ROOT / "docs/examples", project / "docs/examples")
    if any("origin/" in command for command in document.commands):
        _commit(project)
    for command in document.commands:
        for part in command.partition(" #")[0].split("&&"):
            _run(part.strip())
            assert "Traceback" not in capsys.readouterr().err


def _run(command: str) -> None:
    words = shlex.split(command.replace("$GITHUB_BASE_REF", "main"), comments=True)
    if words[0] != "dlint":
        ran = [runs for pattern, runs in ELSEWHERE.items() if re.fullmatch(pattern, command)]
        assert ran, f"`{command}`: no test runs it, or ELSEWHERE does not say which"
        assert all((ROOT / test).is_file() for test in ran)
        return
    words = words[1 : words.index(">")] if ">" in words else words[1:]
    if words[0] in {"doctor", "verify"}:
        words.insert(1, "--dry-run")
    assert main.main(words) in (0, 1), command


def _commit(project: Path) -> None:
    """What is there becomes `origin/main`."""
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
    commit = [*identity, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "all"]
    origin = ["update-ref", "refs/remotes/origin/main", "HEAD"]
    for arguments in (["init", "-q"], ["add", "."], commit, origin):
        subprocess.run(["git", *arguments], cwd=project, check=True)


_INLINE = re.compile(r"(?<!`)`dlint (?P<words>[^`]+)`(?!`)")
WRONG_ON_PURPOSE = {"verify train.py --epochs 3"}
"""Commands that are shown for what is said to them."""
_PAGES = [*DOCUMENTS, *sorted((ROOT / "rules").glob("*.md"))]


def test_commands_in_sentences_name_what_there_is() -> None:
    parser = completion.whole_parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found = 0
    for path in _PAGES:
        for inline in _INLINE.finditer(path.read_text("utf-8")):
            name, *words = shlex.split(inline["words"].partition(" -- ")[0])
            if not name.startswith("-") and inline["words"] not in WRONG_ON_PURPOSE:
                known = commands.choices[name]._option_string_actions
                flags = {
                    word.partition("=")[0] for word in words if word.startswith("-") and word != "-"
                }
                assert flags <= known.keys(), f"{path.name}: {inline[0]}"
            found += 1
    assert found > 20
