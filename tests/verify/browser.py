"""Opens a page in Chromium (of PySide6) and prints as JSON what came of it.

QT_QPA_PLATFORM=offscreen python browser.py PAGE WIDTH light|dark [SCREENSHOT]

The page is printed, too: `printed` is the text of the sheets.
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtPdf import QPdfDocument
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
  paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  labels: [...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fill),
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
scheme = {"dark": 0, "light": 1}[sys.argv[3]]
flags = f"{os.environ.get('QTWEBENGINE_CHROMIUM_FLAGS', '')} "
flags += f"--blink-settings=preferredColorScheme={scheme}"  # the desktop's is not heard offscreen
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = flags
application = QApplication(sys.argv)
profile, requests = QWebEngineProfile(), Requests()
profile.setUrlRequestInterceptor(requests)
view = QWebEngineView()
page = Page(profile, view)
view.setPage(page)
view.resize(int(sys.argv[2]), 2400)


def told(found: str) -> None:
    """Keep what was seen, and print the page."""
    if len(sys.argv) > 4:
        view.grab().save(sys.argv[4])
    seen.update(json.loads(found), requests=requests.urls, console=console)
    page.printToPdf(sheets)


def printed(path: str, done: bool) -> None:
    """Tell everything."""
    document = QPdfDocument()
    document.load(path)
    pages = range(document.pageCount())
    texts = [document.getAllText(number).text() for number in pages] if done else []
    print(json.dumps({**seen, "printed": "\n".join(texts)}))
    application.quit()


def loaded(fine: bool) -> None:
    """The page is there; wait until it is painted."""
    assert fine
    QTimer.singleShot(300, lambda: page.runJavaScript(_LOOK, told))


seen: dict[str, object] = {}
sheets = str(Path(tempfile.mkdtemp()) / "page.pdf")
page.pdfPrintingFinished.connect(printed)
page.loadFinished.connect(loaded)
page.load(QUrl.fromLocalFile(str(Path(sys.argv[1]).resolve())))
view.show()
QTimer.singleShot(30_000, application.quit)
application.exec()
sys.stdout.flush()
os._exit(0)  # what Qt takes down in another order than it wants is not our concern
