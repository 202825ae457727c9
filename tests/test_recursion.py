"""Following values, calls and paths by a recursion with a depth is what `dlint.analyses` is for.

Outside it no function that asks about a program may call its own kind with a count that goes down
or up. What is left stands here by module, with how many functions do so; the list may only shrink.
Not asked are the evaluator (`semantics`), and what reads the trees of files, which nest.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "dlint"
_APART = ("analyses/", "semantics/", "frontends/", "workspace/", "ir/", "fixes/", "verify/")

LEFT: dict[str, int] = {
    "model/data/streams.py": 3,
    "model/workers/unpicklable.py": 1,
}

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def counted_recursions(text: str) -> Iterator[str]:
    """The functions of a module that call one of it with a parameter of theirs, less or plus 1."""
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    names = {function.name for function in functions}
    for function in functions:
        counts = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
        calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
        if any(_called(call) in names and _counts(call, counts) for call in calls):
            yield function.name


def _called(call: ast.Call) -> str:
    callee = call.func
    if isinstance(callee, ast.Attribute):
        return callee.attr if isinstance(callee.value, ast.Name) else ""
    return callee.id if isinstance(callee, ast.Name) else ""


def _counts(call: ast.Call, names: set[str]) -> bool:
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Sub | ast.Add)
        and isinstance(value.left, ast.Name)
        and value.left.id in names
        and isinstance(value.right, ast.Constant)
        and value.right.value == 1
        for value in given
    )


def test_a_recursion_is_seen() -> None:
    text = "def f(x, depth):\n    return g(x, depth - 1)\ndef g(x, n):\n    return f(x.value, n)\n"
    assert list(counted_recursions(text)) == ["f"]
    method = "class A:\n    def f(self, depth=3):\n        return self.f(depth=depth + 1)\n"
    assert list(counted_recursions(method)) == ["f"]
    assert not list(counted_recursions("def f(x, n):\n    return other(n - 1), f(x, n)\n"))


def test_none_is_new() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        if not module.startswith(_APART):
            count = sum(1 for _ in counted_recursions(path.read_text("utf-8")))
            found |= {module: count} if count else {}
    assert found == LEFT
