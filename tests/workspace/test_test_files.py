"""Which files are tests."""

from __future__ import annotations

import pytest

from dlint.workspace.test_files import holds_no_test, is_test


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/a.py", True),
        ("/tests/a.py", True),
        ("pkg/test/a.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("tests.py", False),
        ("contests/a.py", False),
    ],
)
def test_is_test(path: str, expected: bool) -> None:
    assert is_test(path, lambda: False) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\nmodel = load()\nprint(model(x))", True),
        ("import argparse\ndef test(model, loader): ...\n", True),
        ("def test_net(net, loader): ...\nif __name__ == '__main__':\n    test_net(n, l)", True),
        ("class TestOptions(BaseOptions): ...\n", True),
        ("def test_shape():\n    assert f() == 1\n", False),
        ("def test_shape(model):\n    assert model(x) == 1\n", False),
        ("class TestNet:\n    def check(self): ...\n", False),
        ("import unittest\nif __name__ == '__main__':\n    unittest.main()", False),
        ("import pytest\nimport argparse\n", False),
    ],
)
def test_a_file_that_is_named_as_a_test_may_be_a_script(text: str, expected: bool) -> None:
    assert holds_no_test(text.encode()) is expected
    assert is_test("pkg/test_net.py", lambda: expected) is not expected


def test_what_lies_among_tests_or_configures_them_is_one() -> None:
    assert is_test("tests/run.py", lambda: True)
    assert is_test("conftest.py", lambda: True)
