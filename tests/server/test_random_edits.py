"""However a text came to be, what is found in it is what a fresh check finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from lsprotocol import types

import dlint
from tests.server.editor import Editor, editing, run

EDITS, LOOKS = 300, 12
UTF32 = types.PositionEncodingKind.Utf32
HELPER = "WORKERS = 0\n\n\ndef shuffled():\n    return True\n"
LINES = (
    "from torch.utils.data import DataLoader, RandomSampler\n",
    "from helper import WORKERS, shuffled\n",
    "data = [1, 2, 3]\n",
    "one = DataLoader(data, shuffle=True, sampler=RandomSampler(data))\n",
    "two = DataLoader(data, shuffle=shuffled(), sampler=RandomSampler(data))\n",
    "three = DataLoader(data, num_workers=WORKERS, prefetch_factor=2)\n",
    "'\U0001f600'; four = DataLoader(data, batch_size=2, batch_sampler=[[0]])\n",
    "for batch in one: print(batch)\n",
    "# \U0001f600 dlint: ignore[shuffle-with-sampler]\n",
    "# dlint: file-ignore[no-such-rule]\n",
    "five = '\x0c'; six = DataLoader(data, num_workers=0, persistent_workers=True)\n",
    "\r\n",
    "\x0c\n",
)
"""Statements that stand anywhere, so that most texts are Python."""
BROKEN = "text = (\n"
START = "".join([*LINES, *LINES[3:8]])


class Edit(NamedTuple):
    """Characters that take the place of others."""

    start: int
    end: int
    new: str


class Typist:
    """Inserts, removes, moves and doubles lines, and takes back what was done."""

    def __init__(self, text: str, seed: int) -> None:
        self.text = text
        self._random = random.Random(seed)
        self._undo: list[Edit] = []

    def steps(self) -> Iterator[Edit]:
        """Edits without end, each of the text as the last one left it."""
        while True:
            for edit in self._some():
                self._apply(edit)
                yield edit

    def _some(self) -> list[Edit]:
        if BROKEN in self.text and self._random.random() < 0.3:
            start = self.text.index(BROKEN)
            return [Edit(start, start + len(BROKEN), "")]
        starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        row = self._random.randrange(len(starts) - 1) if len(starts) > 1 else 0
        start, end = starts[row], starts[row + 1] if row + 1 < len(starts) else len(self.text)
        line, other = self.text[start:end], self._random.choice(starts)
        match self._random.randrange(6):
            case 0 | 1:
                is_broken = self._random.random() < 0.05
                return [Edit(other, other, BROKEN if is_broken else self._random.choice(LINES))]
            case 2:
                return [Edit(start, end, "")]
            case 3:
                later = max(other, end)
                return [Edit(later, later, line), Edit(start, end, "")]
            case 4:
                middle = self._random.randint(start, end)
                return [Edit(middle, end, ""), Edit(middle, middle, self.text[middle:end])]
            case _:
                return [self._undo.pop()] if self._undo else []

    def _apply(self, edit: Edit) -> None:
        old = self.text[edit.start : edit.end]
        self.text = self.text[: edit.start] + edit.new + self.text[edit.end :]
        self._undo.append(Edit(edit.start, edit.start + len(edit.new), old))
        del self._undo[:-20]


def position(text: str, offset: int) -> types.Position:
    """Where an offset stands: lines end as the protocol says, and nowhere else."""
    rows = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return types.Position(len(rows) - 1, len(rows[-1]))


def _send(editor: Editor, uri: str, before: str, edit: Edit, after: str) -> None:
    if any(before[max(at - 1, 0) : at + 1] == "\r\n" for at in edit[:2]):
        editor.change(uri, after)  # between the two there is no position
        return
    span = types.Range(position(before, edit.start), position(before, edit.end))
    editor.edit(uri, span, edit.new, after)


def _told(found: list[types.Diagnostic]) -> list[tuple[object, int, str]]:
    return sorted((d.code, d.range.start.line + 1, d.message) for d in found)


def _fresh(path: Path) -> list[tuple[object, int, str]]:
    found = dlint.check(path, dlint.Settings(no_cache=True)).findings
    return sorted((f.code, f.location.line, f.message) for f in found)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_edits_end_in_what_a_fresh_check_finds(tmp_path: Path, seed: int) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "helper.py").write_text(HELPER)
    path = tmp_path / "train.py"
    path.write_text(START, "utf-8", newline="")
    typist = Typist(START, seed)
    seen: set[int] = set()

    async def steps() -> None:
        async with editing(tmp_path, encodings=[UTF32]) as editor:
            uri, before = editor.open(path, START), START
            for number, edit in enumerate(typist.steps()):
                _send(editor, uri, before, edit, typist.text)
                before = typist.text
                if number % (EDITS // LOOKS) == 0:
                    path.write_text(typist.text, "utf-8", newline="")
                    found = _told(await editor.found(uri))
                    assert found == _fresh(path)
                    seen.add(len(found))
                if number >= EDITS:
                    break

    run(steps)
    assert len(seen) > 3
