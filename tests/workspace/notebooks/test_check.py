"""`dlint check` on notebooks: what is found, where, and how it is fixed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dlint.cli.main import main

from .conftest import Write, cell, notebook

IMPORTS = "%matplotlib inline\nfrom torch.utils.data import DataLoader, RandomSampler"
BOTH = "loader = DataLoader(\n    data, shuffle=True, sampler=RandomSampler(data)\n)"
FIXED = "loader = DataLoader(\n    data, sampler=RandomSampler(data)\n)"
RULE = "shuffle-with-sampler"


class Result(NamedTuple):
    """What a run came to."""

    code: int
    out: str
    err: str

    def findings(self) -> list[dict[str, Any]]:
        """The findings of a run that printed JSON."""
        found: list[dict[str, Any]] = json.loads(self.out)
        return found


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `dlint check` in a project of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "pyproject.toml").write_text("")

    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        code = main(["check", *arguments])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture
def bad(run: Run, written: Write) -> Path:
    """A notebook with one error, in its third cell."""
    path = Path("a.ipynb")
    path.write_text(written(IMPORTS, "!ls\nx = [1]", BOTH), "utf-8")
    return path


def test_json_names_cell_and_line(run: Run, bad: Path) -> None:
    (finding,) = run(".", "--output-format", "json").findings()
    assert (finding["name"], finding["cell"]) == (RULE, 3)
    assert finding["location"] == {"row": 1, "column": 10}
    assert finding["end_location"] == {"row": 3, "column": 2}
    assert [one["cell"] for one in finding["related"]] == [3] * len(finding["related"])
    (edit,) = finding["fix"]["edits"]
    assert (edit["cell"], edit["content"]) == (3, "")
    assert edit["location"] == {"row": 2, "column": 11}


@pytest.mark.parametrize(
    ("error", "count"), [("RuntimeError", 0), ("KeyboardInterrupt", 1), (None, 1)]
)
def test_nothing_is_reported_in_a_cell_that_failed(
    run: Run, bad: Path, error: str | None, count: int
) -> None:
    document = json.loads(bad.read_text("utf-8"))
    if error is not None:
        output = {"output_type": "error", "ename": error, "evalue": "", "traceback": []}
        document["cells"][2]["outputs"] = [output]
    bad.write_text(json.dumps(document), "utf-8")
    assert len(run(".", "--output-format", "json").findings()) == count


def test_concise_and_full_name_the_cell(run: Run, bad: Path) -> None:
    concise = run("a.ipynb", "--output-format", "concise")
    assert concise.out.startswith(f"a.ipynb:cell 3:1:10: error: DLT201 {RULE} [*] ")
    full = run("a.ipynb").out
    assert " --> a.ipynb:cell 3:1:10\n" in full
    assert "1 | loader = DataLoader(" in full
    assert "- " + "    data, shuffle=True," in full
    assert "RandomSampler\n" not in full


def test_a_frame_shows_its_cell_and_the_magics_in_it(run: Run, written: Write) -> None:
    one_line = BOTH.replace("\n    ", "").replace("\n", "")
    cells = written(IMPORTS, "before = 1", f"!ls -l\n{one_line}\n%time x = f()", "behind = 1")
    Path("a.ipynb").write_text(cells, "utf-8")
    out = run(".").out
    assert "1 | !ls -l\n2 | loader" in out
    assert "3 | %time x = f()" in out
    assert "before" not in out
    assert "behind" not in out


def test_github_and_sarif_point_into_the_file(run: Run, bad: Path) -> None:
    lines = bad.read_text("utf-8").split("\n")
    row = next(i for i, line in enumerate(lines, 1) if "loader = DataLoader(" in line)
    column = lines[row - 1].index("DataLoader") + 1
    github = run(".", "--output-format", "github").out
    assert f",line={row},endLine={row + 2}::a.ipynb:cell 3:1:10: DLT201" in github
    log = json.loads(run(".", "--output-format", "sarif").out)
    (result,) = log["runs"][0]["results"]
    (location,) = result["locations"]
    region = location["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (row, column)
    assert location["logicalLocations"] == [{"name": "cell 3, line 1"}]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    line = lines[region["startLine"] - 1]
    start, end = region["startColumn"] - 1, region["endColumn"] - 1
    lines[region["startLine"] - 1] = line[:start] + line[end:]
    assert "\n".join(lines) == bad.read_text("utf-8").replace("shuffle=True, ", "")


def test_fix_changes_the_named_characters_alone(run: Run, bad: Path) -> None:
    before = bad.read_bytes()
    result = run(".", "--fix")
    assert (result.code, result.out) == (0, "Found 1 finding, fixed it.\n")
    assert bad.read_bytes() == before.replace(b"shuffle=True, ", b"")


def test_fix_keeps_any_layout(run: Run, written: Write) -> None:
    content = notebook([cell(IMPORTS), cell("é\n", "markdown"), cell(BOTH, split=False)])
    texts = [
        json.dumps(content, indent=indent, ensure_ascii=ascii_, sort_keys=sort) + end
        for indent in (None, 1, 4)
        for ascii_ in (True, False)
        for sort in (True, False)
        for end in ("", "\n")
    ]
    texts.append(texts[0].replace("\n", "\r\n"))
    texts.append("\ufeff" + texts[1])
    for number, text in enumerate(texts):
        Path(f"{number}.ipynb").write_bytes(text.encode())
    assert run(".", "--fix", "-q").code == 0
    for number, text in enumerate(texts):
        assert Path(f"{number}.ipynb").read_bytes() == text.replace("shuffle=True, ", "").encode()


def test_a_fix_may_change_several_cells(run: Run, written: Write) -> None:
    moves = "for batch in loader:\n    batch = batch.cuda()\n    model(batch).backward()"
    make = "loader = DataLoader(data, 64, num_workers=2)"
    text = written("from torch.utils.data import DataLoader", "import data", make, moves)
    Path("a.ipynb").write_text(text, "utf-8")
    assert run(".", "--fix", "--unsafe-fixes", "-q").code == 0
    expected = text.replace("num_workers=2", "num_workers=2, pin_memory=True")
    expected = expected.replace("cuda()", "cuda(non_blocking=True)")
    assert Path("a.ipynb").read_text("utf-8") == expected


def test_diff_is_one_of_the_file(run: Run, bad: Path, tmp_path: Path) -> None:
    result = run(".", "--diff")
    assert "+++ b/a.ipynb" in result.out
    expected = bad.read_bytes().replace(b"shuffle=True, ", b"")
    subprocess.run(["git", "apply", "-"], input=result.out.encode(), cwd=tmp_path, check=True)
    assert bad.read_bytes() == expected


def test_comments_suppress_in_cells(run: Run, written: Write) -> None:
    own = f"# dlint: ignore[{RULE}] on purpose\n{BOTH}"
    behind = BOTH.replace("DataLoader(", f"DataLoader(  # dlint: ignore[{RULE}]")
    for source in (own, behind, BOTH.replace("\n)", "\n)  # noqa: DLT201")):
        Path("a.ipynb").write_text(written(IMPORTS, source), "utf-8")
        assert run(".").code == 0
    unused = f"x = 1  # dlint: ignore[{RULE}]"
    before = written(IMPORTS, unused, "y = 2")
    Path("a.ipynb").write_text(before, "utf-8")
    (finding,) = run(".", "--output-format", "json").findings()
    assert (finding["name"], finding["cell"]) == ("unused-suppression", 2)
    assert run(".", "--fix", "-q").code == 0
    assert Path("a.ipynb").read_text("utf-8") == before.replace(unused, "x = 1")


def test_a_comment_for_the_whole_file(run: Run, written: Write) -> None:
    text = written(f"# dlint: file-ignore[{RULE}] a lesson", IMPORTS, BOTH, BOTH)
    Path("a.ipynb").write_text(text, "utf-8")
    assert run(".").code == 0


def test_comments_are_written_into_cells(run: Run, bad: Path) -> None:
    before = bad.read_text("utf-8")
    assert run(".", "--add-ignore=lesson").code == 0
    after = f"DataLoader(  # dlint: ignore[{RULE}] lesson"
    assert bad.read_text("utf-8") == before.replace("DataLoader(\\n", after + "\\n")
    assert run(".").code == 0


def test_a_broken_cell_loses_only_itself(run: Run, written: Write) -> None:
    text = written(IMPORTS, "def todo():\n    # your code", BOTH)
    Path("a.ipynb").write_text(text, "utf-8")
    result = run(".", "--output-format", "json")
    assert [(f["name"], f["cell"]) for f in result.findings()] == [(RULE, 3)]
    assert "a.ipynb: left out cell 2 (line 2: expected an indented block" in result.err
    assert run(".", "-q").err == ""


def test_what_is_no_notebook(run: Run, written: Write) -> None:
    Path("merge.ipynb").write_text("<<<<<<< HEAD\n" + written(BOTH))
    Path("other.ipynb").write_text("<<<<<<< HEAD\n")
    Path("old.ipynb").write_text(json.dumps({"worksheets": [BOTH], "nbformat": 3}))
    result = run(".", "--output-format", "json")
    assert [f["name"] for f in result.findings()] == ["unreadable-file"]
    assert result.findings()[0]["cell"] is None
    assert "old.ipynb: notebooks of format 3 are not read" in result.err
    for format_ in ("full", "concise", "github", "sarif"):
        assert run(".", "--output-format", format_).code == 1


def test_standard_input(run: Run, written: Write) -> None:
    raw = written(IMPORTS, BOTH).encode()
    result = run("-", "--stdin-filename", "b.ipynb", "--output-format", "json", stdin=raw)
    assert [(f["name"], f["cell"]) for f in result.findings()] == [(RULE, 2)]
    result = run("-", "--stdin-filename", "b.ipynb", "--fix", stdin=raw)
    assert result.out == raw.decode().replace("shuffle=True, ", "")


def test_modules_beside_a_notebook(run: Run, written: Write) -> None:
    """What a notebook does with modules is said of them where no script runs them."""
    Path("data.py").write_text(
        "from torch.utils.data import DataLoader, RandomSampler\n\n\n"
        "def make(data, **more):\n"
        "    return DataLoader(data, sampler=RandomSampler(data), **more)\n"
    )
    use = (
        "import data\nfrom torch.utils.data import DataLoader\nloader = data.make(x, shuffle=True)"
    )
    Path("a.ipynb").write_text(written(use, BOTH.replace("RandomSampler", "S")), "utf-8")
    for reported in ("data.py", "."):
        found = run(reported, "--output-format", "json").findings()
        assert [f["name"] for f in found if f["filename"].endswith(".py")] == [RULE]
    Path("main.py").write_text("import data\n\nprint(data.make([1]))\n")
    for reported in ("data.py", "."):
        found = run(reported, "--output-format", "json").findings()
        assert [f for f in found if f["filename"].endswith(".py")] == []


def test_the_cache_is_used_and_agrees(run: Run, bad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(".", "--output-format", "json").findings()

    def fail(*_: object) -> None:
        raise AssertionError("lowered again")

    monkeypatch.setattr("dlint.ir.lower.lower", fail)
    assert run(".", "--output-format", "json").findings() == first
    other = bad.read_text("utf-8").replace("stdout", "stderr")
    Path("copy.ipynb").write_text(other, "utf-8")
    assert len(run(".", "--output-format", "json").findings()) == 2


def test_spawned_workers_cannot_import_a_notebook(run: Run, written: Write) -> None:
    data = "class Data(Dataset):\n    def __getitem__(self, i): return i"
    use = "for x in DataLoader(Data(), num_workers=2{}): print(x)"
    text = written("from torch.utils.data import DataLoader, Dataset", data, use)
    select = ("--select", "unpicklable-worker-arguments,missing-main-guard")

    def found(more: str) -> list[tuple[str, str, int]]:
        Path("a.ipynb").write_text(text.replace("{}", more), "utf-8")
        result = run(".", "--output-format", "json", *select).findings()
        return [(f["name"], f["severity"], f["cell"]) for f in result]

    name = "unpicklable-worker-arguments"
    assert found("") == [(name, "info", 3)]
    assert found(", multiprocessing_context='spawn'") == [(name, "error", 3)]
    assert found(", multiprocessing_context='fork'") == [(name, "info", 3)]


@pytest.mark.parametrize(
    ("data", "made"),
    [
        ("def make(seed):\n    def start(i): print(i, seed)\n    return start", "make(1)"),
        ("make = lambda seed: seed\ndef start(i): print(i)", "start"),
    ],
)
def test_what_a_function_of_a_notebook_defines_is_refused_in_every_file(
    data: str, made: str, run: Run, written: Write
) -> None:
    """To move it into a file as it stands would not help."""
    use = f"for x in DataLoader([1], num_workers=2, worker_init_fn={made}): print(x)"
    text = written("from torch.utils.data import DataLoader", data, use)
    Path("a.ipynb").write_text(text, "utf-8")
    select = ("--select", "unpicklable-worker-arguments")
    (found,) = run(".", "--output-format", "json", *select).findings()
    is_nested = made != "start"
    assert found["severity"] == "info"
    assert ("in a function of a notebook" in found["message"]) == is_nested
    assert ("top level of a module that the notebook imports" in found["message"]) == is_nested
    assert ("put it in a `.py` file" in found["message"]) != is_nested


def test_so_is_a_class_that_a_function_of_a_notebook_defines(run: Run, written: Write) -> None:
    data = "def make():\n    class Data(Dataset):\n        def __getitem__(self, i): return i\n"
    data += "    return Data()"
    use = "for x in DataLoader(make(), num_workers=2): print(x)"
    text = written("from torch.utils.data import DataLoader, Dataset", data, use)
    Path("a.ipynb").write_text(text, "utf-8")
    select = ("--select", "unpicklable-worker-arguments")
    (found,) = run(".", "--output-format", "json", *select).findings()
    assert found["severity"] == "info"
    assert "the class `Data`, which is defined in a function of a notebook" in found["message"]
    assert "define the class at the top level of a module" in found["message"]


def test_a_module_with_the_same_code_is_not_a_notebook(run: Run) -> None:
    Path("data.py").write_text(
        "from torch.utils.data import Dataset\n"
        "class Data(Dataset):\n    def __getitem__(self, i): return i\n"
    )
    code = (
        "from data import Data\nfrom torch.utils.data import DataLoader\n"
        "loader = DataLoader(Data(), num_workers=2, multiprocessing_context='spawn')"
    )
    Path("a.ipynb").write_text(json.dumps(notebook([cell(code)])))
    assert run(".", "--select", "unpicklable-worker-arguments").code == 0


def test_a_problem_of_the_text_as_a_whole_is_told_at_its_first_character(
    run: Run, written: Write
) -> None:
    text = "if x:\n\tif y:\n          z()\n\f\nDataLoader(data)"
    Path("a.ipynb").write_text(written(text))
    result = run("a.ipynb")
    assert result.code == 1
    assert "a.ipynb:cell 1:1:1" in result.out
