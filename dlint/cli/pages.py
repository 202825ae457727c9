"""Pages for people: on a terminal, as Markdown, as JSON data; and the table of all rules."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.findings.regexes import lazily
from dlint.reports.palette import Palette
from dlint.rule_docs import Summary

if TYPE_CHECKING:
    from dlint.rule_docs.page import Page

_COLUMNS = ("Code", "Name", "Severity", "Fix", "Summary")
_LINK = lazily(r"\[(?P<text>[^\]]+)\]\((?P<target>[^)]+)\)")
_FENCE = lazily(r'^```\w*(?: title="(?P<title>[^"]+)")?$')
_WIDTH = 88


def text(page: Page, colour: bool) -> str:
    """A page for a terminal: its facts first, headings bold, code indented."""
    palette = Palette(colour)
    lines = [palette.strong(f"{page.name} ({page.meta.code})"), page.meta.summary, ""]
    width = max(map(len, (label for label, _ in _facts(page))))
    lines += [f"  {label:<{width}}  {value}" for label, value in _facts(page)]
    body = page.body.removeprefix(f"\n# {page.name}\n")
    return "\n".join([*lines, *_prose(body.rstrip("\n").splitlines(), palette)]) + "\n"


def markdown(page: Page) -> str:
    """A page as Markdown that needs no reader of front matter."""
    title = f"# {page.name}\n"
    facts = " · ".join(f"{label}: {value}" for label, value in _facts(page))
    body = page.body.removeprefix(f"\n{title}")
    return f"{title}\n{page.meta.summary}\n\n`{page.meta.code}` · {facts}\n{body}"


def data(page: Page) -> dict[str, object]:
    """A page's facts, and its Markdown, as JSON takes them."""
    facts = page.meta.model_dump(mode="json")
    return {
        "name": page.name,
        **facts,
        "url": rule_docs.url(page.name),
        "package": _package(page),
        "markdown": page.body.lstrip("\n"),
    }


def summary_data(summary: Summary) -> dict[str, object]:
    """What a list of rules says of one, as JSON takes it."""
    return {
        "name": summary.name,
        "code": summary.code,
        "summary": summary.summary,
        "severity": summary.severity.value,
        "fix": summary.fix,
        "aliases": list(summary.aliases),
        "package": summary.package,
        "preview": summary.is_preview,
    }


def text_table(summaries: Iterable[Summary]) -> str:
    """One line a rule, in columns."""
    rows = [tuple(c.lower() for c in _COLUMNS), *map(_row, summaries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS) - 1)]
    return "".join(_aligned(row, widths) for row in rows)


def markdown_table(summaries: Iterable[Summary], folder: str | None = None) -> str:
    """One row a rule; with the folder of the pages, its name leads to its page there."""
    rule = "| " + " | ".join("---" for _ in _COLUMNS) + " |\n"
    rows = ["| " + " | ".join(_row(s, folder)) + " |\n" for s in summaries]
    return "| " + " | ".join(_COLUMNS) + " |\n" + rule + "".join(rows)


def _row(summary: Summary, folder: str | None = None) -> tuple[str, ...]:
    told = f"{summary.summary} (preview)" if summary.is_preview else summary.summary
    name = summary.name if folder is None else f"[{summary.name}]({folder}{summary.name}.md)"
    return summary.code, name, summary.severity.value, summary.fix, told


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [f"{cell:<{width}}" for cell, width in zip(row[:-1], widths, strict=True)]
    return "  ".join([*cells, row[-1]]) + "\n"


def _facts(page: Page) -> Iterator[tuple[str, str]]:
    meta = page.meta
    yield "category", meta.category
    yield "severity", meta.severity.value
    yield "fix", meta.fix
    yield "since", meta.since
    if meta.preview:
        yield "status", "preview: runs with --preview, or where it is named"
    if meta.category != "tooling":
        yield "torch", meta.torch
    address = rule_docs.url(page.name)
    if address is not None:
        yield "page", address
    package = _package(page)
    if package is not None:
        yield "package", package
    for label, names in (("formerly", meta.aliases), ("related", meta.related)):
        if names:
            yield label, ", ".join(names)


def _package(page: Page) -> str | None:
    summary = rule_docs.summaries().get(page.name)
    return None if summary is None else summary.package


def _prose(lines: Iterable[str], palette: Palette) -> Iterator[str]:
    fenced = False
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if fence:
            fenced = not fenced
            if fence["title"]:
                yield palette.frame(f"  {fence['title']}")
        elif fenced:
            yield f"    {line}".rstrip()
        elif line.startswith("#"):
            yield palette.strong(line.lstrip("# "))
        else:
            yield _wrapped(_LINK.sub(_spelled, line))


def _wrapped(line: str) -> str:
    """A paragraph or list item in lines that read well; rows of tables stay whole."""
    if line.startswith("|"):
        return line
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _spelled(link: re.Match[str]) -> str:
    """A link as words: its address only where it is one that a terminal can open."""
    external = link["target"].startswith("http")
    return f"{link['text']} ({link['target']})" if external else link["text"]
