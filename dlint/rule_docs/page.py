"""A whole page: its facts, checked; its prose by heading; its examples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field

from dlint.findings.diagnostic import Severity
from dlint.rule_docs import Category, Claim, FixKind, facts, split
from dlint.rule_docs.examples import Example, examples

CATEGORIES = get_args(Category)

MANDATORY = ("What it does", "Why it matters", "Examples", "References")
"""The headings of every page."""
HEADINGS = (
    "What it does",
    "Why it matters",
    "Examples",
    "Fix safety",
    "Known limitations",
    "When not to use it",
    "What `verify` measures",
    "References",
)
"""All headings, in the order in which a page has them; a page of a PyTorch rule has them all."""


class Meta(BaseModel):
    """The front matter of a page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str = Field(pattern=r"^[A-Z]{2,10}\d{1,5}$")
    summary: str = Field(min_length=1, max_length=80)
    category: Category
    severity: Severity
    """The usual one: a finding may be milder or graver, and its page says when."""
    fix: FixKind
    since: str = Field(pattern=r"^\d+\.\d+$")
    claim: Claim
    """What `verify` observes of it."""
    preview: bool = False
    """Whether it runs only with `--preview`, or where it is named."""
    torch: str = "all"
    """The torch versions that the rule holds for."""
    origin: str | None = Field(default=None, pattern=r"^R\d{2}[a-z]?$")
    """The entry of the catalogue of facts, see `docs/facts.md`."""
    aliases: tuple[str, ...] = ()
    """Former names and codes, which still select the rule."""
    related: tuple[str, ...] = ()
    url: str | None = Field(default=None, pattern=r"^https?://[!-~]+$")
    """Where a rule of another package is described on the web; dlint's have their address."""
    sources: tuple[str, ...] = ()
    """Links, and places in torch's source as `torch/...:line`."""


class Page(BaseModel):
    """One rule's page."""

    model_config = ConfigDict(frozen=True)

    name: str
    meta: Meta
    body: str
    """The Markdown below the front matter."""

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """The text below each `##` heading, in order."""
        sections: dict[str, list[str]] = {}
        lines: list[str] = []
        fenced = False
        for line in self.body.splitlines():
            fenced ^= line.startswith("```")
            if line.startswith("## ") and not fenced:
                lines = sections[line.removeprefix("## ")] = []
            else:
                lines.append(line)
        return {heading: "\n".join(text).strip("\n") for heading, text in sections.items()}

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The examples, in order."""
        return examples(self.body)


def parse(name: str, text: str) -> Page:
    """Read a page from its text. Raises ValueError (pydantic's too) for front matter that is wrong.

    Raises yaml.YAMLError for front matter that is not YAML.
    """
    front, body = split(text)
    return Page(name=name, meta=Meta.model_validate(_yaml(front)), body=body)


def salvaged(name: str, text: str) -> Page:
    """A page of another package, whose front matter may be wrong where no run looks at it."""
    try:
        return parse(name, text)
    except (ValueError, yaml.YAMLError):
        front, body = split(text)
        given = facts(front)
        meta = Meta.model_construct(
            code=given["code"],
            summary=given["summary"],
            severity=Severity(given["severity"]),
            fix=given["fix"],
            claim=given["claim"],
            category=given["category"] if given.get("category") in CATEGORIES else CATEGORIES[0],
            since=given.get("since", "?"),
        )
        return Page.model_construct(name=name, meta=meta, body=body)


def _yaml(text: str) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text, Loader=loader)
