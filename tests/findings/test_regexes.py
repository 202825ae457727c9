import importlib
import pkgutil
import re

import pytest

import dlint
from dlint.findings import regexes
from dlint.findings.regexes import lazily


def test_a_pattern_is_compiled_at_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    real = re.compile

    def compile_(*given: object) -> object:
        compiled.append(given[0])
        return real(*given)  # type: ignore[call-overload]

    monkeypatch.setattr(re, "compile", compile_)
    name = lazily("(^|_)rank", re.I)
    assert compiled == []
    assert name.search("local_RANK") is not None
    assert compiled == ["(^|_)rank"]


def test_every_pattern_compiles() -> None:
    """What is compiled late would fail late."""
    for module in pkgutil.walk_packages(dlint.__path__, "dlint."):
        if module.name.startswith(("dlint.verify", "dlint.server")) or "__main__" in module.name:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if type(value) is regexes._Lazy:
                assert value.pattern is not None
