"""Which files a script imports, and which import it, by their texts."""

from __future__ import annotations

from dlint.project.closure import ImportGraph
from dlint.project.imports import ImportMap

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
