"""Which attributes nothing defines."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dlint.analyses.control.absent_attributes import absent_attribute
from dlint.ir import expressions as ex
from dlint.ir import walk
from tests.analyses.control.programs import MakeProgram

CLASS = "class A:\n    def run(self):\n        self.rows = 1\n"
HELPER = {"helper.py": "def run(): ...\n"}
LACKING = {
    "of a class": {"main.py": f"{CLASS}A.gone()\n"},
    "of a name for a class": {"main.py": f"{CLASS}a = A\na.gone\n"},
    "of an object": {"main.py": f"{CLASS}A().gone()\n"},
    "of an imported class": {"main.py": "from a import A\na = A()\na.gone\n", "a.py": CLASS},
    "of what a class derives from": {"main.py": f"{CLASS}class B(A): ...\nB().gone\n"},
    "of a module": {"main.py": "import helper\nhelper.gone()\n", **HELPER},
    "of a module by another name": {"main.py": "import helper as h\nh.gone()\n", **HELPER},
    "in a function": {"main.py": "import helper\ndef f():\n    helper.gone()\n", **HELPER},
    "of a part of a package": {
        "main.py": "from pkg import helper\nhelper.gone()\n",
        "pkg/__init__.py": "",
        "pkg/helper.py": "",
    },
}
HELD = {
    "a method": {"main.py": f"{CLASS.replace('run', 'gone')}A().gone\n"},
    "written by the class": {"main.py": f"{CLASS.replace('rows', 'gone')}A().gone\n"},
    "written from outside": {"main.py": f"{CLASS}def fill(x):\n    x.gone = 1\nA().gone\n"},
    "written elsewhere": {"main.py": f"{CLASS}A.gone\n", "b.py": "import main\nmain.A.gone = 1\n"},
    "written by its name": {"main.py": f"{CLASS}setattr(A, name, 1)\nA.gone\n"},
    "answered for": {"main.py": f"{CLASS}    def __getattr__(self, name): ...\nA().gone\n"},
    "of a library's class": {"main.py": "import lib\nclass A(lib.B): ...\nA().gone\n"},
    "of a decorated class": {"main.py": f"@fill\n{CLASS}A().gone\n"},
    "of a metaclass": {"main.py": CLASS.replace("A", "A(metaclass=B)") + "A.gone\n"},
    "of all classes": {"main.py": f"{CLASS}A.gone()\n".replace("gone", "mro")},
    "of a subclass perhaps": {"main.py": "class A:\n    def run(self):\n        self.gone()\n"},
    "of a parameter": {"main.py": f"{CLASS}def f(x):\n    x.gone()\nf(A())\n"},
    "of what is not known": {"main.py": "import lib\nlib.gone()\n"},
    "held by the module": {"main.py": "import helper\nhelper.gone()\n", "helper.py": "gone = 1\n"},
    "a module of the package": {
        "main.py": "import pkg\npkg.gone\n",
        "pkg/__init__.py": "",
        "pkg/gone.py": "",
    },
    "all of another": {
        "main.py": "import helper\nhelper.gone()\n",
        "helper.py": "from x import *\n",
    },
    "one of two modules": {
        "main.py": "try:\n    import helper\nexcept ImportError:\n    import other as helper\n"
        "helper.gone\n",
        **HELPER,
    },
}


def _is_absent(context: MakeProgram, files: Mapping[str, str]) -> bool:
    analysed = context(files)
    module = next(f.module for f in analysed.modules if f.module.path.endswith("main.py"))
    found = [
        absent_attribute(analysed, scope, part)
        for scope in module.scopes
        for part in walk.parts(scope.body)
        if isinstance(part, ex.Attribute) and part.name in ("gone", "mro")
    ]
    assert found
    return found[-1] is not None


@pytest.mark.parametrize("files", LACKING.values(), ids=LACKING)
def test_an_attribute_that_nothing_defines(context: MakeProgram, files: Mapping[str, str]) -> None:
    assert _is_absent(context, files)


@pytest.mark.parametrize("files", HELD.values(), ids=HELD)
def test_an_attribute_that_may_be_there(context: MakeProgram, files: Mapping[str, str]) -> None:
    assert not _is_absent(context, files)
