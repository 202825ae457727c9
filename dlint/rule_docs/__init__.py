"""The rules' pages. Here is what every run needs; `page.py` reads the rest of a page.

`rules/<rule-name>.md` is the one home of a rule's code, summary, usual severity and prose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from dlint.findings.diagnostic import Severity
from dlint.findings.links import rule_page
from dlint.rule_docs import own
from dlint.rule_docs.own import OwnPage

if TYPE_CHECKING:
    from dlint.rule_docs.page import Page

Category = Literal["correctness", "throughput", "memory", "determinism", "tooling"]
Claim = Literal[
    "throughput", "startup", "memory", "order", "exception", "duplicates", "strategy", "none"
]
FixKind = Literal["safe", "unsafe", "none"]

FILE_RULES = ("syntax-error", "unreadable-file")
"""Asked about files that are no modules."""

COMMENT_RULES = ("unused-suppression", "unknown-suppression")
"""Asked about the comments of one file, when what they suppress is known."""

_FENCE = "---\n"
_PAGE = ".md"
_MOST = 1024
"""Bytes that hold the front matter of nearly every page."""


class Summary(NamedTuple):
    """What a run must know of a rule. `severity` is the usual one; a finding may differ."""

    name: str
    code: str
    summary: str
    severity: Severity
    fix: str
    """`safe`, `unsafe` or `none`: the best fix that this rule offers."""
    aliases: tuple[str, ...]
    """Former names and codes."""
    claim: str
    """What `verify` observes of it."""
    is_preview: bool = False
    """Whether it runs only where it is asked for: nobody has judged yet what it says."""
    package: str | None = None
    """The distribution that brings it; None of dlint's own rules."""
    torch: str = "all"
    """The versions of torch in which its findings hold."""
    own_url: str | None = None
    """Where a rule of another package is described, if its page says so."""

    @property
    def is_about_speed(self) -> bool:
        """Whether its findings are to be measured: no page can promise what they bring."""
        return self.claim in ("throughput", "startup")


@cache
def root() -> Path:
    """The folder of the pages: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    packaged = package / "rule_pages"
    return packaged if packaged.is_dir() else package.parent / "rules"


class Catalogue(NamedTuple):
    """All rules: dlint's own, and those of packages that are installed beside it."""

    summaries: Mapping[str, Summary]
    own_pages: Mapping[str, OwnPage]
    """The pages of rules that other packages bring, by the names of the rules."""
    problems: tuple[str, ...]
    """Rules of other packages that are not used, and why."""


@cache
def catalogue() -> Catalogue:
    """What there is, read once."""
    found = sorted(map(_summary, _pages(str(root()))), key=lambda s: s.code)
    keys = {key: summary for summary in found for key in _keys(summary)}
    pages, problems = own.installed()
    used: dict[str, OwnPage] = {}
    refused = list(problems)
    for page in pages:
        try:
            summary = _own_summary(page, keys)
        except (OSError, ValueError) as error:
            refused.append(f"the rule `{page.name}` of `{page.package}` is not used: {error}")
            continue
        keys.update(dict.fromkeys(_keys(summary), summary))
        used[page.name] = page
        found.append(summary)
    ordered = MappingProxyType({s.name: s for s in found})
    return Catalogue(ordered, MappingProxyType(used), tuple(refused))


def _pages(folder: str) -> list[str]:
    return [f"{folder}{os.sep}{name}" for name in os.listdir(folder) if name.endswith(_PAGE)]  # noqa: PTH208


def summaries() -> Mapping[str, Summary]:
    """Every rule by its name: dlint's in the order of codes, then those of other packages."""
    return catalogue().summaries


def url(name: str) -> str | None:
    """The address of a rule's page on the web; None where another package gives none."""
    summary = summaries().get(name)
    is_foreign = summary is not None and summary.package is not None
    return summary.own_url if summary is not None and is_foreign else rule_page(name)


@cache
def by_code() -> Mapping[str, Summary]:
    """Every rule by its code."""
    return MappingProxyType({s.code: s for s in summaries().values()})


def resolve(name: str) -> Summary | None:
    """The rule with this name, code (in either case) or former name; None when there is none."""
    return index().get(name.lower())


