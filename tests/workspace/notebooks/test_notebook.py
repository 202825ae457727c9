"""A notebook as one module."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from dlint.findings.edits import Edit, apply_edits
from dlint.workspace import reading as reading_module
from dlint.workspace.notebooks.notebook import MARK
from dlint.workspace.reading import decode, read
from dlint.workspace.source import Source, UnreadableError

from .conftest import Write, cell, notebook

LOADER = "loader = DataLoader(data)"
PATH = "/x/a.ipynb"


def _decoded(text: str) -> Source:
    return decode(PATH, text.encode())


def test_cells_are_joined(written: Write) -> None:
    source = _decoded(written("import a\n", "%matplotlib inline\nx = 1", "%%bash\nls", LOADER))
    *_, last = source.text.split(MARK)
    assert (source.text.count(MARK), last) == (3, f"{LOADER}\n")
    assert "matplotlib" not in source.text
    part = source.part(source.text.index("x = 1"))
    assert (part.source.text, part.cell) == ("%matplotlib inline\nx = 1", 2)
    assert source.part(source.text.index("loader")).cell == 4


def test_places_in_the_file(written: Write) -> None:
    text = written("import a", 'print("é")\n' + LOADER)
    source = _decoded(text)
    row, column = source.physical(source.text.index(LOADER))
    assert text.split("\n")[row - 1][column - 1 :].startswith(LOADER)


@pytest.mark.parametrize("split", [True, False])
def test_an_unchanged_text_is_the_file(written: Write, split: bool) -> None:
    raw = b"\xef\xbb\xbf" + written("!ls", "broken(", LOADER, split=split).encode()
    source = decode(PATH, raw)
    assert source.encode(source.text) == raw
    assert source.with_text(source.text).encode(source.text) == raw


def test_edits_at_the_end_of_a_cell_stay_in_it(written: Write) -> None:
    text = written("import a", "%%time\n" + LOADER + "\n!ls")
    source = _decoded(text)
    end = source.text.index("import a") + len("import a")
    settled = source.settled([Edit(PATH, end + 1, end + 1, "import torch\n")])
    assert settled == [Edit(PATH, end, end, "\nimport torch")]
    changed = source.encode(apply_edits(source.text, settled)).decode()
    assert changed == text.replace('"import a"', '"import a\\n",\n    "import torch"')
    (removed,) = source.settled([Edit(PATH, end - 8, end + 1, "")]) or []
    changed = source.encode(apply_edits(source.text, [removed])).decode()
    assert json.loads(changed)["cells"][0]["source"] == []
    assert source.settled([Edit(PATH, end - 2, end + 4, "")]) is None


def test_a_text_must_hold_every_cell_and_magic(written: Write) -> None:
    source = _decoded(written("!ls\nx = 1", LOADER))
    assert source.holds(source.text.replace("x = 1", "x = 2"))
    assert not source.holds(source.text.replace(MARK, ""))
    assert not source.holds(source.text.replace("\ua015\ua015\ua015", ""))


def test_places_after_a_change(written: Write) -> None:
    source = _decoded(written("import a", LOADER))
    source = source.with_text(source.text.replace("import a", "import a\nimport b\nimport c"))
    offset = source.text.index(LOADER)
    row, _ = source.physical(offset)
    document = source.encode(source.text).decode().split("\n")
    assert LOADER in document[row - 1]
    assert source.part(offset).cell == 2


@pytest.mark.parametrize("seed", range(100))
def test_any_edit_of_the_module_changes_only_its_cell(seed: int) -> None:
    """Edits made by offset come out at the same characters of the same cells."""
    random_ = random.Random(seed)
    lines = ["x = 1", "!ls -l", "%time y = f(x)", 's = "é\\n"', "", "# note", LOADER, "z = !pwd"]
    sources = ["\n".join(random_.choices(lines, k=random_.randrange(1, 6))) for _ in range(4)]
    sources[2] = LOADER
    cells = [cell(one, split=random_.random() < 0.5) for one in sources]
    ascii_, indent = random_.random() < 0.5, random_.choice([None, 1, 2])
    text = json.dumps(notebook(cells), ensure_ascii=ascii_, indent=indent) + "\n"
    source = _decoded(text)
    number = random_.randrange(4)
    found = [o for o in range(len(source.text)) if source.part(o).cell == number + 1]
    offset = random_.choice(found)
    at = offset - source.part(offset).start
    edits = source.settled([Edit(PATH, offset, offset, "abc")]) or []
    changed = json.loads(source.encode(apply_edits(source.text, edits)))
    if 0 <= at <= len(sources[number]) and not _is_hidden(source, offset):
        new = sources[number][:at] + "abc" + sources[number][at:]
        assert "".join(changed["cells"][number]["source"]) == new
    changed["cells"][number]["source"] = cells[number]["source"]
    assert changed == json.loads(text)


def _is_hidden(source: Source, offset: int) -> bool:
    return "\ua015" in source.text[max(offset - 1, 0) : offset + 1]


@pytest.mark.parametrize(
    ("text", "notices"),
    [
        (json.dumps({"worksheets": [{"x": "DataLoader"}], "nbformat": 3}), ("format 3",)),
        (json.dumps({"cells": [cell("DataLoader(")], "nbformat": 4}), ("left out cell 1 (line 1",)),
        (
            json.dumps({"cells": [cell("DataLoader(")] * 5, "nbformat": 4}),
            ("left out cells 1 (line 1: '(' was never closed), 2",),
        ),
        (json.dumps({"cells": [cell("x <- (")], "metadata": {"language_info": {"name": "R"}}}), ()),
        ("not a notebook", ()),
        ("", ()),
    ],
)
def test_what_is_left_out_is_told(text: str, notices: tuple[str, ...]) -> None:
    source = _decoded(text)
    assert len(source.notices) == len(notices)
    assert all(start in notice for start, notice in zip(notices, source.notices, strict=True))
    assert source.text == ""
    assert source.encode("") == text.encode()


def test_what_cannot_be_read() -> None:
    with pytest.raises(UnreadableError, match=r"cannot read /x/a\.ipynb: not a Jupyter notebook"):
        _decoded("<<<<<<< DataLoader")
    with pytest.raises(UnreadableError, match="utf-8"):
        decode(PATH, b'{"x": "\xff DataLoader"}')


def test_a_large_notebook_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook([cell(LOADER)])))
    assert read(str(path)).text
    monkeypatch.setattr(reading_module, "MOST_BYTES", 100)
    assert (read(str(path)).text, read(str(path)).notices) == ("", ("larger than 20 MB: not read",))
