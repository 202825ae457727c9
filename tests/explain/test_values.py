"""Arguments in words: their values, where these were written, and why one is not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.explain.values import ToldValue, told_arguments
from dlint.library_facts.loaders import DEFAULTS
from dlint.model.loading.loaders import Loaders

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = "import json\nfrom torch.utils.data import DataLoader\nfrom elsewhere import LIMIT\n"


def _told(context: MakeProgram, text: str, name: str = "num_workers") -> list[ToldValue]:
    analysed = context(HEAD + text)
    (group,) = analysed[Loaders].by_call().values()
    loader = next((x for x in group if x.has_context), group[0])
    arguments = told_arguments(analysed, loader.bound, (name,), DEFAULTS)
    return [value for argument in arguments for value in argument.values]


def _at(folder: Path, value: ToldValue) -> str | None:
    """The line that a value was written on."""
    if value.place is None:
        return None
    text = (folder / "main.py").read_text()
    return text[: value.place.end].rpartition("\n")[2].strip()


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        ("DataLoader(x, num_workers=4)", "4", "DataLoader(x, num_workers=4"),
        ("n = 4\nDataLoader(x, num_workers=n)", "4", "n = 4"),
        (
            "def f(n):\n    return DataLoader(x, num_workers=n)\nf(8)",
            "8",
            "f(8",
        ),
        ("DataLoader(x)", "not given: 0", None),
        ("DataLoader(x, num_workers=None)", "None", "DataLoader(x, num_workers=None"),
    ],
)
def test_values_and_places(
    context: MakeProgram, tmp_path: Path, text: str, value: str, line: str | None
) -> None:
    (told,) = _told(context, text)
    assert (told.text, _at(tmp_path, told)) == (value, line)
    assert told.is_known


def test_a_default_is_named(context: MakeProgram) -> None:
    (told,) = _told(context, "def f(n=2):\n    return DataLoader(x, num_workers=n)\n")
    assert (told.text, told.default_of) == ("2", "default of parameter `n`")


def test_all_ways_are_told(context: MakeProgram) -> None:
    told = _told(context, "n = 4 if fast else 0\nDataLoader(x, num_workers=n)")
    assert {value.text for value in told} == {"4", "0"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "def f(n):\n    return DataLoader(x, num_workers=n)",
            "`n` is a parameter of `f`, which nothing in the project calls",
        ),
        ("n = json.load(f)\nDataLoader(x, num_workers=n)", "what `json.load` returns"),
        ("n = json.load(f)['n']\nDataLoader(x, num_workers=n)", "what `json.load` returns"),
        ("DataLoader(x, num_workers=nobody)", "nothing in this module binds `nobody`"),
        (
            "def g():\n    return json.load(f)\nDataLoader(x, num_workers=g())",
            "what `json.load` returns",
        ),
        (
            "def f(n):\n    return DataLoader(x, num_workers=n)\ndef g(m):\n    return f(m)",
            "`m` is a parameter of `g`, which nothing in the project calls",
        ),
        (
            "d = {k: json.load(k) for k in t}\n[DataLoader(x, num_workers=n) for n in d.values()]",
            "what `json.load` returns",
        ),
    ],
)
def test_why_it_is_not_known(context: MakeProgram, text: str, why: str) -> None:
    unknown = [value for value in _told(context, text) if not value.is_known]
    assert [value.text for value in unknown] == ["not known"]
    assert unknown[0].why is not None
    assert unknown[0].why.startswith(why)
    assert unknown[0].why_place is not None
