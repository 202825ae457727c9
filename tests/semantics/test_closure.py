"""Which files a script imports, and which import it, by their texts."""

from __future__ import annotations

import ast

import pytest

from dlint.semantics.names.import_graph import ImportGraph
from dlint.semantics.names.imports import ImportMap
from dlint.workspace import written_imports

FILES = {
    "/r/train.py": b"from pkg import data\nimport unknown\n",
    "/r/pkg/__init__.py": b"",
    "/r/pkg/data.py": b"def read():\n    try:\n        from .deep.graphs import capture\n"
    b"    except ImportError:\n        pass\n",
    "/r/pkg/deep/__init__.py": b"",
    "/r/pkg/deep/graphs.py": b"import torch\n",
    "/r/pkg/alone.py": b"# graphs\nfrom . import other\n",
    "/r/broken.py": b"import pkg.data graphs\n",
}


def _graph(read: list[str]) -> ImportGraph:
    def text(path: str) -> bytes:
        read.append(path)
        return FILES[path]

    return ImportGraph(ImportMap.of(FILES, lambda importer: False), text)


def test_a_script_may_import_files_through_others() -> None:
    assert _graph([]).closed("/r/train.py") == {
        "/r/train.py",
        "/r/pkg/__init__.py",
        "/r/pkg/data.py",
        "/r/pkg/deep/graphs.py",
    }


def test_importers_lead_back_to_every_script() -> None:
    importers = _graph([]).importers(["/r/pkg/deep/graphs.py"])
    assert importers == {"/r/pkg/deep/graphs.py", "/r/pkg/data.py", "/r/train.py"}


def test_a_relative_import_names_its_package() -> None:
    assert "/r/pkg/alone.py" in _graph([]).importers(["/r/pkg/__init__.py"])


def test_without_wanted_files_nothing_is_read() -> None:
    read: list[str] = []
    assert _graph(read).importers([]) == set()
    assert not read


def test_each_file_is_parsed_once() -> None:
    read: list[str] = []
    graph = _graph(read)
    assert graph.closed("/r/train.py") == graph.closed("/r/train.py")
    assert len(read) == len(set(read))


def test_importers_are_found_without_reading_every_file_for_each_target() -> None:
    read: list[str] = []
    files = {f"/r/m{i}.py": f"import m{i - 1}\n".encode() for i in range(200)}

    def text(path: str) -> bytes:
        read.append(path)
        return files[path]

    graph = ImportGraph(ImportMap.of(files, lambda importer: False), text)
    assert graph.importers(["/r/m0.py"]) == set(files)
    assert len(read) <= 3 * len(files)


def test_what_no_import_can_name_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    parse = written_imports.parsed

    def counted(text: bytes) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(written_imports, "parsed", counted)
    _graph([]).importers(["/r/pkg/__init__.py"])
    assert FILES["/r/pkg/deep/graphs.py"] not in parsed
    assert FILES["/r/pkg/data.py"] not in parsed


@pytest.mark.parametrize(
    "line",
    [
        "from . import a",
        "from .import a",
        "from \\\n . import a",
        "import pkg",
        "from pkg import a",
    ],
)
def test_how_an_import_names_a_package(line: str) -> None:
    files = {"/r/pkg/__init__.py": b"", "/r/pkg/user.py": line.encode()}
    graph = ImportGraph(ImportMap.of(files, lambda importer: False), files.__getitem__)
    assert "/r/pkg/user.py" in graph.importers(["/r/pkg/__init__.py"])


def test_what_cannot_import_a_module_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    written_imports._all_and_top.cache_clear()
    graph = _graph([])
    assert graph.imports("/r/pkg/data.py", "/r/pkg/deep/graphs.py")
    monkeypatch.setattr(written_imports, "parsed", lambda _: pytest.fail("parsed"))
    assert not graph.imports("/r/pkg/alone.py", "/r/pkg/deep/graphs.py")
    assert not graph.imports("/r/train.py", "/r/pkg/deep/graphs.py")


@pytest.mark.parametrize(
    ("importer", "text", "is_asked"),
    [
        ("/r/b/fit.py", b"import model", False),  # its own
        ("/r/a/run.py", b"import model", True),
        ("/r/c/run.py", b"from a import model", True),
        ("/r/c/run.py", b"import a.model", True),
        ("/r/c/d/run.py", b"from ...a import model", True),
        ("/r/c/run.py", b"from b import model", False),
        ("/r/c/run.py", b"import fit", False),
    ],
)
def test_only_files_whose_imports_may_come_to_a_module_are_parsed(
    importer: str, text: bytes, is_asked: bool
) -> None:
    files = {"/r/a/model.py": b"", "/r/b/model.py": b""} | {importer: text}
    graph = ImportGraph(ImportMap.of(files, lambda path: False), files.__getitem__)
    assert graph.may_import(importer, "/r/a/model.py") is is_asked
    assert ("/r/a/model.py" in graph.targets(importer)) is is_asked
