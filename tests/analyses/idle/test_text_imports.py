"""Which modules may be imported by a text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.text_imports import TextImports
from tests.analyses.control.programs import MakeProgram

MODULE = "from other import create\nclass Model: ...\n"
LOADED = (
    "import importlib\ndef load(path):\n"
    "    spec = importlib.util.spec_from_file_location('', path)\n"
    "    module = importlib.util.module_from_spec(spec)\n"
    "    spec.loader.exec_module(module)\n    return module\n"
)
IMPORTED = "import importlib\ndef load(name):\n    return importlib.import_module(name)\n"
CONFIG = "from loading import load\nconfig = load(path).config\n"
NAMED = "import importlib\ndef f(name):\n    m = importlib.import_module(name)\n    {}\n"

NO = {
    "nothing imports": {},
    "a name that it does not define": {"loading.py": LOADED, "main.py": CONFIG},
    "the same by import_module": {"loading.py": IMPORTED, "main.py": CONFIG},
    "a name that it only imports": {
        "loading.py": IMPORTED,
        "main.py": "import loading\nloading.load(path).create()\n",
    },
    "at once": {"main.py": "import importlib\nx = importlib.import_module(name).config\n"},
    "by a variable": {"main.py": NAMED.format("return m.config")},
    "another text by a name": {
        "main.py": NAMED.format("n = f'models.{name}'; importlib.import_module(n)").replace(
            "m = importlib.import_module(name)", "pass"
        )
    },
    "another text": {"main.py": "import importlib\nimportlib.import_module(f'models.{name}')\n"},
}
MAY = {
    "its name": {"main.py": "import importlib\nimportlib.import_module('pkg.left')\n"},
    "its name by a name of a text": {
        "main.py": "import importlib\ndef f(name):\n    n = f'pkg.{name}'\n"
        "    return importlib.import_module(n).config\n"
    },
    "a name that it defines": {
        "loading.py": LOADED,
        "main.py": "from loading import load\nModel = load(path).Model\n",
    },
    "a name by a text": {"main.py": NAMED.format("return getattr(m, name)")},
    "the module itself": {"main.py": NAMED.format("step(m)")},
    "a function that is handed on": {
        "loading.py": LOADED,
        "main.py": "from loading import load\nmodules = map(load, paths)\n",
    },
    "a variable of a module": {"main.py": "import importlib\nm = importlib.import_module(name)\n"},
    "what it leaves behind": {"main.py": "import importlib\nimportlib.import_module(name)\n"},
    "the first part alone": {"main.py": "def f(name):\n    return __import__(name).config\n"},
}


def _may(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> bool:
    made = context({"pkg/left.py": MODULE, **files})
    return made[TextImports].may_take(str(folder / "pkg/left.py"))


@pytest.mark.parametrize("files", NO.values(), ids=NO)
def test_what_is_imported_is_another(
    files: Mapping[str, str], context: MakeProgram, tmp_path: Path
) -> None:
    assert not _may(context, tmp_path, files)


@pytest.mark.parametrize("files", MAY.values(), ids=MAY)
def test_it_may_be_this_module(
    files: Mapping[str, str], context: MakeProgram, tmp_path: Path
) -> None:
    assert _may(context, tmp_path, files)