def with_prefix(prefix: str) -> list[Summary]:
    """The rules whose codes begin like this, in either case; none for an empty beginning."""
    start = prefix.upper()
    return [s for s in summaries().values() if start and s.code.startswith(start)]


def close_to(name: str) -> list[str]:
    """Names and codes that a misspelt `name` may have meant, the nearest first."""
    from difflib import get_close_matches

    known = {key.lower(): key for s in summaries().values() for key in (s.name, s.code)}
    return [known[key] for key in get_close_matches(name.lower(), known, n=3)]


def load(name: str) -> Page:
    """The whole page of the rule `name`. Raises KeyError for an unknown name."""
    from dlint.rule_docs.page import parse, salvaged

    summary = summaries()[name]
    return (parse if summary.package is None else salvaged)(name, read(name))


def read(name: str) -> str:
    """The text of a page as it stands in its file."""
    page = catalogue().own_pages.get(name)
    return (root() / f"{name}.md" if page is None else page.path).read_text("utf-8")


def split(text: str) -> tuple[str, str]:
    """Front matter and body of a page. Raises ValueError when the page opens without one."""
    opening, front, body = text.split(_FENCE, 2) if text.count(_FENCE) > 1 else ("?", "", "")
    if opening:
        raise ValueError("a page begins with front matter between two lines `---`")
    return front, body


@cache
def index() -> Mapping[str, Summary]:
    """Every rule by all that names it, in small letters."""
    found: dict[str, Summary] = {}
    for summary in summaries().values():
        found.update(dict.fromkeys(_keys(summary), summary))
    return found


def _keys(summary: Summary) -> Iterator[str]:
    """All by which a rule is named."""
    return (key.lower() for key in (*summary.aliases, summary.code, summary.name))


def _own_summary(page: OwnPage, taken: Mapping[str, Summary]) -> Summary:
    """What a page of another package says. Raises ValueError for what cannot be used."""
    try:
        path = str(page.path)
        given = facts(split(_head(path))[0])
        summary = _summary(path)._replace(package=page.package, own_url=given.get("url"))
    except KeyError as error:
        raise ValueError(f"{page.path} lacks the key {error}") from error
    if not re.fullmatch(own.CODE, summary.code):
        raise ValueError(f"its code {summary.code} is not letters other than DLT and then digits")
    for value, known in ((summary.claim, get_args(Claim)), (summary.fix, get_args(FixKind))):
        if value not in known:
            raise ValueError(f"{page.path}: {value} is none of {', '.join(known)}")
    for key in _keys(summary):
        if key in taken:
            other = taken[key]
            of = "dlint" if other.package is None else f"`{other.package}`"
            raise ValueError(f"`{key}` names `{other.name}` ({other.code}) of {of} already")
    return summary


def _summary(path: str) -> Summary:
    given = facts(split(_head(path))[0])
    return Summary(
        name=path.rpartition(os.sep)[2].removesuffix(_PAGE),
        code=given["code"],
        summary=given["summary"],
        severity=Severity(given["severity"]),
        fix=given["fix"],
        aliases=tuple(_plain(a) for a in given.get("aliases", "").strip("[]").split(",") if a),
        claim=given["claim"],
        is_preview=given.get("preview") == "true",
        torch=given.get("torch", "all"),
    )


def _head(path: str) -> str:
    """The beginning of a page, with all of its front matter; every run reads that of all pages."""
    head = own.beginning(path, _MOST).decode("utf-8", "ignore").replace("\r\n", "\n")
    return head if head.count(_FENCE) > 1 else Path(path).read_text("utf-8")


def facts(front: str) -> dict[str, str]:
    """The front matter's `key: value` lines; lists in blocks belong to the full reader."""
    pairs = (line.partition(":") for line in front.splitlines() if line[:1].isalpha())
    return {key: _plain(value) for key, _, value in pairs}


def _plain(value: str) -> str:
    """A YAML scalar on one line, as the pages write them: bare or in quotes without escapes."""
    value = value.strip()
    return value[1:-1] if value[:1] in {'"', "'"} else value
