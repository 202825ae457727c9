"""Files that were written for a Python of long ago, and files that are at fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.places import Place
from dlint.model.versions.older_pythons import Age, OlderPythons
from dlint.workspace.parsing import SyntaxProblem, parse
from dlint.workspace.source import FileProblem, Source

XRANGE = "for i in xrange(3):\n    pass\n"
PRINT = "print 'x'\n"
CREATE = "conda create -n net python"
NEWER = "It also ran with Python 3.7 and with Python 2.7.\n"
SINCE_3_8 = "python_requires = >=3.8\n"


def _age(folder: Path, text: str, **beside: str) -> Age | None:
    """What is said of a file with a text, beside others: `README_md="…"`."""
    (folder / ".git").mkdir(exist_ok=True)
    sources = {str(folder / "old.py"): Source(str(folder / "old.py"), text)}
    for name, other in beside.items():
        path = folder / name.replace("_", ".")
        path.write_text(other)
        sources[str(path)] = Source(str(path), other)
    source = sources[str(folder / "old.py")]
    with pytest.raises(SyntaxProblem) as raised:
        parse(source)
    at = raised.value
    rows = text.splitlines(keepends=True)
    start = sum(map(len, rows[: at.row - 1])) + at.column - 1
    problem = FileProblem(Place(source.path, start, start), at.message, True)
    return OlderPythons(sources.get, lambda: sources).age(problem)


@pytest.mark.parametrize(
    "fault",
    [
        PRINT,
        "exec 'x = 1'\n",
        "raise ValueError, 'x'\n",
        "x = `y`\n",
        "if x <> y:\n    pass\n",
        "mode = 0755\n",
        "size = 10L\n",
        "text = ur'x'\n",
        "def f(a, (b, c)):\n    pass\n",
        "f = lambda (a, b): a\n",
        "if x:\n        y = 1\n\tz = 2\n",
    ],
)
def test_what_python_2_takes(fault: str, tmp_path: Path) -> None:
    assert _age(tmp_path, XRANGE + fault) == Age("2", "`xrange`")
    assert _age(tmp_path, fault) is None


@pytest.mark.parametrize(
    "fault",
    ["x = (1,\n", "x y\n", "x = = 1  # `y`\n", "def f():\n", "x = 'print 1' y\n", "return = 1\n"],
)
def test_what_no_python_takes(fault: str, tmp_path: Path) -> None:
    assert _age(tmp_path, f"#!/usr/bin/python2\nimport cPickle\n{XRANGE}{fault}") is None


@pytest.mark.parametrize(
    ("text", "by"),
    [
        (f"#!/usr/bin/env python2.7\n{PRINT}", "its `#!` line"),
        (f"#! /usr/bin/python2\n{PRINT}", "its `#!` line"),
        (f"import cPickle\n{PRINT}", "`cPickle`"),
        (f"from StringIO import StringIO\n{PRINT}", "`StringIO`"),
        (f"x = d.iteritems()\n{PRINT}", "`iteritems`"),
        (PRINT * 3, "3 `print` statements"),
    ],
)
def test_words_of_the_file_itself(text: str, by: str, tmp_path: Path) -> None:
    assert _age(tmp_path, text) == Age("2", by)


def test_few_statements_and_those_beside_python_3_are_at_fault(tmp_path: Path) -> None:
    assert _age(tmp_path, PRINT * 2) is None
    assert _age(tmp_path, PRINT * 3, new_py="print(f'{x}')\n") is None


@pytest.mark.parametrize(
    "text",
    [
        f"#!/usr/bin/env python3\n{XRANGE}{PRINT}",
        f"try:\n    import cPickle\nexcept ImportError:\n    pass\n{PRINT}",
        f"from six.moves import xrange\n{XRANGE}{PRINT}",
        f"xrange = range\n{XRANGE}{PRINT}",
        f"# for i in xrange(3)\n{PRINT}",
        f"x = 'xrange(3)'\n{PRINT}",
    ],
)
def test_files_that_say_nothing_of_python_2(text: str, tmp_path: Path) -> None:
    assert _age(tmp_path, text) is None


@pytest.mark.parametrize(
    ("name", "said", "python"),
    [
        ("README_md", "Use **Python 2.x**\n", "2.x"),
        ("README_md", "Requires Python 2.7\n", "2.7"),
        ("environment_yml", "dependencies:\n  - python=2.7\n", "2.7"),
    ],
)
def test_words_of_the_project(name: str, said: str, python: str, tmp_path: Path) -> None:
    age = _age(tmp_path, PRINT, **{name: said})
    assert age == Age(python, "what the project says of its Python")


@pytest.mark.parametrize("said", ["Python 3.6", "Python 2.7 or 3.5", "Python >= 2.7"])
def test_words_of_the_project_that_admit_python_3(said: str, tmp_path: Path) -> None:
    assert _age(tmp_path, PRINT, README_md=f"{said}\n") is None


def test_a_project_for_python_3_outweighs_names(tmp_path: Path) -> None:
    assert _age(tmp_path, XRANGE + PRINT, README_md="Python 3.6+\n") is None


@pytest.mark.parametrize(
    "beside",
    [
        "x = f'{y}'\n",
        "class A(B):\n    def __init__(self):\n        super().__init__()\n",
        "def f(x: int) -> int:\n    return x\n",
        "#!/usr/bin/env python3\n",
    ],
)
def test_files_beside_that_need_python_3_outweigh_names(beside: str, tmp_path: Path) -> None:
    assert _age(tmp_path, XRANGE + PRINT, new_py=beside) is None
    assert _age(tmp_path, f"#!/usr/bin/python2\n{PRINT}", new_py=beside) is not None


def test_files_beside_that_either_takes(tmp_path: Path) -> None:
    beside = "# f'{x}', super()\nx = f(y) or 'super()'\nasync_def = 1\n"
    assert _age(tmp_path, XRANGE + PRINT, new_py=beside) is not None


@pytest.mark.parametrize(
    ("text", "beside", "python"),
    [
        ("x = Variable(x, volatile=True)\ny = y.cuda(async=True)\n", {}, "3.6 or older"),
        ("x += loss.data[0]\ny = y.cuda(async=True)\n", {}, "3.6 or older"),
        ("y = y.cuda(async=True)\n", {"README_md": "PyTorch 0.4.0\n"}, "3.6 or older"),
        ("y = y.cuda(async=True)\n", {"README_md": "Python 3.6\n"}, "3.6"),
        ("y = y.cuda(async=True)\n", {"README_md": "Python 2.7\n"}, "2.7"),
        ("y = y.cuda(async=True)\n", {"README_md": "PyTorch 1.0\n"}, None),
        ("y = y.cuda(async=True)\n", {"README_md": "Python 3.7\n"}, None),
        ("y = y.cuda(async=True)\n", {}, None),
        ("async def f(:\n    pass\n", {"README_md": "Python 3.6\n"}, None),
        ("f(async=True)\n", {"README_md": f"`{CREATE}=3.6.6`, not 3.7\n{NEWER}"}, "3.6"),
        ("f(async=True)\n", {"README_md": f"`{CREATE}=3.7`\n{NEWER}"}, None),
        ("f(async=True)\n", {"README_md": f"`{CREATE}=3.6`\n`{CREATE}=3.8`\n"}, None),
        ("f(async=True)\n", {"README_md": f"`{CREATE}=3.6`\n", "setup_cfg": SINCE_3_8}, None),
    ],
)
def test_async_as_a_name(
    text: str, beside: dict[str, str], python: str | None, tmp_path: Path
) -> None:
    age = _age(tmp_path, text, **beside)
    assert (None if age is None else age.python) == python


@pytest.mark.parametrize(
    ("path", "importing", "is_old"),
    [
        ("third_party/net/old.py", "import net", True),
        ("third_party/net/old.py", "from third_party.net import old", False),
        ("net/old.py", "import net", False),
    ],
)
def test_copies_of_others_that_nothing_imports(path: str, importing: str, is_old: bool) -> None:
    text = "import os\nprint 'x'\n"
    texts = {f"/p/{path}": text, "/p/train.py": f"{importing}\nx = f'{{1}}'\n"}
    sources = {name: Source(name, given) for name, given in texts.items()}
    place = Place(f"/p/{path}", 10, 10)
    message = "Missing parentheses in call to 'print'"
    age = OlderPythons(sources.get, lambda: sources).age(FileProblem(place, message, True))
    assert (age is not None) is is_old


@pytest.mark.parametrize(("recorded", "is_old"), [("net/old.py,,", True), ("other.py,,", False)])
def test_copies_that_pip_has_written_down(recorded: str, is_old: bool, tmp_path: Path) -> None:
    record = tmp_path / "modules" / "net-1.0.dist-info" / "RECORD"
    record.parent.mkdir(parents=True)
    record.write_text(f"net-1.0.dist-info/METADATA,,\n{recorded}\n")
    old, own = str(tmp_path / "modules/net/old.py"), str(tmp_path / "train.py")
    texts = {old: "import os\nprint 'x'\n", own: "import net\nx = f'{1}'\n"}
    sources = {name: Source(name, given) for name, given in texts.items()}
    problem = FileProblem(Place(old, 10, 10), "Missing parentheses in call to 'print'", True)
    age = OlderPythons(sources.get, lambda: sources).age(problem)
    assert (age is not None) is is_old


@pytest.mark.parametrize(("magic", "is_old"), [(62211, True), (3495, False)])
def test_what_python_2_has_compiled(magic: int, is_old: bool, tmp_path: Path) -> None:
    (tmp_path / "data.pyc").write_bytes(magic.to_bytes(2, "little") + b"\r\n")
    path = str(tmp_path / "data.py")
    sources = {path: Source(path, "print 'x'\n")}
    problem = FileProblem(Place(path, 0, 0), "Missing parentheses in call to 'print'", True)
    assert (OlderPythons(sources.get, lambda: sources).age(problem) is not None) is is_old


@pytest.mark.parametrize(
    ("path", "importing", "folder"),
    [
        ("archive/notes.py", "import notes", "archive"),
        ("src/Old_code/notes.py", "import os", "Old_code"),
        ("archive/notes.py", "from archive import notes", None),
        ("archives_of_sound/notes.py", "import os", None),
    ],
)
def test_what_is_kept_for_the_record(path: str, importing: str, folder: str | None) -> None:
    texts = {f"/p/{path}": "8a09 = {\n", "/p/train.py": f"{importing}\n"}
    sources = {name: Source(name, given) for name, given in texts.items()}
    problem = FileProblem(Place(f"/p/{path}", 1, 1), "invalid decimal literal", True)
    assert OlderPythons(sources.get, lambda: sources).set_aside(problem) == folder


def test_a_project_that_lies_in_an_archive_itself() -> None:
    texts = {"/old/p/models/notes.py": "8a09 = {\n", "/old/p/train.py": "import os\n"}
    sources = {name: Source(name, given) for name, given in texts.items()}
    place = Place("/old/p/models/notes.py", 1, 1)
    problem = FileProblem(place, "invalid decimal literal", True)
    assert OlderPythons(sources.get, lambda: sources).set_aside(problem) is None
