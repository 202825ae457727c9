"""Gathers the site's pages where they live: `docs/`, `rules/`, and the top level.

Links are written for the repository, where people read the same files; here they are turned to
where a page stands on the site. One that leads nowhere ends a strict build.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from dlint import rule_docs
from dlint.findings.links import SITE
from dlint.rule_docs.families import FAMILIES, members

ROOT = Path(__file__).resolve().parents[2]
_FROM_THE_TOP = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}
_NOT_SHOWN = ("docs/site/", "docs/mkdocs.yml", "docs/measurements/")
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.M | re.S)
_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
_NESTED = re.compile(r"^( {2})(?=- )", re.M)
_REDIRECT = (
    '<!doctype html><meta charset="utf-8"><title>{name}</title>'
    '<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">{name}</a>\n'
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address, and a page in the navigation for each rule."""
    config.site_url = SITE
    sections: list[Any] = config.nav or []
    (rules,) = (section["Rules"] for section in sections if "Rules" in section)
    for digit, title in FAMILIES.items():
        rules.append({title: [{s.name: f"rules/{s.name}.md"} for s in members(digit)]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, beside the style sheet."""
    for source, target in _shown().items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    for target, text in _redirects():
        files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page with its links turned, and with the facts of its rule."""
    target = page.file.src_uri
    (source,) = (s for s, t in _shown().items() if t == target)
    parts, end = [], 0
    for fence in _FENCED.finditer(markdown):
        parts += [_turned(markdown[end : fence.start()], source, target), fence[0]]
        end = fence.end()
    text = "".join([*parts, _turned(markdown[end:], source, target)])
    is_rule = source.startswith("rules/")
    return _with_facts(text, Path(source).stem) if is_rule else text


def _redirects() -> Iterator[tuple[str, str]]:
    """Pages at the addresses of former names: an address that was given out stays good."""
    for summary in rule_docs.summaries().values():
        for former in summary.aliases:
            text = _REDIRECT.format(name=summary.name, url=f"../{summary.name}/")
            yield f"rules/{former}/index.html", text


@cache
def _shown() -> Mapping[str, str]:
    """Files of the repository by their path, and where they stand on the site."""
    found = dict(_FROM_THE_TOP)
    for folder in ("docs", "rules"):
        for path in sorted((ROOT / folder).rglob("*")):
            source = path.relative_to(ROOT).as_posix()
            is_kept = not any(part.startswith((".", "__")) for part in path.parts)
            is_kept &= source == "docs/measurements/README.md" or not source.startswith(_NOT_SHOWN)
            if path.is_file() and is_kept:
                found[source] = source.removeprefix("docs/").replace("README.md", "index.md")
    return found


def _turned(text: str, source: str, target: str) -> str:
    """Prose whose links lead from one page of the site to another."""
    shown = _shown()

    def turned(link: re.Match[str]) -> str:
        if "://" in link[2]:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        wanted = next((shown[p] for p in _meant(path) if p in shown), None)
        if wanted is None:
            return link[0]  # the strict build tells
        relative = posixpath.relpath(wanted, posixpath.dirname(target) or ".")
        return f"{link[1]}{relative}{link[3] or ''})"

    return _LINK.sub(turned, _NESTED.sub("    ", text))


def _meant(path: str) -> Iterator[str]:
    yield from (path, f"{path}/README.md")
    if path == "rules":
        yield "docs/rules.md"


def _with_facts(text: str, name: str) -> str:
    meta = rule_docs.load(name).meta
    fix = "no fix" if meta.fix == "none" else f"{meta.fix} fix"
    facts = [f"**{meta.code}**", meta.severity.value, fix, meta.category, f"since {meta.since}"]
    if meta.preview:
        facts.append("preview: it runs with `--preview`, or where it is named")
    related = ", ".join(f"[{other}]({other}.md)" for other in meta.related)
    told = " · ".join([*facts, f"related: {related}"] if related else facts)
    title = f"# {name}\n"
    body = text.strip("\n").removeprefix(title)
    summary = f"{meta.summary[:1].upper()}{meta.summary[1:]}."
    return f"{title}\n{summary}\n\n{told}\n{{: .facts }}\n{body}\n"
