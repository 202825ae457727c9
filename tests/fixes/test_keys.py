"""SetKey in dict literals and `dict(...)` calls."""

from __future__ import annotations

import pytest

from dlint.findings.operations import SetKey
from dlint.findings.places import Place

PATH = "/project/train.py"


def set_key(text, key="n", value="1"):
    return SetKey(Place(PATH, 0, len(text)), key, value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{"n": 1}'),
        ("{'a': 1}", "{'a': 1, 'n': 1}"),
        ('{"a": 1, }', '{"a": 1, "n": 1, }'),
        ("{K: 1}", '{K: 1, "n": 1}'),
        ("{'n': 0, 'a': 2}", "{'n': 1, 'a': 2}"),
        ("{'n' : (0)}", "{'n' : 1}"),
        ('{\n    "a": 1,\n    "b": 2,\n}', '{\n    "a": 1,\n    "b": 2,\n    "n": 1,\n}'),
        ('{\n    "a": 1,\n    "b": 2  # b\n}', '{\n    "a": 1,\n    "b": 2,  # b\n    "n": 1\n}'),
        ("dict()", "dict(n=1)"),
        ("dict(a=1)", "dict(a=1, n=1)"),
        ("dict(n=0)", "dict(n=1)"),
        ("dict(pairs, a=1)", "dict(pairs, a=1, n=1)"),
        ("dict(\n    a=1,\n    b=2,\n)", "dict(\n    a=1,\n    b=2,\n    n=1,\n)"),
    ],
)
def test_sets_a_key(lowered, before, after):
    assert lowered(before, set_key(before)) == after


@pytest.mark.parametrize(
    "before",
    [
        "{**a}",
        "{'a': 1, **a}",
        "{'n': 1, **a}",
        "dict(**a)",
        "{k: 1 for k in a}",
        "{1, 2}",
        "odd()",
    ],
)
def test_sets_no_key_where_others_may_come_in(lowered, before):
    assert lowered(before, set_key(before)) is None


def test_a_key_that_is_no_name_fits_only_a_literal(lowered):
    assert lowered("dict()", set_key("dict()", "a-b")) is None
    assert lowered("dict()", set_key("dict()", "class")) is None
    assert lowered("{}", set_key("{}", "a-b")) == '{"a-b": 1}'


def test_sets_two_keys_at_once(lowered):
    assert lowered("{'a': 1}", *(set_key("{'a': 1}", k, "2") for k in "ab")) == "{'a': 2, 'b': 2}"
