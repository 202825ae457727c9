"""A notebook's JSON: what is named changes, everything else stays to the byte."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from dlint.workspace.notebooks.document import Document, NotANotebookError

from .conftest import cell, notebook

CHARACTERS = ["a", "(", '"', "\\", "/", "é", "\n", "\n", "\t", "\u2028", "\U0001f600", "%", "\x7f"]


def _text(random_: random.Random, most: int) -> str:
    return "".join(random_.choice(CHARACTERS) for _ in range(random_.randrange(most)))


def _split(random_: random.Random, source: str) -> Any:
    """A source as one text, as lines, or cut anywhere."""
    form = random_.randrange(4)
    if form == 0:
        return source
    if form == 1:
        return source.splitlines(keepends=True)
    cuts = sorted(random_.randrange(len(source) + 1) for _ in range(form - 1))
    return [source[i:j] for i, j in zip([0, *cuts], [*cuts, len(source)], strict=True)]


def _written(random_: random.Random, content: object) -> str:
    text = json.dumps(
        content,
        indent=random_.choice([None, 0, 1, 2, "\t"]),
        ensure_ascii=random_.random() < 0.5,
        sort_keys=random_.random() < 0.5,
    )
    if random_.random() < 0.3:
        text = text.replace("/", "\\/").replace('"a', '"\\u0061')
    if random_.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return text + random_.choice(["", "\n", "\n\n"])


def _notebook(random_: random.Random) -> str:
    cells = []
    for _ in range(random_.randrange(1, 6)):
        made = cell("", random_.choice(["code", "code", "markdown", "raw"]))
        made["source"] = _split(random_, _text(random_, 40))
        items = list(made.items())
        random_.shuffle(items)
        cells.append(dict(items))
    return _written(random_, notebook(cells))


def _changed(random_: random.Random, source: str) -> str:
    for _ in range(random_.randrange(1, 3)):
        start = random_.randrange(len(source) + 1)
        end = min(len(source), start + random_.randrange(6))
        source = source[:start] + _text(random_, 8) + source[end:]
    return source


def _sources(text: str) -> dict[int, str]:
    cells = json.loads(text)["cells"]
    return {
        number: "".join(one["source"])
        for number, one in enumerate(cells, 1)
        if one["cell_type"] == "code"
    }


@pytest.mark.parametrize("seed", range(400))
def test_any_edit_changes_the_named_sources_alone(seed: int) -> None:
    random_ = random.Random(seed)
    text = _notebook(random_)
    document = Document(text)
    before = {one.number: one.source for one in document.code_cells}
    assert before == _sources(text)
    named = {n: _changed(random_, s) for n, s in before.items() if random_.random() < 0.7}
    changed = document.with_sources(named)
    assert _sources(changed) == before | named

    old, new = json.loads(text), json.loads(changed)
    for number, (one, other) in enumerate(zip(old["cells"], new["cells"], strict=True), 1):
        if number in named:
            assert isinstance(other["source"], type(one["source"]))
            other["source"] = one["source"]
    assert old == new
    after = Document(changed)
    position = other_position = 0
    for one, other in zip(document.code_cells, after.code_cells, strict=True):
        between = text[position : one.span[0]]
        assert between == changed[other_position : other.span[0]]
        if named.get(one.number, one.source) == one.source:
            assert text[slice(*one.span)] == changed[slice(*other.span)]
        position, other_position = one.span[1], other.span[1]
    assert text[position:] == changed[other_position:]


@pytest.mark.parametrize("seed", range(50))
def test_offsets_lead_to_the_character(seed: int) -> None:
    random_ = random.Random(seed)
    text = _notebook(random_)
    document = Document(text)
    for one in document.code_cells:
        for index, character in enumerate(one.source):
            at = document.offset(one, index)
            raw = text[at : at + 12]
            decoded = [json.loads(f'"{raw[:n]}"') for n in (1, 2, 6, 12) if _is_string(raw[:n])]
            assert character in decoded
        assert document.offset(one, len(one.source)) <= one.span[1]


def _is_string(raw: str) -> bool:
    try:
        return isinstance(json.loads(f'"{raw}"'), str)
    except ValueError:
        return False


def test_other_lines_keep_their_escapes() -> None:
    text = (
        '{"cells": [{"cell_type": "code", "source": [\n'
        '    "caf\\u00e9 = 1\\n",\n'
        '    "x = f(\\u0061)  # \\u00e9 \\/\\n",\n'
        '    "y"\n  ]}], "nbformat": 4}'
    )
    document = Document(text)
    changed = document.with_sources({1: "café = 1\nimport é\nx = f(a, b)  # é /\ny"})
    assert changed == text.replace(
        '    "x = f(\\u0061)', '    "import \\u00e9\\n",\n    "x = f(\\u0061, b)'
    )


def test_a_list_gains_and_loses_lines() -> None:
    text = '{"cells": [{"cell_type": "code", "source": [\n  "a\\n",\n  "b"\n ]}], "nbformat": 4}'
    document = Document(text)
    for source, expected in {
        "a\nb\nc": '[\n  "a\\n",\n  "b\\n",\n  "c"\n ]',
        "b": '[\n  "b"\n ]',
        "": "[]",
    }.items():
        changed = Document(document.with_sources({1: source}))
        start, end = changed.code_cells[0].span
        assert changed.text[start:end] == expected
    empty = Document(text.replace('[\n  "a\\n",\n  "b"\n ]', "[]"))
    assert '["x\\n", "y"]' in empty.with_sources({1: "x\ny"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "<<<<<<< HEAD\n{}",
        '{"cells": 1}',
        '{"cells": [1]}',
        '{"cells": [{"cell_type": "code", "source": [1]}]}',
        '{"cells": [{"cell_type": "code", "source": null}]}',
        '{"cells": [',
        "[" * 100_000,
        '{"cells": [{"cell_type": "code", "outputs": ' + "[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(NotANotebookError):
        Document(text)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, True),
        ({"kernelspec": {"language": "python"}}, True),
        ({"kernelspec": {"name": "ir", "language": "R"}}, False),
        ({"language_info": {"name": "julia"}}, False),
        ({"language_info": {"name": "ipython"}, "kernelspec": {"language": "R"}}, True),
        ({"language_info": 1, "kernelspec": []}, True),
    ],
)
def test_language(metadata: object, expected: bool) -> None:
    assert Document(json.dumps({"metadata": metadata, "cells": []})).is_python is expected
