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


def opened(page: Path, width: int) -> Any:
    """What the browser says of a page in a window of this width."""
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
        [_PYTHON, str(_BROWSER), str(page), str(width)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1100, 400])
def test_the_page_in_a_browser(tmp_path: Path, width: int) -> None:
    page = tmp_path / "report.html"
    page.write_text(html.render(outcome()), "utf-8")
    seen = opened(page, width)
    assert seen["console"] == []
    assert seen["requests"] == [page.resolve().as_uri()]
    assert len(seen["svgs"]) == 3
    assert all(svg["width"] > 200 and svg["height"] > 60 for svg in seen["svgs"])
    assert all(svg["inside"] for svg in seen["svgs"])
    assert seen["overflow"] <= 0
    assert "confirmed" in seen["words"]
    assert "alert(1)" in seen["words"]
