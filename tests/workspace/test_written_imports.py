"""The words of imports, found without a parse."""

from __future__ import annotations

import pytest

from dlint.workspace.written_imports import import_words, written_imports

TEXTS = {
    "plain": b"import a.b as c, d\nx = 1\n",
    "members": b"from ..a.b import c as d, e  # f\n",
    "brackets": b"from a import (  # it's (so\n    b,\n    # ')\n    c as d,\n)\n",
    "joined": b"from a \\\n    import b, \\\r\n    c\nimport \\\n    d\n",
    "inside": b"if x: import a; import b\nelse:\n\tfrom c import*\n",
    "dots": b"from.import a\nfrom .. import b\nfrom...c import(d)\n",
    "behind a text": b"x = '''\n'''; import a\ny = f(b'#'); from b import c\n",
    "other letters": "from données import é\n".encode(),
    "carriage returns": b"import a\rfrom b import (\r  c)\r",
    "at the end": b"from a import b",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_all_words_of_imports_are_found(text: bytes) -> None:
    written = written_imports(text)
    assert written
    names = {name for one in written for name in (*one.module.split("."), *(one.members or ()))}
    assert {name.encode() for name in names - {"", "*"}} <= import_words(text)


def test_words_elsewhere_are_not_among_them() -> None:
    text = (
        b"import a\nb = c(d)  # e\nfrom f import (g)\nh = important_i + reimport + is_from\n"
        b"# from x\ny = 'import z'\n"
    )
    assert import_words(text) == {b"import", b"from", b"a", b"f", b"g"}
