"""What is public: names, signatures and fields. A change of this list is one that users feel.

`UPDATE_API=1` writes it anew.
"""

from __future__ import annotations

import enum
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dlint
import dlint.own_rules
import dlint.testing

ROOT = Path(__file__).parent.parent.parent
LIST = ROOT / "tests" / "data" / "public_api.txt"
MEMBERS = {
    "AnalysisContext": "__getitem__ place_of values",
    "Loaders": "by_call denoted",
    "Loader": "place argument values given passes position loops is_made",
    "BatchLoop": "place body trains stops_early",
    "Bound": "get place alternatives values is_given may_be_given",
    "ConditionalValue": "truth is_spelled_out",
    "Literal": "value",
}
"""Of classes that the analysis itself uses: what of them is public, beside fields."""
FIELDS = {
    "BatchLoop": ("loaders", "is_single"),
    "Loader": ("call",),
    "Bound": (),
    "ConditionalValue": ("value",),
    "Literal": (),
}


def _described(module: ModuleType) -> Iterator[str]:
    for name in sorted(module.__all__):
        yield from _lines(f"{module.__name__}.{name}", name, getattr(module, name))


def _lines(path: str, name: str, value: object) -> Iterator[str]:
    if not inspect.isclass(value):
        yield f"{path}{_signature(value)}" if inspect.isfunction(value) else path
        return
    if issubclass(value, enum.Enum):
        yield f"{path}: {' '.join(f'{m.name}={m.value!r}' for m in value)}"
        return
    if issubclass(value, Exception):
        yield f"{path}({value.__base__.__name__})" if value.__base__ else path
        return
    if name not in MEMBERS:
        yield f"{path}{_signature(value)}"
    else:
        yield path
        yield from (f"{path}.{field}" for field in sorted(FIELDS.get(name, ())))
    for member in sorted(_members(name, value)):
        found = inspect.getattr_static(value, member)
        yield f"{path}.{member}{_signature(found) if inspect.isfunction(found) else ''}"


def _members(name: str, cls: type) -> Iterator[str]:
    if name in MEMBERS:
        yield from MEMBERS[name].split()
        return
    for member, value in vars(cls).items():
        if not member.startswith("_") and inspect.isfunction(value):
            yield member


def _signature(value: object) -> str:
    assert callable(value)
    text = str(inspect.signature(value))
    return re.sub(r"ForwardRef\('([^']*)'[^)]*\)", r"'\1'", text.replace("<factory>", "..."))


def test_names_and_signatures_are_the_listed_ones() -> None:
    modules = (dlint, dlint.own_rules, dlint.testing)
    text = "".join(f"{line}\n" for module in modules for line in _described(module))
    if os.environ.get("UPDATE_API"):
        LIST.write_text(text, "utf-8")
    assert text == LIST.read_text("utf-8")


def test_every_listed_member_is_there() -> None:
    for name, members in MEMBERS.items():
        cls = getattr(dlint.own_rules, name)
        fields = {f for one in cls.__mro__ for f in getattr(one, "__annotations__", {})}
        for member in members.split():
            assert hasattr(cls, member) or member in fields, f"{name}.{member}"


@pytest.mark.parametrize(
    ("page", "module"),
    [("api.md", dlint), ("own-rules.md", dlint.own_rules), ("own-rules.md", dlint.testing)],
)
def test_the_pages_name_all_that_is_public(page: str, module: ModuleType) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    missing = [n for n in module.__all__ if not re.search(rf"`{n}\b", text) and n != "__version__"]
    assert missing == []


def test_the_package_has_the_names_of_its_api() -> None:
    api = sys.modules["dlint.api"]
    assert set(dlint.__all__) == {"__version__", *api.__all__}
    assert set(dlint.__all__) <= set(dir(dlint))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dlint.nothing


def test_importing_the_package_imports_nothing_of_it() -> None:
    code = "import sys, dlint; print(sorted(n for n in sys.modules if n.startswith('dlint')))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "['dlint']"
