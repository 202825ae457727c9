"""Offsets and names that many nodes hold, each kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dlint.ir import serial, shared
from dlint.ir.expressions import Argument, Attribute, Call, Reference
from dlint.ir.lower import lower
from dlint.ir.module import Evaluate, ModuleIndex
from dlint.ir.remembering import forget
from dlint.workspace.source import Source

NAMED = (Reference, Attribute)
FAR = "# blank\n" * 200
TEXT = f"{FAR}value = batch.pinned(device=value)\nfor batch in value: value\n"


@pytest.fixture(autouse=True)
def _nothing_shared() -> Iterator[None]:
    forget()
    yield
    forget()


def _lowered() -> list[ModuleIndex]:
    return [lower(Source(path, TEXT)) for path in ("a.py", "b.py")]


def _loaded() -> list[ModuleIndex]:
    texts = [serial.to_json(index) for index in _lowered()]
    forget()
    return [serial.from_json(text, "a.py") for text in texts]


@pytest.mark.parametrize("made", [_lowered, _loaded])
def test_equal_offsets_and_names_are_one(made: Callable[[], list[ModuleIndex]]) -> None:
    groups = [serial._reachable(index) for index in made()]
    nodes: list[Any] = [one for group in groups for kind in NAMED for one in group[kind]]
    offsets = [offset for one in nodes if one.span[0] for offset in one.span]
    assert min(offsets) > 256  # smaller ones are one for Python
    assert len({id(offset) for offset in offsets}) == len(set(offsets)) > 9
    names = [one.name for one in nodes]
    names += [one.keyword for group in groups for one in group[Argument]]  # type: ignore[attr-defined]
    assert len({id(name) for name in names}) == len(set(names)) == 4


def test_nothing_is_shared_once_it_is_forgotten() -> None:
    _lowered()
    assert shared._offsets
    forget()
    assert not shared._offsets


def test_a_loaded_span_is_one_for_all_of_a_module_that_have_it() -> None:
    nodes: list[Any] = [
        one
        for kind, group in serial._reachable(_loaded()[0]).items()
        if kind in {Reference, Argument, Call, Evaluate}
        for one in group
    ]
    spans = [one.span for one in nodes]
    assert len({id(span) for span in spans}) == len(set(spans)) < len(spans)
