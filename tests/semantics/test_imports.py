from __future__ import annotations

import pytest

from dlint.semantics.names.imports import ImportMap
from dlint.workspace.scan import CHANGES_PATH

FILES = (
    "/p/train.py",
    "/p/data.py",
    "/p/pkg/__init__.py",
    "/p/pkg/data.py",
    "/p/pkg/sub/engine.py",
    "/p/src/lib/__init__.py",
    "/p/src/lib/loaders.py",
    "/p/examples/a/train.py",
    "/p/examples/a/utils.py",
    "/p/examples/b/utils.py",
    "/p/space/part/model.py",
    "/p/examples/hydra/train.py",
    "/p/transformers/__init__.py",
    "/p/utils/__init__.py",
    "/p/utils/utils.py",
    "/p/utils/engine.py",
    "/p/one/src/diffusers/__init__.py",
    "/p/one/scripts/run.py",
    "/p/one/datasets.py",
    "/p/one/fit.py",
    "/p/one/common.py",
    "/p/one/only.py",
    "/p/two/math.py",
    "/p/two/fit.py",
    "/p/two/common.py",
    "/p/three/fit.py",
    "/p/three/changes.py",
)
CASES = {
    "beside the script": (("/p/train.py", "data", 0), "/p/data.py"),
    "package": (("/p/train.py", "pkg", 0), "/p/pkg/__init__.py"),
    "module of a package": (("/p/train.py", "pkg.data", 0), "/p/pkg/data.py"),
    "folder without __init__": (("/p/train.py", "pkg.sub.engine", 0), "/p/pkg/sub/engine.py"),
    "src layout": (("/p/train.py", "lib.loaders", 0), "/p/src/lib/loaders.py"),
    "namespace package": (("/p/train.py", "space.part", 0), "/p/space/part"),
    "the nearest of two": (("/p/examples/a/train.py", "utils", 0), "/p/examples/a/utils.py"),
    "relative": (("/p/pkg/__init__.py", "data", 1), "/p/pkg/data.py"),
    "relative, one up": (("/p/pkg/sub/engine.py", "data", 2), "/p/pkg/data.py"),
    "the package itself": (("/p/pkg/data.py", "", 1), "/p/pkg/__init__.py"),
    "inside a package, from outside": (("/p/train.py", "loaders", 0), None),
    "a folder named as a library": (("/p/examples/hydra/train.py", "hydra", 0), None),
    "a package named as a library": (
        ("/p/train.py", "transformers", 0),
        "/p/transformers/__init__.py",
    ),
    "a package, where a module in it has its name": (
        ("/p/utils/engine.py", "utils", 0),
        "/p/utils/__init__.py",
    ),
    "that module": (("/p/utils/engine.py", "utils.utils", 0), "/p/utils/utils.py"),
    "a library's name in another project": (("/p/two/fit.py", "datasets", 0), None),
    "in the own one": (("/p/one/fit.py", "datasets", 0), "/p/one/datasets.py"),
    "installed from a folder of sources": (
        ("/p/one/scripts/run.py", "diffusers", 0),
        "/p/one/src/diffusers/__init__.py",
    ),
    "not for another project": (("/p/two/fit.py", "diffusers", 0), None),
    "a module of Python": (("/p/one/fit.py", "math", 0), None),
    "one of its name beside the script": (("/p/two/fit.py", "math", 0), "/p/two/math.py"),
    "one of several beside the own folder": (("/p/three/fit.py", "common", 0), None),
    "the only one": (("/p/three/fit.py", "only", 0), "/p/one/only.py"),
    "a library": (("/p/train.py", "torch.utils.data", 0), None),
}


@pytest.mark.parametrize(("asked", "expected"), CASES.values(), ids=CASES)
def test_resolve(asked: tuple[str, str, int], expected: str | None) -> None:
    assert ImportMap.of(FILES, lambda importer: False).resolve(*asked) == expected


def test_a_script_that_changes_its_path_finds_modules_inside_packages() -> None:
    imports = ImportMap.of(FILES, lambda importer: importer == "/p/train.py")
    assert imports.resolve("/p/train.py", "loaders") == "/p/src/lib/loaders.py"
    assert imports.resolve("/p/data.py", "loaders") is None


def test_a_path_that_is_changed_holds_copies_of_libraries_but_none_of_python() -> None:
    imports = ImportMap.of(FILES, lambda importer: importer == "/p/three/changes.py")
    assert imports.resolve("/p/three/changes.py", "datasets") == "/p/one/datasets.py"
    assert imports.resolve("/p/three/changes.py", "math") is None


def test_member_is_a_module_or_a_folder() -> None:
    imports = ImportMap.of(FILES, lambda importer: False)
    assert imports.member("/p/pkg/__init__.py", "data") == "/p/pkg/data.py"
    assert imports.member("/p/pkg/__init__.py", "sub") == "/p/pkg/sub"
    assert imports.member("/p/pkg/__init__.py", "nothing") is None


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (b"import sys\nsys.path.append('core')\n", True),
        (b"import os, sys as s\nprint()\ns.path.insert(0, 'core')\n", True),
        (b"from sys import argv, path as where\nwhere.append('core')\n", True),
        (b"from sys import (\n    argv,\n    path,\n)\n", True),
        (b"from sys import argv\nfrom os import path\n", False),
        (b"import sys as s\nimport os\nos.path.join(s.argv[0])\n", False),
        (b"import sys\nsys.exit()\n", False),
    ],
)
def test_what_may_change_the_path(text: bytes, changes: bool) -> None:
    assert (CHANGES_PATH.search(text) is not None) == changes
