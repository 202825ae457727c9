"""Python files that hold settings, as trees: each value in its place."""

from __future__ import annotations

import pytest

from dlint.frontends.python_trees import tree_of_python
from dlint.frontends.settings_files import Branch, Leaf, Row, Tree


def _plain(tree: Tree | None) -> object:
    """A tree as Python's own data."""
    match tree:
        case Branch():
            return {name: _plain(value) for name, value in tree.items.items()}
        case Row():
            return [_plain(value) for value in tree.items]
        case Leaf():
            return tree.value if isinstance(tree.value, str | int | float | None) else "?"
    return None


def _tree(text: str, **others: str) -> Tree | None:
    def other(path: str) -> Tree | None:
        name = path.removeprefix("/a/").removesuffix(".py")
        return tree_of_python(path, others[name], other) if name in others else None

    return tree_of_python("/a/own.py", text, other)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a = 1\nb = dict(c=a, d=-2.5)", {"a": 1, "b": {"c": 1, "d": -2.5}}),
        ("'text'\nimport os\na = {'b': [True, None, 'x']}", {"a": {"b": [True, None, "x"]}}),
        ("a = os.cpu_count()\nb = dict(c, d=1)", {"a": "?", "b": "?"}),
        ("a = 1\nif a:\n    a = 2", None),
        ("a = 1\ndef f():\n    return a", None),
        ("a = 1\na += 1", None),
        ("a = (", None),
        ("a.b = 1", None),
    ],
)
def test_what_assignments_hold(text: str, held: object) -> None:
    assert _plain(_tree(text)) == held


def test_what_a_file_is_based_on_lies_below_it() -> None:
    base = "size = 4\nloader = dict(batch_size=8, num_workers=2)\nmodel = dict(depth=3)"
    own = "_base_ = ['./base.py']\nloader = dict(num_workers=0)\nmodel = dict(_delete_=True, w=1)"
    assert _plain(_tree(own, base=base)) == {
        "size": 4,
        "loader": {"batch_size": 8, "num_workers": 0},
        "model": {"w": 1},
    }
    assert _tree(own) is None
    assert _tree("_base_ = name\nb = 1", base=base) is None


def test_each_value_stands_where_it_is_written() -> None:
    text = 'name = "Größe"; size = 8\nloader = dict(a="ü", batch_size=size)\n'
    tree = _tree(text)
    assert isinstance(tree, Branch)
    loader = tree.items["loader"]
    assert isinstance(loader, Branch)
    spans = (tree.items["size"].span, loader.span, loader.items["batch_size"].span)
    assert [text[a:b] for a, b in spans] == ["8", 'dict(a="ü", batch_size=size)', "size"]


@pytest.mark.parametrize("inner", ["k=a{n}, l=a{n}", "k=a{n}"])
def test_names_of_names_come_to_an_end(inner: str) -> None:
    levels = (f"a{n + 1} = dict({inner.format(n=n)})" for n in range(60))
    assert _tree("\n".join(["a0 = 1", *levels])) is None
