from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.object_state.state import ObjectState
from dlint.library_facts.records import Records

Make = Callable[..., ObjectState]

READING = """
import json
def records(path):
    with open(path) as file:
        for line in file:
            yield json.loads(line)
def passed(path):
    yield from records(path)
def looped(path):
    return looped(path)
def rows_of(file):
    return [json.loads(line) for line in file]
def handed(file):
    yield from file
def nothing(path):
    yield
def fill(file, kept):
    for line in file:
        kept.append(json.loads(line))
def fill_by(file, kept):
    fill(file, kept)
def numbers(path):
    for record in records(path):
        yield int(record["n"])
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.x = json.load(open(path))", Records.JSON),
        ("self.x = open(path).readlines()", Records.LINES),
        ("self.x = open(path)", None),
        ("self.x = list(open(path))", Records.LINES),
        ("self.x = list(open(path, 'rb'))", None),
        ("self.x = [r for r in csv.reader(open(path))]", Records.ROWS),
        ("self.x = {r['id']: r for r in csv.DictReader(open(path))}", Records.ROWS),
        ("self.x = [json.loads(l) for l in open(path)]", Records.JSON),
        ("self.x = [int(l) for l in open(path)]", None),
        ("self.x = [np.array(l) for l in open(path)]", None),
        ("self.x = [row.numpy() for row in open(path)]", None),
        ("self.x = np.array(rows, dtype=object)", Records.ARRAY),
        ("self.x = np.array(rows, dtype='O')", Records.ARRAY),
        ("self.x = np.array(rows)", None),
        ("self.x = rows.to_dict('records')", Records.ROWS),
        ("self.x = rows.to_dict()", None),
        ("self.x = []\nfor l in open(path):\n    self.x.append(json.loads(l))", Records.JSON),
        ("x = []\nfor l in open(path):\n    x.append(l)\nself.x = x", Records.LINES),
        ("with open(path) as f:\n    self.x = [l for l in f]", Records.LINES),
        ("self.x = json.load(open(path))['rows']", Records.JSON),
        ("self.x = list(json.load(open(path)).items())", Records.JSON),
        ("self.x = list(enumerate(open(path)))", Records.LINES),
        ("self.x = list(tqdm(open(path)))", Records.LINES),
        ("self.y = json.load(open(path))\nself.x = self.y", Records.JSON),
        ("self.x = list(records(path))", Records.JSON),
        ("self.x = sorted(passed(path))", Records.JSON),
        ("self.x = list(numbers(path))", None),
        ("self.x = list(nothing(path))", None),
        ("self.x = looped(path)", None),
        ("self.x = list(looped(path))", None),
        ("self.x = rows_of(open(path))", Records.JSON),
        ("self.x = list(handed(open(path)))", Records.LINES),
        ("self.x = []\nself.x.extend(records(path))", Records.JSON),
        ("self.x = []\nself.x += [1]", None),
        ("self.x = []\nself.x.append(path)", None),
        ("self.x = list(r for r in records(path))", Records.JSON),
        ("self.x = json.load(open(path))\nself.x = np.array([r['n'] for r in self.x])", None),
        ("self.x = self.read(path)", Records.JSON),
        ("x = []\nfill_by(open(path), x)\nself.x = x", Records.JSON),
        ("self.x = []\nfill(open(path), self.x)", Records.JSON),
        ("x = []\nfill(open(path), x[0])\nself.x = x", None),
        ("self.x = path", None),
    ],
)
def test_records_that_an_attribute_holds(made: Make, body: str, expected: Records | None) -> None:
    state = made(
        body,
        """
    def read(self, path):
        return list(records(path))
from reading import *
""",
        reading=READING,
    )
    assert state.records(state.written_to("x")[0]) is expected
