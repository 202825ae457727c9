"""Real mistakes in other words: each is said unless it is known to be missed; twins are silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wild.variants import Variant, outcome, variants

VARIANTS = list(variants())


@pytest.mark.parametrize("variant", [pytest.param(v, id=str(v)) for v in VARIANTS])
def test_mistake_is_said_and_twin_is_silent(variant: Variant, tmp_path: Path) -> None:
    found = outcome(variant, tmp_path)
    assert found.twin == []
    assert found.is_said != variant.is_known_miss, f"instead: {found.instead}; `--write` renews"


def test_lines_are_those_of_one_program() -> None:
    text = "@@ a.py\nboth()\n-    wrong()\n+    right()\n@@ b/c.py\n+only = 1\n"
    variant = Variant(frozenset({"rule"}), "000", "info", "title", False, text, Path("rule.txt"))
    assert variant.files(twin=False) == {"a.py": "both()\n    wrong()\n", "b/c.py": "\n"}
    assert variant.files(twin=True) == {"a.py": "both()\n    right()\n", "b/c.py": "only = 1\n"}


def test_each_variant_marks_where_it_is_said() -> None:
    for variant in VARIANTS:
        assert "# !" in "\n".join(variant.files(twin=False).values()), variant
        assert variant.files(twin=False) != variant.files(twin=True), variant


def test_a_variant_is_named_once() -> None:
    assert len({str(variant) for variant in VARIANTS}) == len(VARIANTS)
