"""The examples of a page: small projects that the tests run.

A group is a heading and the fenced files below it. `bad*.py` and `good*.py` are each a project,
together with the group's other files; a group without them is one project. `fixed*.py`, and
`fixed/<path>` for the other files, say what the fix of *bad* writes. A mark stands on its own
line above the line that a finding points at: `# warning: [rule-name]`, and may name the fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dlint.findings.regexes import lazily

_TOKEN = lazily(
    r'^(?P<hashes>#{2,3}) (?P<heading>[^\n]+)$|^```(?P<language>\w+) title="(?P<title>[^"]+)"\n'
    r"(?P<text>.*?)^```$",
    re.M | re.S,
)
_MARK = lazily(
    r"^[ \t]*# (?P<severity>error|warning|info): \[(?P<name>[\w-]+)\]"
    r"(?: (?P<fix>safe fix|unsafe fix|no fix))?\n",
    re.M,
)
_VARIANT = lazily(r"(bad|good|fixed)(?:\w*\.\w+$|/)")
_FIXED_FOLDER = "fixed/"


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A finding that an example must have."""

    path: str
    row: int
    severity: str
    name: str
    fix: str | None = None
    """`safe fix`, `unsafe fix`, `no fix`; None where the example does not say."""


@dataclass(frozen=True, slots=True)
class Example:
    """One small project, its findings and what fixing them leaves."""

    group: str
    title: str
    line: int
    """The line of the page, counted from 1, where the example begins."""
    files: Mapping[str, str]
    """Text by path, without marks."""
    marks: tuple[Mark, ...]
    fixed: Mapping[str, str] | None
    """All files after the fix; None where the page does not show it."""


@dataclass(slots=True)
class _File:
    title: str
    line: int
    text: str
    marks: tuple[Mark, ...]


@dataclass(slots=True)
class _Group:
    heading: str
    files: list[_File] = field(default_factory=list)


def examples(markdown: str) -> tuple[Example, ...]:
    """The examples of a page or of a file of further cases, in order."""
    return tuple(example for group in _groups(markdown) for example in _projects(group))


def _groups(markdown: str) -> Iterator[_Group]:
    group = _Group("")
    for token in _TOKEN.finditer(markdown):
        if token["heading"]:
            yield group
            group = _Group(token["heading"])
        else:
            line = markdown.count("\n", 0, token.start()) + 1
            group.files.append(_file(token["title"], line, token["text"]))
    yield group


def _file(title: str, line: int, text: str) -> _File:
    marks: list[Mark] = []
    while found := _MARK.search(text):
        row = text.count("\n", 0, found.start()) + 1
        marks.append(Mark(title, row, found["severity"], found["name"], found["fix"]))
        text = text[: found.start()] + text[found.end() :]
    return _File(title, line, text, tuple(marks))


def _projects(group: _Group) -> Iterator[Example]:
    by_kind: dict[str, list[_File]] = {"bad": [], "good": [], "fixed": [], "": []}
    for file in group.files:
        variant = _VARIANT.match(file.title)
        by_kind[variant[1] if variant else ""].append(file)
    after = {_original(f.title): f.text for f in by_kind["fixed"]}
    shared = by_kind[""]
    for bad in by_kind["bad"]:
        yield _example(group, [*shared, bad], after, marked=True)
    for good in by_kind["good"]:
        yield _example(group, [*shared, good], {}, marked=False)
    if shared and not by_kind["bad"] and not by_kind["good"]:
        yield _example(group, shared, after, marked=True)


def _original(title: str) -> str:
    """The file that `fixed.py` or `fixed/data.py` stands for."""
    if title.startswith(_FIXED_FOLDER):
        return title.removeprefix(_FIXED_FOLDER)
    return title.replace("fixed", "bad", 1)


def _example(group: _Group, files: list[_File], after: Mapping[str, str], marked: bool) -> Example:
    before = {f.title: f.text for f in files}
    changed = {title: text for title, text in after.items() if title in before}
    return Example(
        group=group.heading,
        title=files[-1].title,
        line=files[0].line,
        files=before,
        marks=tuple(sorted(m for f in files for m in f.marks)) if marked else (),
        fixed=before | changed if changed else None,
    )
