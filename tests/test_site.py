"""The documentation as a site: it builds without a warning, and fetches nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import posixpath
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

from dlint import rule_docs
from dlint.findings.links import SITE, rule_page
from tests.verify.test_browser import opened

pytest.importorskip("material", reason="the site needs mkdocs-material: the extra `docs`")

ROOT = Path(__file__).parent.parent
SETTINGS = ROOT / "docs" / "mkdocs.yml"


class _Page(HTMLParser):
    """What a page loads, where its links lead, and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(given["href"])
        elif "src" in given:
            self.loaded.append(given["src"])


def _pages(site: Path) -> dict[str, _Page]:
    """The pages by their path below the site."""
    return {
        path.relative_to(site).as_posix(): _Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


def _dead(site: Path, pages: dict[str, _Page]) -> Iterator[tuple[str, str]]:
    """Links within the site that lead to no file, or to no heading."""
    for name, page in pages.items():
        for link in (*page.links, *page.loaded):
            if "://" in link or link.startswith("mailto:") or name == "404.html":
                continue
            path, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path)))
            target = name if not path else target
            found = site / target
            if found.is_dir():
                target, found = posixpath.normpath(f"{target}/index.html"), found / "index.html"
            if not found.is_file() or (anchor and unquote(anchor) not in pages[target].anchors):
                yield name, link


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as a strict build makes it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", SETTINGS]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "-d", folder], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_the_site(site: Path) -> None:
    pages = _pages(site)
    for name in rule_docs.summaries():
        assert f"{rule_page(name).removeprefix(SITE)}index.html" in pages
    assert [(n, u) for n, page in pages.items() for u in page.loaded if "//" in u] == []
    assert list(_dead(site, pages)) == []
    assert not [path for path in site.rglob("*.css") if "url(http" in path.read_text("utf-8")]
    searched = json.loads((site / "search/search_index.json").read_text("utf-8"))
    assert "rules/zero-workers/" in {entry["location"] for entry in searched["docs"]}


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize(
    "name", ["index.html", "rules/index.html", "rules/zero-workers/index.html"]
)
def test_pages_in_a_browser(site: Path, name: str, width: int) -> None:
    seen = opened(site / name, width)
    assert seen["overflow"] <= 0
    assert seen["requests"]
    assert [url for url in seen["requests"] if not url.startswith((site.as_uri(), "data:"))] == []


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    """The module that gathers the pages."""
    spec = importlib.util.spec_from_file_location("site_hook", ROOT / "docs/site/hook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "link", "turned"),
    [
        (
            "docs/ci.md",
            "[a](../rules/zero-workers.md#examples)",
            "(rules/zero-workers.md#examples)",
        ),
        ("docs/ci.md", "[a](../rules)", "(rules.md)"),
        ("rules/zero-workers.md", "[a](../docs/worth.md)", "(../worth.md)"),
        ("rules/zero-workers.md", "[a](missing-pin-memory.md)", "(missing-pin-memory.md)"),
        ("README.md", "[a](docs/examples)", "(examples/index.md)"),
        ("README.md", "[a](docs/ci.md#pre-commit)", "(ci.md#pre-commit)"),
        ("README.md", "[a](https://pytorch.org/x.md)", "(https://pytorch.org/x.md)"),
    ],
)
def test_links_of_the_repository_lead_to_pages(
    hook: ModuleType, source: str, link: str, turned: str
) -> None:
    assert hook._turned(link, source, hook._shown()[source]) == f"[a]{turned}"


def test_the_address_of_a_former_name_leads_to_the_rule(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = rule_docs.summaries()["zero-workers"]._replace(aliases=("no-workers",))
    monkeypatch.setattr(hook.rule_docs, "summaries", lambda: {"zero-workers": summary})
    ((target, text),) = hook._redirects()
    assert target == "rules/no-workers/index.html"
    assert 'url=../zero-workers/"' in text


def test_the_site_shows_documents_and_no_settings(hook: ModuleType) -> None:
    shown = hook._shown()
    assert shown["README.md"] == "index.md"
    assert shown["docs/rules.md"] == "rules.md"
    others = (source for source in shown if not source.startswith("docs/ci/"))
    assert not [source for source in others if source.endswith((".yml", ".css", ".jsonl", ".pyc"))]
