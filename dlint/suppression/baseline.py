"""Findings that a project has accepted as they were: only those that come anew are shown.

They are known by rule, file and code, so they stay what they are when lines come and go.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.suppression.flagged_code import FlaggedCode
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources

VERSION = 1
_MOST_SHOWN = 100
"""Characters of the code that stand in the file for those who read it."""


class Entry(NamedTuple):
    """What findings that are alike have in common."""

    file: str
    """Relative to the baseline's folder, with slashes."""
    rule: str
    fingerprint: str


class Baseline(NamedTuple):
    """The accepted findings of a project, as one file keeps them."""

    path: Path
    counts: Mapping[Entry, int]
    code: Mapping[Entry, str]
    """How the code looked, for those who read the file."""

    def entry(self, diagnostic: Diagnostic, code: FlaggedCode) -> Entry:
        """By what a finding is known."""
        file = _relative(diagnostic.place.path, self.path.parent)
        return Entry(file, diagnostic.name, code.fingerprint(diagnostic.place))

    def unknown(self, found: Iterable[Diagnostic], sources: Sources) -> list[Diagnostic]:
        """The findings that are not in it: of several alike those behind the accepted ones."""
        code, left = FlaggedCode(sources), Counter(self.counts)
        rules = {entry.rule for entry in self.counts}
        unknown = []
        for diagnostic in found:
            entry = self.entry(diagnostic, code) if diagnostic.name in rules else None
            if entry is not None and left[entry] > 0:
                left[entry] -= 1
            else:
                unknown.append(diagnostic)
        return unknown

    def without_fixed(
        self, found: Iterable[Diagnostic], judged: Callable[[Entry], bool], sources: Sources
    ) -> Baseline:
        """What of it is still found; an entry that was not judged stays as it is."""
        code = FlaggedCode(sources)
        there = Counter(self.entry(diagnostic, code) for diagnostic in found)
        counts = {
            entry: min(count, there[entry]) if judged(entry) else count
            for entry, count in self.counts.items()
        }
        return self._replace(counts={entry: count for entry, count in counts.items() if count})

    def with_found(self, found: Iterable[Diagnostic], sources: Sources) -> Baseline:
        """With these findings, as many as there are of each, besides what it holds."""
        code, texts = FlaggedCode(sources), dict(self.code)
        there: Counter[Entry] = Counter()
        for diagnostic in found:
            entry = self.entry(diagnostic, code)
            there[entry] += 1
            texts[entry] = " ".join(code.text(diagnostic.place).split())[:_MOST_SHOWN]
        return self._replace(counts=Counter(self.counts) | there, code=texts)

    def lacks(self, other: Baseline) -> Counter[Entry]:
        """What another one holds besides."""
        return Counter(other.counts) - Counter(self.counts)

    def text(self) -> str:
        """The content of its file."""
        files: dict[str, list[dict[str, object]]] = {}
        for entry in sorted(self.counts):
            files.setdefault(entry.file, []).append(
                {
                    "rule": entry.rule,
                    "code": self.code.get(entry, ""),
                    "fingerprint": entry.fingerprint,
                    "count": self.counts[entry],
                }
            )
        return json.dumps({"version": VERSION, "files": files}, indent=2) + "\n"


def _relative(path: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(path).as_posix()


def parse(path: Path, text: str) -> Baseline:
    """The baseline in the text of a file. Raises UsageError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no baseline: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("files"), dict):
        raise UsageError(f"{path} is no baseline: it has no `files`")
    if document.get("version") != VERSION:
        raise UsageError(f"{path} is a baseline of another version of dlint: make it anew")
    counts: Counter[Entry] = Counter()
    code: dict[Entry, str] = {}
    for file, entries in document["files"].items():
        for raw in entries if isinstance(entries, list) else [None]:
            entry, count, shown = _entry(path, file, raw)
            counts[entry] += count
            code[entry] = shown
    return Baseline(path, counts, code)


def _entry(path: Path, file: str, raw: object) -> tuple[Entry, int, str]:
    """One entry, under the present name of its rule."""
    match raw:
        case {"rule": str(rule), "fingerprint": str(fingerprint), **rest}:
            summary = rule_docs.resolve(rule)
            entry = Entry(file, rule if summary is None else summary.name, fingerprint)
            count = rest.get("count")
            return entry, count if isinstance(count, int) else 1, str(rest.get("code", ""))
    raise UsageError(f"{path} is no baseline: an entry of `{file}` lacks a rule or a fingerprint")
