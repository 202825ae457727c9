"""The page in a headless browser: Chromium, where a Python with PySide6 is at hand.

`DLINT_BROWSER_PYTHON` names that Python; it need not be the one of the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dlint.verify.report import html
from tests.verify.test_report import outcome

_BROWSER = Path(__file__).parent / "browser.py"
_PYTHON = os.environ.get("DLINT_BROWSER_PYTHON", sys.executable)


def opened(page: Path, width: int, scheme: str = "light") -> Any:
    """What the browser says of a page in a window of this width, in light or dark colours."""
    there = subprocess.run(
        [_PYTHON, "-c", "import PySide6.QtWebEngineWidgets"], capture_output=True, check=False
    )
    if there.returncode:
        pytest.skip("no browser: DLINT_BROWSER_PYTHON names no Python with PySide6")
    environment = {
        "QT_QPA_PLATFORM": "offscreen",
        "QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu",
        **os.environ,
    }
    done = subprocess.run(
        [_PYTHON, str(_BROWSER), str(page), str(width), scheme],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 400])
def test_the_page_in_a_browser(tmp_path: Path, width: int, scheme: str) -> None:
    page = tmp_path / "report.html"
    made = outcome()
    made.results[0].diff = "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-before()\n+behind()\n"
    page.write_text(html.render(made), "utf-8")
    seen = opened(page, width, scheme)
    assert seen["console"] == []
    assert seen["requests"] == [page.resolve().as_uri()]
    assert len(seen["svgs"]) == 3
    assert all(svg["width"] > 200 and svg["height"] > 60 for svg in seen["svgs"])
    assert all(svg["inside"] for svg in seen["svgs"])
    assert seen["overflow"] <= 0
    assert "confirmed" in seen["words"]
    assert "alert(1)" in seen["words"]
    colours = [seen["paper"], seen["ink"]]
    assert colours == (["rgb(22, 22, 22)", DARK] if scheme == "dark" else [LIGHT, INK])
    assert set(seen["labels"]) == {seen["ink"]}, "words in pictures are read in either"
    assert "+behind()" not in seen["words"], "it is opened where one wants to see it"
    for told in ("confirmed", "1.99x", "-before()", "+behind()"):
        assert told in seen["printed"], "on paper nobody opens anything"


LIGHT, INK, DARK = "rgb(255, 255, 255)", "rgb(26, 26, 26)", "rgb(238, 238, 238)"
