"""Which keys a dict certainly lacks."""

from __future__ import annotations

import pytest

from dlint.analyses.control.absent_keys import absent_key
from dlint.ir import expressions as ex
from dlint.ir import walk
from tests.analyses.control.programs import MakeProgram

LACKING = {
    "a display": "d = {'a': 1}\nd['key']\n",
    "a comprehension": "d = {k: 1 for k in ['a', 'b']}\nd['key']\n",
    "a call": "d = dict(a=1)\nd['key']\n",
    "written over": "d = {'key': 1}\nd = {'a': 1}\nd['key']\n",
    "written over by a constant": (
        "mode = 'x'\nd = {'key': 1}\nif mode == 'x':\n    d = {'a': 1}\nd['key']\n"
    ),
    "either": "d = {'a': 1}\nif test():\n    d = {'b': 1}\nd['key']\n",
    "another is written": "d = {}\nd['a'] = 1\nd['key']\n",
    "read otherwise": "d = {'a': 1}\nfor k, v in d.items():\n    print(d.get(k))\nd['key']\n",
    "of a function": "def f():\n    d = {'a': 1}\n    return d['key']\n",
}
HELD = {
    "in the display": "d = {'key': 1}\nd['key']\n",
    "on one way": "d = {'a': 1}\nif test():\n    d = {'key': 1}\nd['key']\n",
    "written": "d = {}\nd['key'] = 1\nd['key']\n",
    "written by a function": "d = {}\ndef f():\n    d['key'] = 1\nf()\nd['key']\n",
    "by a key that is not known": "d = {}\nd[test()] = 1\nd['key']\n",
    "updated": "d = {}\nd.update(test())\nd['key']\n",
    "unpacked": "d = {**test()}\nd['key']\n",
    "handed on": "d = {}\ntest(d)\nd['key']\n",
    "under another name": "d = {}\ne = d\ne.update(test())\nd['key']\n",
    "one that fills itself": ("import collections\nd = collections.defaultdict(list)\nd['key']\n"),
    "of a call": "d = test()\nd['key']\n",
    "a parameter": "def f(d={}):\n    return d['key']\n",
    "read by a function": "d = {'a': 1}\ndef f():\n    return d['key']\nd = {test(): 1}\nf()\n",
}


def _is_absent(context: MakeProgram, text: str, **more: str) -> bool:
    analysed = context({"main.py": text, **{f"{name}.py": held for name, held in more.items()}})
    module = next(f.module for f in analysed.modules if f.module.path.endswith("main.py"))
    (found,) = [
        absent_key(analysed, scope, part)
        for scope in module.scopes
        for part in walk.parts(scope.body)
        if isinstance(part, ex.Subscript)
        if part.span[0] == text.rindex("d['key']")
    ]
    return found is not None


@pytest.mark.parametrize("text", LACKING.values(), ids=LACKING)
def test_a_key_that_is_not_there(context: MakeProgram, text: str) -> None:
    assert _is_absent(context, text)


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_a_key_that_may_be_there(context: MakeProgram, text: str) -> None:
    assert not _is_absent(context, text)


def test_another_file_may_write_it(context: MakeProgram) -> None:
    text = "d = {'a': 1}\nd['key']\n"
    assert _is_absent(context, text, other="import main\n")
    assert not _is_absent(context, text, other="import main\nmain.d['key'] = 1\n")
