"""MoveToModuleTop: from anywhere to below the leading imports, or not at all."""

from __future__ import annotations

import pytest

from dlint.findings.operations import MoveToModuleTop

CALL = 'mp.set_sharing_strategy("file_system")'


@pytest.fixture
def moved(lowered, find):
    """The text with its statement `CALL` (written in full) moved to the top."""

    def run(text, statement="CALL"):
        text, statement = text.replace("CALL", CALL), statement.replace("CALL", CALL)
        return lowered(text, MoveToModuleTop(find(text, statement)))

    return run


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import mp\n\ndef f():\n    a()\n    CALL\n    b()\n",
            "import mp\n\nCALL\n\ndef f():\n    a()\n    b()\n",
        ),
        (
            "import mp\n\ndef f():\n    # why\n    CALL  # fds\n",
            "import mp\n\nCALL  # fds\n\ndef f():\n    # why\n    pass\n",
        ),
        (
            "import mp\ndef f():\n    CALL  # fds\n    b()\n",
            "import mp\n\nCALL  # fds\ndef f():\n    b()\n",
        ),
        ("import mp\na()\nCALL", "import mp\n\nCALL\na()\n"),
        ("import mp\ndef f(): CALL\n", "import mp\n\nCALL\ndef f(): pass\n"),
        ("import mp\ndef f(): a(); CALL\n", "import mp\n\nCALL\ndef f(): a()\n"),
        ("import mp\ndef f(): CALL; a()  # c\n", "import mp\n\nCALL\ndef f(): a()  # c\n"),
        ("import mp\nx = 1; CALL; a()\n", "import mp\n\nCALL\nx = 1; a()\n"),
        ("import mp\ndef f():\n    CALL;\n", "import mp\n\nCALL\ndef f():\n    pass\n"),
        (
            '"""Doc."""\nfrom __future__ import x\nimport mp\ndef f():\n    CALL\n',
            '"""Doc."""\nfrom __future__ import x\nimport mp\n\nCALL\ndef f():\n    pass\n',
        ),
        (
            "import mp\ntry:\n    import a\nexcept E:\n    a = 0\n\ndef f():\n    CALL\n",
            "import mp\ntry:\n    import a\nexcept E:\n    a = 0\n\nCALL\n\ndef f():\n    pass\n",
        ),
        (
            "import os\nos.a = 1\nimport mp\nclass A:\n    def f(self):\n        CALL\n",
            "import os\nos.a = 1\nimport mp\n\nCALL\nclass A:\n    def f(self):\n        pass\n",
        ),
        ("import a; import mp\nx = 1\nCALL\n", "import a; import mp\n\nCALL\nx = 1\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_moves(moved, before, after, newline):
    before, after = (text.replace("\n", newline) for text in (before, after))
    assert moved(before) == after.replace("CALL", CALL)


def test_further_lines_of_the_statement_move_left(moved):
    text = "import mp\n\ndef f():\n    mp.set(\n        1,\n    )\n    a()\n"
    after = "import mp\n\nmp.set(\n    1,\n)\n\ndef f():\n    a()\n"
    assert moved(text, "mp.set(\n        1,\n    )") == after


def test_a_string_keeps_its_lines(moved):
    text = 'import mp\n\ndef f():\n    mp.set("""\n    a""")\n    a()\n'
    after = 'import mp\n\nmp.set("""\n    a""")\n\ndef f():\n    a()\n'
    assert moved(text, 'mp.set("""\n    a""")') == after


@pytest.mark.parametrize(
    "before",
    [
        "def f():\n    CALL\n",
        "def f():\n    CALL\nimport mp\n",
        "import os\ndef f():\n    CALL\n",
        "import os\ndef f():\n    import mp\n    CALL\n",
        "import mp\ndef f(mp):\n    CALL\n",
        "import mp\ndef f():\n    mp = 1\n    CALL\n",
        "import mp\nmp = wrap(mp)\ndef f():\n    CALL\n",
        "import os\nmp = os.mp\ndef f():\n    CALL\n",
        "if x:\n    import mp\ndef f():\n    CALL\n",
        "import os\ndef g(): ...\nimport mp\ndef f():\n    CALL\n",
        "import mp\nCALL\n",
        "import mp\n\n# first\nCALL\n",
    ],
)
def test_stays_where_its_names_would_mean_something_else(moved, before):
    assert moved(before) is None


@pytest.mark.parametrize(
    "statement",
    [
        "return mp.a",
        "x = mp.a",
        "mp.set(n)",
        "mp.set(__file__)",
        "yield mp.a",
        "import sys",
        "global mp",
        "mp.set(lambda: 0)",
        "pass",
        "(y := mp.a)",
    ],
)
def test_stays_when_it_is_bound_to_its_function(moved, statement):
    assert moved(f"import mp\ndef f(n):\n    {statement}\n", statement) is None


@pytest.mark.parametrize("statement", ["mp.b = True", "mp.b[0] += len('x')", "print(mp)"])
def test_settings_move_too(moved, statement):
    text = f"import mp\ndef f(n):\n    {statement}\n    a()\n"
    assert moved(text, statement) == f"import mp\n\n{statement}\ndef f(n):\n    a()\n"
