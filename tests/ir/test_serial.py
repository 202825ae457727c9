"""An index written as JSON and read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dlint
from dlint.ir import expressions as ir
from dlint.ir import walk
from dlint.ir.lower import lower
from dlint.ir.serial import SCHEMA, from_json, moved, packed, to_json, unpacked
from dlint.workspace.reading import read
from dlint.workspace.source import Source

TRAIN = """
import torch
from torch.utils.data import *
from . import datasets as data

class Set(data.Base):
    root: str = "r\\u00e9\\ud800"

    def __getitem__(self, index):
        return self.items[index, 1:2] ** float("inf") + 1e999

def main(workers=4, *args, flag: bool = False, **kwargs):
    global LOADER
    options = {"pin_memory": flag, **kwargs}
    loader = DataLoader(Set(), num_workers=workers, **options)
    for epoch in range(10):
        try:
            for i, (x, *rest) in enumerate(loader):
                x = x.cuda(non_blocking=True) if flag else x
                options["seen"] = [f"{y}{y!r}" for y in rest if (n := y) is not None]
                yield x, lambda z: not z
        except (ValueError, OSError) as error:
            break
        with torch.no_grad() as LOADER:
            workers += 1
    match workers:
        case {"k": value, **rest} if value: return value
    return -workers
"""

PACKAGE = sorted((Path(dlint.__file__).parent / "ir").glob("*.py"))


def _sources() -> list[Source]:
    return [Source("train.py", TRAIN), Source("empty.py", ""), *(read(str(p)) for p in PACKAGE)]


@pytest.mark.parametrize("source", _sources(), ids=lambda source: Path(source.path).name)
def test_round_trip(source: Source) -> None:
    text = to_json(lower(source))
    index = from_json(text, "/elsewhere/m.py")
    assert index.path == "/elsewhere/m.py"
    assert to_json(index) == text


def test_what_is_one_object_stays_one() -> None:
    index = from_json(to_json(lower(Source("train.py", TRAIN))), "train.py")
    function = next(scope for scope in index.scopes if scope.name == "main")
    loader = next(call for call in function.calls if call.name == "DataLoader")
    (definition,) = function.bindings("loader")
    assert definition.value is loader
    assert loader.scope is function
    assert loader.statement.block is function.body
    assert loader.statement in [*walk.statements(function.body)]
    assert index.scopes[0] is index.body
    assert isinstance(function.final["epoch"], ir.Reference)


def test_values_keep_their_types(show) -> None:
    index = from_json(to_json(lower(Source("train.py", TRAIN))), "train.py")
    cls = index.classes[0]
    assert show(cls.fields[0].default) == repr("ré\ud800")
    assert index.body.globals == frozenset()
    assert isinstance(cls.bases, tuple)
    assert isinstance(cls.span, tuple)
    power = next(s for s in index.scopes if s.name == "__getitem__").returns[0]
    assert isinstance(power, ir.Binary)
    assert show(power.right) == "inf"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        f"[{SCHEMA + 1}, {{}}]",
        f"[{SCHEMA}, {{}}]",
        f"[{SCHEMA}, 1]",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_json(text, "m.py")


def test_spoilt_numbers_are_refused() -> None:
    schema, tables = json.loads(to_json(lower(Source("m.py", "f(x)"))))
    tables["Call"][1]["function"][0] = 99_999
    with pytest.raises(ValueError, match="no module index"):
        from_json(json.dumps([schema, tables]), "m.py")
    del tables["Call"][1]["function"]
    with pytest.raises(ValueError, match="other fields of Call"):
        from_json(json.dumps([schema, tables]), "m.py")


def test_a_span_without_an_end_is_refused() -> None:
    schema, tables = json.loads(to_json(lower(Source("m.py", "f(x)"))))
    tables["spans"].pop()
    with pytest.raises(ValueError, match=r".+"):
        from_json(json.dumps([schema, tables]), "m.py")


def test_equal_places_are_written_once() -> None:
    _, tables = json.loads(to_json(lower(Source("m.py", "x = 1\nx\n"))))
    places = list(zip(tables["spans"][::2], tables["spans"][1::2], strict=True))
    assert len(places) == len({*places})


def _moved(before: str, after: str) -> dict[int, int] | None:
    texts = (to_json(lower(Source("/a.py", text))) for text in (before, after))
    return moved(*texts)


def test_places_move_with_comments_and_blanks() -> None:
    places = _moved("x = f(1)\ny = x\n", "# why\nx = f( 1)\n\ny = x\n")
    assert places is not None
    assert [places[offset] for offset in (4, 6, 9, 13)] == [10, 13, 17, 21]
    assert 0 not in places  # the module begins there, which still begins at 0


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        ("# a\nx = 1\n", "# ab\nx = 1\n\n", {0: 0, 4: 5, 5: 6, 8: 9, 9: 10, 10: 12}),
        ("x = 1", "x = 1\n", {0: 0, 1: 1, 4: 4}),
        ("x = 1\n", "\nx = 1\n", {1: 2, 4: 5, 5: 6, 6: 7}),
    ],
)
def test_where_the_module_and_others_begin_or_end_is_known_if_it_is_one_place(
    before: str, after: str, known: dict[int, int]
) -> None:
    assert _moved(before, after) == known


@pytest.mark.parametrize(
    "after",
    [
        "x = f(2)\n",
        "x = f(True)\n",
        "x = f(1.0)\n",
        "x = g(1)\n",
        "x = f(1)\ny = x\n",
        "x = f(1,)()\n",
        "x = f(a=1)\n",
        "",
    ],
)
def test_what_is_written_otherwise_has_not_only_moved(after: str) -> None:
    assert _moved("x = f(1)\n", after) is None


def test_places_that_would_change_their_order_are_none() -> None:
    index = to_json(lower(Source("/a.py", "x = 1\ny = 2\n")))
    turned = index.replace(",4,5,", ",14,15,")
    assert turned != index
    assert moved(index, turned) is None
    assert moved(turned, turned) is not None


def test_of_another_schema_nothing_is_told() -> None:
    index = to_json(lower(Source("/a.py", "x = 1\n")))
    other = json.dumps([SCHEMA + 1, json.loads(index)[1]])
    assert moved(index, other) is None


def test_what_is_packed_is_the_same_index() -> None:
    source = Source("a.py", TRAIN)
    index = lower(source)
    again = unpacked(packed(index), "a.py")
    assert to_json(again) == to_json(index)
    assert again.path == "a.py"
