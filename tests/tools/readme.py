"""Measure the README's example anew, and take the picture of its report.

It needs Chromium, and some minutes in which the machine has little else to do.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dlint.workspace.errors import UsageError

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
IMAGES = ROOT / "docs" / "images"
MEASURED = re.compile(
    r"(?<=^```console\n)\$ dlint (?P<arguments>verify .*)\n(?P<told>(?:.*\n)*?)(?=^```$)", re.M
)
"""The command of the README that measures, and what it told."""
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WIDTH, _HEIGHT = 1000, 850


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--picture-only", action="store_true", help="of the report there is, and measure nothing"
    )


def run(namespace: argparse.Namespace) -> int:
    """Write the README's block, the report and its picture. Raises UsageError."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise UsageError(f"there is no browser: install one of {', '.join(_BROWSERS)}")
    if not namespace.picture_only:
        _measure()
    _take(browser, IMAGES / "report.html", IMAGES / "report.png")
    return 0


def _measure() -> None:
    """Run the command as the README prints it, beside a copy of the examples."""
    text = README.read_text("utf-8")
    block = MEASURED.search(text)
    if block is None:
        raise UsageError(f"{README} measures nothing")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "docs" / "examples", Path(folder, "docs", "examples"))
        command = [sys.executable, "-m", "dlint", *shlex.split(block["arguments"]), "--no-save"]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        IMAGES.mkdir(exist_ok=True)
        shutil.copy(Path(folder, "report.html"), IMAGES / "report.html")
    told = f"$ dlint {block['arguments']}\n{done.stdout}"
    README.write_text(text[: block.start()] + told + text[block.end() :], "utf-8")


def _take(browser: str, page: Path, picture: Path) -> None:
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    size = f"--window-size={_WIDTH},{_HEIGHT}"
    subprocess.run(
        [browser, *flags, size, f"--screenshot={picture}", page.resolve().as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
