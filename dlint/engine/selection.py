"""Which rules run, and which of their findings are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.rule_docs import FILE_RULES
from dlint.workspace.errors import UsageError

_T = TypeVar("_T")
_ALL = "ALL"
_EXACT = 100
_NEVER_DROPPED = frozenset(FILE_RULES)
"""Rules that `--select` for others leaves in: what could not be read was not checked."""


class Layer(NamedTuple):
    """The selectors of one origin (a configuration file, the command line)."""

    select: Sequence[str] | None = None
    extend_select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    origin: str = "the command line"
    preview: bool | None = None
    """Whether rules in preview run too; None where the origin says nothing of it."""


class Selection(NamedTuple):
    """The rules that run on a file."""

    rules: frozenset[str]
    chosen: frozenset[str]
    """Those named one by one or by ALL: their findings of severity info are shown too."""

    def shows(self, diagnostic: Diagnostic) -> bool:
        """Whether a finding belongs in the report."""
        if diagnostic.name not in self.rules:
            return False
        return diagnostic.severity is not Severity.INFO or diagnostic.name in self.chosen


def select(layers: Iterable[Layer]) -> Selection:
    """Apply the layers in order; one with `select` starts over.

    Within a layer the more specific selector wins, and of two alike the one that ignores. A rule
    in preview runs where the last layer that speaks of preview wants it, or where it is named.
    Raises UsageError for a selector that names no rule.
    """
    rules = set(rule_docs.summaries())
    chosen: set[str] = set()
    named: set[str] = set()
    preview = False
    for layer in layers:
        if layer.select is not None:
            rules, chosen = set(_NEVER_DROPPED), set()
        preview = preview if layer.preview is None else layer.preview
        wanted = [_selector(s, layer) for s in [*(layer.select or ()), *layer.extend_select]]
        unwanted = [_selector(s, layer) for s in layer.ignore]
        steps = [(s.rank, False, s) for s in wanted] + [(s.rank, True, s) for s in unwanted]
        for _, ignores, selector in sorted(steps, key=lambda step: step[:2]):
            rules = rules - selector.rules if ignores else rules | selector.rules
        chosen = chosen.union(*(s.rules for s in wanted if s.rank in {0, _EXACT}))
        named = named.union(*(s.rules for s in wanted if s.rank == _EXACT))
    if not preview:
        rules -= _in_preview() - named
    return Selection(frozenset(rules), frozenset(chosen & rules))


def _in_preview() -> set[str]:
    return {summary.name for summary in rule_docs.summaries().values() if summary.is_preview}


def rules_of(selectors: Iterable[str], origin: str) -> frozenset[str]:
    """All rules that any of the selectors means. Raises UsageError."""
    found = (_selector(text, Layer(origin=origin)).rules for text in selectors)
    return frozenset().union(*found)


def values_of(given: Iterable[tuple[str, _T]], origin: str) -> dict[str, _T]:
    """What rules are given by selectors: the more specific one wins, of two alike the last.

    Raises UsageError.
    """
    steps = [(_selector(text, Layer(origin=origin)), value) for text, value in given]
    steps.sort(key=lambda step: step[0].rank)
    return {name: value for selector, value in steps for name in selector.rules}


class _Selector:
    def __init__(self, rank: int, rules: frozenset[str]) -> None:
        self.rank = rank
        """How specific it is: 0 for ALL, the length of a prefix, the highest for one rule."""
        self.rules = rules


def _selector(text: str, layer: Layer) -> _Selector:
    summaries = rule_docs.summaries()
    if text.upper() == _ALL:
        return _Selector(0, frozenset(summaries))
    if (rule := rule_docs.resolve(text)) is not None:
        return _Selector(_EXACT, frozenset({rule.name}))
    meant = frozenset(s.name for s in rule_docs.with_prefix(text))
    if not meant:
        raise UsageError(_unknown(text, layer.origin))
    return _Selector(len(text), meant)


def _unknown(text: str, origin: str) -> str:
    from dlint.findings.words import either

    guesses = rule_docs.close_to(text)[:2]
    hint = f"did you mean {either(guesses)}?" if guesses else "`dlint rule` lists all rules"
    return f"unknown rule `{text}` in {origin}: {hint}"
