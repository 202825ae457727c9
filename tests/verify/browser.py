"""Opens a page in Chromium (of PySide6) and prints as JSON what came of it.

QT_QPA_PLATFORM=offscreen python browser.py PAGE WIDTH [SCREENSHOT]
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineCore import (
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineUrlRequestInterceptor,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

_LOOK = """
JSON.stringify({
  svgs: [...document.querySelectorAll('svg')].map(s => {
    const box = s.getBBox(), view = s.viewBox.baseVal;
    return {
      width: s.clientWidth, height: s.clientHeight,
      inside: box.x >= -1 && box.y >= -1 && box.x + box.width <= view.width + 1
        && box.y + box.height <= view.height + 1,
    };
  }),
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  words: document.body.innerText,
})
"""


class Requests(QWebEngineUrlRequestInterceptor):
    """Notes what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def interceptRequest(self, info) -> None:  # noqa: N802
        """One request."""
        self.urls.append(info.requestUrl().toString())


class Page(QWebEnginePage):
    """Notes what is written to the console."""

    def javaScriptConsoleMessage(self, level, message, line, source) -> None:  # noqa: N802
        """One message."""
        console.append(message)


console: list[str] = []
application = QApplication(sys.argv)
profile, requests = QWebEngineProfile(), Requests()
profile.setUrlRequestInterceptor(requests)
view = QWebEngineView()
page = Page(profile, view)
view.setPage(page)
view.resize(int(sys.argv[2]), 2400)


def told(found: str) -> None:
    """Print everything."""
    if len(sys.argv) > 3:
        view.grab().save(sys.argv[3])
    print(json.dumps({**json.loads(found), "requests": requests.urls, "console": console}))
    application.quit()


def loaded(fine: bool) -> None:
    """The page is there; wait until it is painted."""
    assert fine
    QTimer.singleShot(300, lambda: page.runJavaScript(_LOOK, told))


page.loadFinished.connect(loaded)
page.load(QUrl.fromLocalFile(str(Path(sys.argv[1]).resolve())))
view.show()
QTimer.singleShot(30_000, application.quit)
application.exec()
sys.stdout.flush()
os._exit(0)  # what Qt takes down in another order than it wants is not our concern
