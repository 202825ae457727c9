"""Selecting rules by code, prefix, name and ALL."""

from __future__ import annotations

import pytest

from dlint import rule_docs
from dlint.engine.selection import Layer, rules_of, select
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.places import Place
from dlint.workspace.errors import UsageError

ALWAYS = {"syntax-error", "unreadable-file"}
PIN, EPOCH, SAMPLER = "missing-pin-memory", "missing-set-epoch", "shuffle-with-sampler"
TWO = {name for name, rule in rule_docs.summaries().items() if rule.code.startswith("DLT2")}


def _finding(name: str, severity: Severity) -> Diagnostic:
    code = rule_docs.summaries()[name].code
    return Diagnostic(code, name, severity, "", Place("/a.py", 0, 1))


def test_every_rule_runs_by_default_that_is_not_in_preview() -> None:
    summaries = rule_docs.summaries()
    assert select([Layer()]).rules == {n for n, s in summaries.items() if not s.is_preview}
    assert select([Layer(preview=True)]).rules == set(summaries)


@pytest.fixture
def preview(monkeypatch: pytest.MonkeyPatch) -> str:
    """A rule that is in preview."""
    summaries = dict(rule_docs.summaries())
    summaries[EPOCH] = summaries[EPOCH]._replace(is_preview=True)
    monkeypatch.setattr(rule_docs, "summaries", lambda: summaries)
    return EPOCH


@pytest.mark.parametrize("selectors", [None, ["ALL"], ["DLT2"]])
def test_a_rule_in_preview_waits_to_be_asked_for(preview: str, selectors: list[str] | None) -> None:
    assert preview not in select([Layer(selectors)]).rules
    assert preview in select([Layer(selectors, preview=True)]).rules
    assert preview in select([Layer(preview=True), Layer(selectors)]).rules
    assert preview not in select([Layer(preview=True), Layer(selectors, preview=False)]).rules


def test_to_name_a_rule_is_to_ask_for_it(preview: str) -> None:
    assert preview in select([Layer([preview])]).rules
    assert preview in select([Layer(extend_select=["DLT202"])]).rules
    assert preview not in select([Layer([preview], ignore=[preview])]).rules


@pytest.mark.parametrize("selector", ["DLT101", "dlt101", PIN])
def test_select_one_rule(selector: str) -> None:
    assert select([Layer([selector])]).rules == {PIN, *ALWAYS}


def test_select_by_prefix() -> None:
    assert select([Layer(["DLT2"], preview=True)]).rules == {*TWO, *ALWAYS}
    assert select([Layer(["DLT"], preview=True)]).rules == set(rule_docs.summaries())


def test_what_could_not_be_read_is_told_unless_ignored_by_name() -> None:
    assert select([Layer([PIN])]).rules >= ALWAYS
    assert "syntax-error" not in select([Layer([PIN], ignore=["DLT901"])]).rules


def test_the_more_specific_selector_wins() -> None:
    chosen = select([Layer(["ALL"], ignore=["DLT2"], extend_select=[EPOCH])]).rules
    assert EPOCH in chosen
    assert SAMPLER not in chosen
    assert PIN in chosen


def test_of_two_alike_the_one_that_ignores_wins() -> None:
    assert PIN not in select([Layer([PIN], ignore=["DLT101"])]).rules


def test_a_later_layer_starts_over_when_it_selects() -> None:
    file = Layer(ignore=[PIN])
    assert PIN not in select([file, Layer(ignore=[EPOCH])]).rules
    assert select([file, Layer([PIN])]).rules == {PIN, *ALWAYS}
    assert PIN in select([file, Layer(extend_select=[PIN])]).rules


@pytest.mark.parametrize(
    ("layer", "shown"),
    [
        (Layer(), False),
        (Layer(["DLT1"]), False),
        (Layer(["ALL"]), True),
        (Layer([PIN]), True),
        (Layer(["DLT101"]), True),
        (Layer(extend_select=[PIN]), True),
    ],
)
def test_info_is_shown_for_rules_that_are_named_or_with_all(layer: Layer, shown: bool) -> None:
    selection = select([layer])
    assert selection.shows(_finding(PIN, Severity.INFO)) is shown
    assert selection.shows(_finding(PIN, Severity.WARNING))


def test_findings_of_other_rules_are_not_shown() -> None:
    assert not select([Layer([PIN])]).shows(_finding(EPOCH, Severity.ERROR))


@pytest.mark.parametrize("selector", ["missing-pin", "DLT0", "X", "*"])
def test_an_unknown_selector_is_refused(selector: str) -> None:
    with pytest.raises(UsageError, match="unknown rule"):
        select([Layer([selector])])


def test_a_refusal_names_the_origin_and_close_matches() -> None:
    with pytest.raises(UsageError, match=r"in x\.toml: did you mean `missing-pin-memory`"):
        select([Layer(ignore=["missing-pin-memry"], origin="x.toml")])
    with pytest.raises(UsageError, match="did you mean `DLT101`"):
        select([Layer(["DLTT101"])])


def test_rules_of_several_selectors() -> None:
    assert rules_of(["DLT2", PIN], "x") == {*TWO, PIN}
