"""JSON and TOML texts as trees: the values that the standard library reads, each in its place."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dlint.frontends import json_files, toml_files
from dlint.frontends.nodes import documents, span

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
_JSON = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner)
)
TOML = """\
title = 'a # b'  # comment
numbers = [1, 2_000, [0x10, 1e5,], # in between
  inf, -nan]
date = 1979-05-27 07:32:00
"quoted.key" = \"\"\"
many "lines" \\" \"\"\"
a.b.c = true
inline = { x = 1, y.z = "s", list = [{q = 1}] }

[table]
  key = "v\\u00e9"
[table.sub]
n = -5
[[items]]
name = '''x'''
[items.more]
n = 1
[[items]]
name = ""
[table.sub.deep]
ok = false
"""


def _value(node: yaml.Node, text: str) -> Any:
    """What a tree stands for, each scalar read from the characters at its place."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: _value(value, text) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, text) for item in node.value]
    start, end = span(node)
    return text[start:end]


@given(_JSON, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_a_json_text_is_read_as_json_reads_it(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    def loaded(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: loaded(item) for key, item in part.items()}
        return [loaded(i) for i in part] if isinstance(part, list) else json.loads(part)

    assert loaded(_value(json_files.compose(text), text)) == value


@given(st.text(alphabet='{}[]",:0123456789truefalsn \n\\-.eE', max_size=30))
def test_what_is_no_json_is_refused(text: str) -> None:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        with pytest.raises(json_files.NotJsonError):
            json_files.compose(text)
    else:
        json_files.compose(text)


def _toml(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _toml(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_toml(item) for item in value]
    return repr(tomllib.loads(f"x = {value}")["x"])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else repr(value)


def test_a_toml_text_is_read_as_tomllib_reads_it() -> None:
    (document,) = documents("a.toml", TOML)
    assert _toml(_value(document, TOML)) == _plain(tomllib.loads(TOML))


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_written(v)}" for k, v in value.items()) + "}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


_ASCII = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126))
_TOML = st.recursive(
    st.booleans() | st.integers(-(2**62), 2**62) | _ASCII,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_ASCII, inner, max_size=3),
)


@given(st.dictionaries(_ASCII, _TOML, max_size=4), st.dictionaries(_ASCII, _TOML, max_size=4))
def test_any_toml_is_read(top: dict[str, Any], inner: dict[str, Any]) -> None:
    lines = [f"{json.dumps(k)} = {_written(v)} # c" for k, v in top.items() if k != "t"]
    lines += ["", "[t]", *(f"{json.dumps(k)}={_written(v)}" for k, v in inner.items())]
    text = "\n".join(lines)
    assert _toml(_value(toml_files.compose(text), text)) == _plain(tomllib.loads(text))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", '{"a": 1} // no'),
        ("a.json", "{'a': 1}"),
        ("a.json", "[" * 500),
        ("a.json", '{"a": 1,}'),
        ("a.toml", "a = "),
        ("a.toml", "a: 1"),
        ("a.yaml", "a: {{ b }}: c"),
        ("a.yaml", "\t- x"),
    ],
)
def test_what_is_not_what_its_name_says_has_no_tree(path: str, text: str) -> None:
    assert documents(path, text) == []
