"""For any config text: a set value is what differs after the edit, and nothing else."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from dlint.findings.edits import apply_edits
from dlint.fixes.config_values import set_value
from dlint.frontends.nodes import documents
from dlint.workspace.source import Source

_KEYS = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
_NAME = "num_workers"
_TEXTS = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=12)
_PLAIN = st.booleans() | st.integers(-(10**9), 10**9)
_SCALARS = _PLAIN | _TEXTS | st.floats(-1e6, 1e6)
_VALUES = st.recursive(
    _SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_NEW = st.none() | st.booleans() | st.integers(0, 64)
_PATHS = st.lists(_KEYS.filter(lambda key: key != _NAME), max_size=3)


@st.composite
def _documents(draw: st.DrawFn) -> tuple[Any, list[str], bool]:
    """Data, the keys that lead to a mapping in it, and whether that has the key to set."""
    inner = draw(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4))
    has_key = draw(st.booleans())
    inner.pop(_NAME, None)
    if has_key:
        entries = list(inner.items())
        entries.insert(draw(st.integers(0, len(entries))), (_NAME, draw(_PLAIN)))
        inner = dict(entries)
    path = draw(_PATHS)
    data = inner
    for key in reversed(path):
        around = draw(st.dictionaries(_KEYS, _VALUES, max_size=3))
        around.pop(key, None)
        data = {**around, key: data} if draw(st.booleans()) else {key: data, **around}
    return data, path, has_key


def _changed(path: str, text: str, keys: list[str], value: Any) -> tuple[str, str, str] | None:
    """The text after the edit; and of both texts what the edit leaves alone."""
    (node,) = documents(path, text)
    for key in keys:
        node = next(v for k, v in node.value if k.value == key)
    assert isinstance(node, yaml.MappingNode)
    if not node.value:
        return None
    edit = set_value(Source(path, text), node, _NAME, value)
    if edit is None:
        return None
    after = apply_edits(text, [edit])
    return (
        after,
        text[: edit.start] + text[edit.end :],
        after[: edit.start] + after[edit.start + len(edit.text) :],
    )


def _with(data: Any, keys: list[str], value: Any) -> Any:
    if not keys:
        return {**data, _NAME: value}
    return {**data, keys[0]: _with(data[keys[0]], keys[1:], value)}


def _check(path: str, text: str, case: tuple[Any, list[str], bool], value: Any, load: Any) -> None:
    _, keys, has_key = case
    found = _changed(path, text, keys, value)
    if found is None:
        return
    after, kept_before, kept_after = found
    assert kept_before == kept_after
    assert load(after) == _with(load(text), keys, value)
    if has_key and "#" not in text:
        assert text.count("\n") == after.count("\n")


@given(_documents(), _NEW, st.sampled_from([None, 1, 2, "\t"]))
def test_json(case: tuple[Any, list[str], bool], value: Any, indent: Any) -> None:
    text = json.dumps(case[0], indent=indent, ensure_ascii=False)
    _check("c.json", text, case, value, json.loads)
    assert _changed("c.json", text, case[1], value) is not None


@given(_documents(), _NEW, st.sampled_from([True, False, None]), st.sampled_from(["\n", "\r\n"]))
def test_yaml(case: tuple[Any, list[str], bool], value: Any, flow: Any, newline: str) -> None:
    text = yaml.safe_dump(case[0], default_flow_style=flow, sort_keys=False, allow_unicode=True)
    text = "# first\n" + text.replace("\n", newline) + f"# last{newline}"
    _check("c.yaml", text, case, value, yaml.safe_load)


@given(st.dictionaries(_KEYS, _PLAIN, min_size=1), _PLAIN, st.booleans(), st.integers(0, 64))
def test_toml(inner: dict[str, Any], other: Any, has_key: bool, value: int) -> None:
    inner = {key: item for key, item in inner.items() if key not in (_NAME, "c")} or {"x": 1}
    if has_key:
        inner[_NAME] = 0
    rows = [f"  {key} = {json.dumps(item)}  # {key}" for key, item in inner.items()]
    text = "\n".join(["[a.b]", *rows, "", "[a.b.c]", f"z = {json.dumps(other)}", ""])
    case = ({"a": {"b": {**inner, "c": {"z": other}}}}, ["a", "b"], has_key)
    _check("c.toml", text, case, value, tomllib.loads)
    assert _changed("c.toml", text, ["a", "b"], value) is not None
    assert _changed("c.toml", text, ["a", "b"], None) is None
