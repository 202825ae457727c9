"""What has one home is not done by hand elsewhere: finding calls, binding their arguments.

A call is found by `dlint.analyses.calls`, its arguments by `dlint.analyses.binding`, who runs whom
by `dlint.analyses.call_graph`, and `library_path` says what of a library makes an object. The
places that still do it themselves are counted below; the counts may only become smaller.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "dlint"
ROOMS = ("analyses", "model", "rules")
HOMES = {
    "analyses/calls.py",
    "analyses/binding.py",
    "analyses/call_graph.py",
    "analyses/written_arguments.py",
}

KNOWN: dict[str, dict[str, int]] = {
    "argument by position": {
        "analyses/callees.py": 1,  # `Base.__init__(self, …)`: the arguments behind the object
        "analyses/guards.py": 1,
        "analyses/object_state/file_data_calls.py": 3,
        "analyses/object_state/hdf5.py": 1,
        "model/versions/removed_names.py": 1,  # likewise
    },
    "argument by keyword": {
        "analyses/object_state/file_data_calls.py": 5,
        "analyses/object_state/unpacking.py": 1,
        "analyses/object_state/writes.py": 1,
        "model/loading/config_settings.py": 1,  # the arguments of configs, each with its reason
        "model/versions/dated_code.py": 1,
    },
    "calls of a module by name": {
        "analyses/relevant_scopes.py": 2,  # which scopes matter is asked before there is a context
        "model/ranks/distributed.py": 1,
    },
    "callee by names alone": {"analyses/dependence.py": 1, "analyses/volume/sizes.py": 1},
    "library object by hand": {},
}


@cache
def _counts() -> dict[str, Counter[str]]:
    """How often each file has each idiom."""
    files = (path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py")))
    named = {path.relative_to(PACKAGE).as_posix(): path for path in files}
    return {
        name: _found(ast.parse(path.read_text("utf-8")))
        for name, path in named.items()
        if name not in HOMES
    }


def _is_attribute(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name


def idioms(node: ast.AST) -> Iterator[str]:
    """The idioms that one node is."""
    match node:
        case ast.Subscript(value=value, slice=ast.Constant() | ast.Slice()):
            if _is_attribute(value, "arguments"):
                yield "argument by position"
            elif _is_attribute(value, "calls"):
                yield "calls of a module by name"
        case ast.Subscript(value=value) if _is_attribute(value, "calls"):
            yield "calls of a module by name"
        case ast.Call(func=ast.Attribute(value=value, attr="get")):
            if _is_attribute(value, "calls"):
                yield "calls of a module by name"
        case ast.Call(func=ast.Attribute(attr="static"), args=[first, *_]):
            if _is_attribute(first, "function"):
                yield "callee by names alone"
        case ast.Compare(left=left, ops=[ast.Eq() | ast.In() | ast.NotIn() | ast.Is()]):
            if _is_attribute(left, "keyword"):
                yield "argument by keyword"


def _asks_for_library(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name("isinstance"), args=[value, ast.Name("External")]):
            return _is_attribute(value, "origin")
        case ast.Attribute(value=value, attr="path"):
            return _is_attribute(value, "origin")
    return False


def _found(tree: ast.Module) -> Counter[str]:
    nodes = list(ast.walk(tree))
    by_hand = sum(map(_asks_for_library, nodes))
    found = Counter(idiom for node in nodes for idiom in idioms(node))
    return found + Counter({"library object by hand": by_hand})


@pytest.mark.parametrize("idiom", KNOWN)
def test_an_idiom_stays_in_its_home(idiom: str) -> None:
    found = {name: counts[idiom] for name, counts in _counts().items() if counts[idiom]}
    assert found == KNOWN[idiom]


@pytest.mark.parametrize(
    ("text", "idiom"),
    [
        ("call.arguments[0].value", "argument by position"),
        ("for a in call.arguments[:1]: pass", "argument by position"),
        ("facts.calls.get('spawn', ())", "calls of a module by name"),
        ("facts.calls[name]", "calls of a module by name"),
        ("names.static(call.function, call.scope)", "callee by names alone"),
        ("next(a.value for a in x.arguments if a.keyword == 'device')", "argument by keyword"),
        ("[a for a in x.arguments if a.keyword is None]", "argument by keyword"),
        ("isinstance(value.origin, External)", "library object by hand"),
        ("value.origin.path in KNOWN", "library object by hand"),
    ],
)
def test_an_idiom_is_seen(text: str, idiom: str) -> None:
    assert _found(ast.parse(text)) == {idiom: 1}
