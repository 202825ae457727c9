"""What IPython takes and Python does not."""

from __future__ import annotations

import ast
import re

import pytest

from dlint.workspace.notebooks.magics import HIDDEN, PLACEHOLDER, read_cell


def _visible(source: str) -> str | None:
    """The Python of a cell, `~` for each hidden character."""
    text = read_cell(source).text
    if text is None:
        return None
    assert len(text) == len(source)
    assert all(a == b or a in f"#;{HIDDEN}" for a, b in zip(text, source, strict=True))
    ast.parse(text)
    return text.replace(HIDDEN, "~")


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n",
        'print("%s"\n      % (a, b))',
        '"""\n%matplotlib inline\n!ls\n"""',
        "x = (a\n% b)",
        "await load()",
        "return 1",
        "",
        "# %%bash\nx = 1",
        "a = b if c else d  # why?",
    ],
)
def test_what_is_python_stays(source: str) -> None:
    assert read_cell(source).text == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("%matplotlib inline\nx = 1", "~~~~~~~~~~~~~~~~~~\nx = 1"),
        ("!ls", "~~~"),
        ("if colab:\n    !pip install 'x", "if colab:\n    ~~~~~~~~~~~~~~~"),
        ("if a:\n\t%cd x\nelse:\n\tb()", "if a:\n\t~~~~~\nelse:\n\tb()"),
        ("files = !ls *.py", "files = ~~~~~~~~"),
        ("a, b = %sql select 1", "a, b = ~~~~~~~~~~~~~"),
        ("x = a[0]\nDataLoader?\ny = 2", "x = a[0]\n~~~~~~~~~~~\ny = 2"),
        ("?torch.load", "~~~~~~~~~~~"),
        ("torch.*load*??", "~~~~~~~~~~~~~~"),
        ("%time x = f(1)", "~~~~~;x = f(1)"),
        ("%timeit  f(1)", "~~~~~~~; f(1)"),
        ("%timeit -n 3 f(1)", "~" * 17),
        ("%time for x in y: pass", "~" * 22),
        ("!pip install \\\n  abc\nx = 1", "~" * 14 + "\n  #~~\nx = 1"),
        ("%%time\nx = 1", "~~~~~~\nx = 1"),
        ("%%capture out\n!pip install x\ny = 1", "~" * 13 + "\n" + "~" * 14 + "\ny = 1"),
        ("#@title X\n\n%%time\nx = 1", "#@title X\n\n~~~~~~\nx = 1"),
        ('!ls\nprint("%d"\n%len(x))', '~~~\nprint("%d"\n%len(x))'),
        ('!echo "it\nx = """\n!not a command\n"""', '~~~~~~~~~\nx = """\n!not a command\n"""'),
        ("!a\nx = 'it''s' # don't\n!b", "~~\nx = 'it''s' # don't\n~~"),
        ("!a\nx = 1 + \\\n  2\n!b", "~~\nx = 1 + \\\n  2\n~~"),
        ("pip install x\nimport y", "~~~~~~~~~~~~~\nimport y"),
        ("cd data\nls = 3\n%pwd", "~~~~~~~\nls = 3\n~~~~"),
        ("%cd a\r\nx = 1\r\n", "~~~~~\r\nx = 1\r\n"),
    ],
)
def test_what_is_hidden(source: str, expected: str) -> None:
    assert _visible(source) == expected


@pytest.mark.parametrize(
    "source", ["%%bash\nls\n", "%%writefile a.py\nx = 1", "%%html\n<b>", "\n%%R\nx <- 1", "%%js"]
)
def test_cells_in_other_languages_are_left_out_without_a_word(source: str) -> None:
    assert read_cell(source) == (None, None)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('print "x"', "line 1: Missing parentheses in call to 'print'"),
        ("x =\n!ls", "line 1: invalid syntax"),
        ("def f(x):\n    # your code\n", "line 2: expected an indented block"),
        ("x = 1\0", "null bytes"),
        ("!pip install \\\n  b\nx = 1", "line 1: invalid syntax"),
    ],
)
def test_broken_cells(source: str, problem: str) -> None:
    read = read_cell(source)
    assert read.text is None
    assert problem in str(read.problem)


def test_newer_syntax() -> None:
    for source in ('f"{x["a"]}"', "type A = int", "def f[T](x: T): ..."):
        assert read_cell(source).text == source
    assert read_cell("!ls\ntype A = int").text == f"{HIDDEN * 3}\ntype A = int"


def test_a_cell_with_the_letter_of_hidden_text_is_left_out() -> None:
    assert read_cell(f"{HIDDEN} = 1").text is None


def test_placeholders_are_found_in_order() -> None:
    source = "%time f()\n!ls \\\n  abc\nx = !pwd"
    text = read_cell(source).text
    assert text is not None
    originals = [source[slice(*found.span())] for found in PLACEHOLDER.finditer(text)]
    assert originals == ["%time ", "!ls \\", "abc", "!pwd"]
    assert not re.search(f"{HIDDEN}", PLACEHOLDER.sub("", text))
