"""The code of a finding: what it is, and what of it may change without making it another."""

from __future__ import annotations

import pytest

from dlint.findings.places import Place
from dlint.suppression.flagged_code import FlaggedCode
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

CALL = "DataLoader(ds, batch_size=4, collate_fn=by['key'])"


def _code(text: str, marked: str, path: str = "/p/a.py") -> tuple[FlaggedCode, Place]:
    start = text.index(marked)
    code = FlaggedCode(Sources({path: Source(path, text)}))
    return code, Place(path, start, start + len(marked))


def _fingerprint(text: str, marked: str) -> str:
    code, place = _code(text, marked)
    return code.fingerprint(place)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"\n\n\ndef make():\n    return {CALL}\n", CALL),
        (CALL.replace(", ", ",\n    "), CALL.replace(", ", ",\n    ")),
        (CALL.replace("]", "],\n"), CALL.replace("]", "],\n")),
        (CALL.replace("'", '"'), CALL.replace("'", '"')),
        (CALL.replace("ds,", "ds,  # all\n"), CALL.replace("ds,", "ds,  # all\n")),
    ],
)
def test_the_same_code_elsewhere_or_laid_out_otherwise(text: str, marked: str) -> None:
    assert _fingerprint(text, marked) == _fingerprint(f"x = {CALL}\n", CALL)


def test_other_code() -> None:
    other = CALL.replace("4", "8")
    assert _fingerprint(other, other) != _fingerprint(CALL, CALL)


def test_a_name_is_known_by_its_statement() -> None:
    text = "for x in loader:\n    step(x)\nfor y in loader:\n    step(y)\n"
    code, first = _code(text, "loader")
    second = text.rindex("loader")
    assert code.text(first) == "for x in loader:"
    assert code.text(Place("/p/a.py", second, second + 6)) == "for y in loader:"


def test_a_name_in_a_very_long_statement_is_known_by_its_row() -> None:
    rows = "\n".join(f"    {i}," for i in range(30))
    code, place = _code(f"x = (\n{rows}\n    loader, 1,\n)\n", "loader")
    assert code.text(place) == "    loader, 1,"


def test_of_a_loop_its_header_counts() -> None:
    text = "for x in (\n    loader\n):\n    step(x)\n    more(x)\n"
    code, place = _code(text, text)
    assert code.rows(place) == (1, 3)
    assert code.text(place) == "for x in (\n    loader\n):"


def test_of_a_config_its_row_counts() -> None:
    text = '{\n  "loader": {\n    "num_workers": 0\n  }\n}\n'
    code, place = _code(text, text[text.index('"loader"') : text.index("}")], "/p/a.json")
    assert code.rows(place) == (2, 2)
    assert code.text(place) == '"loader": {'


def test_a_file_that_cannot_be_read() -> None:
    code, place = FlaggedCode(Sources()), Place("/no/such.py", 0, 0)
    assert (code.text(place), code.rows(place)) == ("", (1, 1))
