"""The rules' pages. Here is what every run needs; `page.py` reads the rest of a page.

`rules/<rule-name>.md` is the one home of a rule's code, summary, usual severity and prose.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Severity

if TYPE_CHECKING:
    from dlint.rule_docs.page import Page

FILE_RULES = ("syntax-error", "unreadable-file")
"""Asked about files that are no modules."""

COMMENT_RULES = ("unused-suppression", "unknown-suppression")
"""Asked about the comments of one file, when what they suppress is known."""

_FENCE = "---\n"
_MOST = 1024
"""Characters that hold the front matter of nearly every page."""


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


@cache
def summaries() -> Mapping[str, Summary]:
    """Every rule by its name, in the order of codes."""
    found = [_summary(path) for path in root().glob("*.md")]
    return MappingProxyType({s.name: s for s in sorted(found, key=lambda s: s.code)})


@cache
def by_code() -> Mapping[str, Summary]:
    """Every rule by its code."""
    return MappingProxyType({s.code: s for s in summaries().values()})


def resolve(name: str) -> Summary | None:
    """The rule with this name, code (in either case) or former name; None when there is none."""
    return _index().get(name.lower())


def close_to(name: str) -> list[str]:
    """Names and codes that a misspelt `name` may have meant, the nearest first."""
    from difflib import get_close_matches

    known = {key.lower(): key for s in summaries().values() for key in (s.name, s.code)}
    return [known[key] for key in get_close_matches(name.lower(), known, n=3)]


def load(name: str) -> Page:
    """The whole page of the rule `name`. Raises KeyError for an unknown name."""
    from dlint.rule_docs.page import parse

    if name not in summaries():
        raise KeyError(name)
    return parse(name, read(name))


def read(name: str) -> str:
    """The text of a page as it stands in its file."""
    return (root() / f"{name}.md").read_text("utf-8")


def split(text: str) -> tuple[str, str]:
    """Front matter and body of a page. Raises ValueError when the page opens without one."""
    opening, front, body = text.split(_FENCE, 2) if text.count(_FENCE) > 1 else ("?", "", "")
    if opening:
        raise ValueError("a page begins with front matter between two lines `---`")
    return front, body


@cache
def _index() -> Mapping[str, Summary]:
    index: dict[str, Summary] = {}
    for summary in summaries().values():
        for key in (*summary.aliases, summary.code, summary.name):
            index[key.lower()] = summary
    return index


def _summary(path: Path) -> Summary:
    facts = _facts(split(_head(path))[0])
    return Summary(
        name=path.stem,
        code=facts["code"],
        summary=facts["summary"],
        severity=Severity(facts["severity"]),
        fix=facts["fix"],
        aliases=tuple(_plain(a) for a in facts.get("aliases", "").strip("[]").split(",") if a),
        claim=facts["claim"],
        is_preview=facts.get("preview") == "true",
    )


def _head(path: Path) -> str:
    """The beginning of a page, with all of its front matter; every run reads that of all pages."""
    with path.open(encoding="utf-8") as page:
        head = page.read(_MOST)
        return head if head.count(_FENCE) > 1 else head + page.read()


def _facts(front: str) -> dict[str, str]:
    """The front matter's `key: value` lines; lists in blocks belong to the full reader."""
    pairs = (line.partition(":") for line in front.splitlines() if line[:1].isalpha())
    return {key: _plain(value) for key, _, value in pairs}


def _plain(value: str) -> str:
    """A YAML scalar on one line, as the pages write them: bare or in quotes without escapes."""
    value = value.strip()
    return value[1:-1] if value[:1] in {'"', "'"} else value
