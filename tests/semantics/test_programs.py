"""The independent programs of a project."""

from __future__ import annotations

import pytest

from dlint.semantics.names.imports import ImportMap
from dlint.semantics.names.mentions import mentions
from dlint.semantics.names.programs import Resolved, programs


def _parts(texts: dict[str, str]) -> list[str]:
    """The programs of some files, each as the names of its files."""
    bytes_of = {f"/p/{name}": text.encode() for name, text in texts.items()}
    python = [path for path in bytes_of if path.endswith(".py")]
    imports = ImportMap.of(python, lambda path: b"sys.path" in bytes_of[path])
    files = frozenset(bytes_of)
    found = programs(files, imports, lambda path: mentions(path, bytes_of[path])).of(
        sorted(files), files
    )
    return sorted(" ".join(sorted(path[3:] for path in part)) for _, part in found)


@pytest.mark.parametrize(
    "text",
    [
        "import b",
        "import os, b as c",
        "import os, \\\n    b",
        "def f():\n    if True: import b",
        "from b import x",
        "from b import (\n    x,\n    y,\n)",
        "from . import b",
        "from . import (  # all of\n    a, b\n)",
        "from .b import *",
        "import importlib\nm = importlib.import_module(name)",
        "exec(open(sys.argv[1]).read())",
        "subprocess.run(['python', 'b.py'])",
        "os.system('python ./b.py --x')",
    ],
)
def test_what_belongs_together(text: str) -> None:
    assert _parts({"a.py": text, "b.py": "x = 1"}) == ["a.py b.py"]
    assert _parts({"b.py": text.replace("b", "a"), "a.py": "x = 1"}) == ["a.py b.py"]


@pytest.mark.parametrize(
    "text",
    ["import torch", "from c import b", "b = 1", "x.b()", "from b_c import x", "# see b.pyc"],
)
def test_what_does_not(text: str) -> None:
    assert _parts({"a.py": text, "b.py": "x = 1"}) == ["a.py", "b.py"]


def test_what_imports_one_module_belongs_together() -> None:
    texts = {"a.py": "import data", "b.py": "import data", "data.py": "", "c.py": ""}
    assert _parts(texts) == ["a.py b.py data.py", "c.py"]


def test_packages_and_their_members() -> None:
    texts = {
        "run.py": "from lib.nets import resnet",
        "lib/__init__.py": "",
        "lib/nets/__init__.py": "",
        "lib/nets/resnet.py": "",
        "lib/unused.py": "",
    }
    joined = "lib/__init__.py lib/nets/__init__.py lib/nets/resnet.py run.py"
    assert _parts(texts) == [joined, "lib/unused.py"]


def test_folders_with_modules_of_the_same_names() -> None:
    texts = {f"{f}/{n}.py": t for f in "ab" for n, t in (("train", "import utils"), ("utils", ""))}
    assert _parts(texts) == ["a/train.py a/utils.py", "b/train.py b/utils.py"]


def test_settings_belong_to_the_code_around_them_and_to_what_they_name() -> None:
    texts = {
        "app/train.py": "",
        "app/configs/deep/a.yaml": "num_workers: 2",
        "lib/data.py": "",
        "other/main.py": "",
        "other/b.yaml": "_target_: lib.data.Pictures",
        "other/run.sh": "python ../third.py",
        "third.py": "",
    }
    assert _parts(texts) == [
        "app/configs/deep/a.yaml app/train.py",
        "lib/data.py other/b.yaml other/main.py other/run.sh third.py",
    ]


def test_settings_belong_to_classes_that_they_name() -> None:
    texts = {
        "fit.yaml": "class_path: Rows\ninit_args:\n  a: b.Pictures\n",
        "my/data.py": "class Rows(Data):\n    pass",
        "my/b.py": "class Pictures:\n    pass",
        "my/c.py": "class Other:\n    pass",
    }
    assert _parts(texts) == ["fit.yaml my/b.py my/data.py", "my/c.py"]


def test_a_path_means_the_nearest_of_several_files() -> None:
    texts = {
        "a/run.sh": "python train.py",
        "a/train.py": "",
        "b/train.py": "",
        "b/x.py": "base = ['../c/base.py']",
        "c/base.py": "",
    }
    assert _parts(texts) == ["a/run.sh a/train.py", "b/train.py", "b/x.py c/base.py"]


def test_of_classes_of_one_name_settings_name_the_nearest() -> None:
    texts = {
        "a/fit.yaml": "class_path: Rows",
        "a/data.py": "class Rows:\n    pass",
        "b/data.py": "class Rows(Data):\n    pass",
    }
    assert _parts(texts) == ["a/data.py a/fit.yaml", "b/data.py"]


def test_prose_about_a_class_defines_none() -> None:
    texts = {"fit.yaml": "a: for is", "a/b.py": "# a class for (\nclass C:\n    'its class is: x'"}
    assert _parts(texts) == ["a/b.py", "fit.yaml"]


def test_words_of_scripts_name_no_classes() -> None:
    texts = {"a/run.sh": "python -m fit --model Net", "b/net.py": "class Net:\n    pass"}
    assert _parts(texts) == ["a/run.sh", "b/net.py"]


def test_code_names_files_of_folders_around_it() -> None:
    texts = {
        "a/deep/x.py": "# see train.py, and lib/y.py",
        "a/train.py": "",
        "b/train.py": "",
        "c/lib/y.py": "",
        "lib/y.py": "",
        "b/z.py": "# see y.py",
    }
    joined = "a/deep/x.py a/train.py lib/y.py"
    assert _parts(texts) == [joined, "b/train.py", "b/z.py", "c/lib/y.py"]


def test_packaging_loads_no_more_than_a_version() -> None:
    texts = {"setup.py": "exec(open('v').read())", "a/x.py": "", "tools/run.py": "exec(x)"}
    assert _parts(texts) == ["a/x.py", "setup.py", "tools/run.py"]


def test_only_programs_that_are_asked_for() -> None:
    texts = {"/p/a.py": b"import b", "/p/b.py": b"", "/p/c.py": b"", "/p/d.py": b""}
    files = frozenset(texts)
    imports = ImportMap.of(files, lambda path: False)
    found = programs(files, imports, lambda path: mentions(path, texts[path]))
    parts = list(found.of(["/p/a.py", "/p/c.py"], frozenset({"/p/b.py", "/p/d.py"})))
    assert parts == [(["/p/a.py"], frozenset({"/p/a.py", "/p/b.py"}))]


def test_the_programs_around_some_files() -> None:
    texts = {"/p/a.py": b"import b", "/p/b.py": b"", "/p/c.py": b"", "/p/n.ipynb": b"import a"}
    files = frozenset(texts) - {"/p/n.ipynb"}
    imports = ImportMap.of(files, lambda path: False)
    found = programs(files, imports, lambda path: mentions(path, texts[path]))
    resolved = Resolved(files, imports, lambda path: mentions(path, texts[path]))
    assert found.around(resolved.by("/p/n.ipynb")) == {"/p/a.py", "/p/b.py"}
    assert found.around([]) == frozenset()


def test_names_in_any_script() -> None:
    assert _parts({"a.py": "from 单步.模型 import 网络", "单步/模型.py": "", "c.py": ""}) == [
        "a.py 单步/模型.py",
        "c.py",
    ]
