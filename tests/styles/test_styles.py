"""Programs as newcomers write them, in twelve styles: mistakes are found, right twins are silent.

A line that holds a mistake ends in `# want: RULE`; `RULE|OTHER` where either says it. What is said
within three lines of it counts, as a person would find it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from dlint.cli.main import main

_STYLES = Path(__file__).parent
_NAMES = sorted(path.name for path in _STYLES.iterdir() if (path / "mistakes").is_dir())
_WANT = re.compile(r"# want: (.+)$")
_NEAR = 3
"""Lines between a mark and the finding that answers it, at most."""
_LEAST = 0.9
"""Share of all mistakes that must be found."""


class _Place(NamedTuple):
    file: str
    cell: int
    row: int

    def is_near(self, other: _Place) -> bool:
        return self[:2] == other[:2] and abs(self.row - other.row) <= _NEAR


def _cells(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a file, each with the number of its cell; 0 where there are no cells."""
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        yield 0, text
        return
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        yield number, "".join(cell["source"])


def _wanted(folder: Path) -> Iterator[tuple[_Place, frozenset[str]]]:
    for path in sorted(folder.rglob("*.*")):
        for cell, text in _cells(path):
            for row, line in enumerate(text.splitlines(), 1):
                for rules in (_WANT.search(line) or ["", ""])[1].split(", "):
                    if rules:
                        place = _Place(str(path.relative_to(folder)), cell, row)
                        yield place, frozenset(rules.split("|"))


def _said(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> list[tuple[_Place, str]]:
    """Place and rule of every finding, rules in preview included."""
    main(["check", str(folder), "--output-format", "json", "--no-cache", "--preview", *options])
    found = []
    for finding in json.loads(capsys.readouterr().out):
        file = str(Path(finding["filename"]).relative_to(folder))
        places = [finding["location"], *(r["location"] for r in finding["related"])]
        cells = [finding.get("cell"), *(r.get("cell") for r in finding["related"])]
        files = [file] + [str(Path(r["filename"]).relative_to(folder)) for r in finding["related"]]
        for name, cell, place in zip(files, cells, places, strict=True):
            found.append((_Place(name, cell or 0, place["row"]), finding["name"]))
    return found


def _project(style: str, part: str, folder: Path) -> Path:
    project = shutil.copytree(_STYLES / style / part, folder / f"a_{style}_project")
    (project / "pyproject.toml").write_text('[project]\nname = "newcomer"\n', "utf-8")
    return project


def _unanswered(
    style: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[str]]:
    """How many mistakes a style holds, and those that nothing is said of."""
    project = _project(style, "mistakes", folder)
    said = _said(project, capsys, "--select", "ALL")
    wanted = list(_wanted(project))
    missed = [
        f"{style}/{place.file}:{place.cell}:{place.row}: {'|'.join(sorted(rules))}"
        for place, rules in wanted
        if not any(rule in rules and place.is_near(at) for at, rule in said)
    ]
    return len(wanted), missed


def test_mistakes_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts, missed = zip(*(_unanswered(s, tmp_path, capsys) for s in _NAMES), strict=True)
    assert len(_NAMES) == 12
    assert sum(counts) >= 60
    unanswered = [text for style in missed for text in style]
    assert len(unanswered) <= (1 - _LEAST) * sum(counts), "\n".join(unanswered)


@pytest.mark.parametrize("style", _NAMES)
def test_the_right_twin_is_silent(
    style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _said(_project(style, "right", tmp_path), capsys) == []
