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


def test_every_rule_runs_by_default() -> None:
    assert select([Layer()]).rules == set(rule_docs.summaries())


@pytest.mark.parametrize("selector", ["DLT101", "dlt101", PIN])
def test_select_one_rule(selector: str) -> None:
    assert select([Layer([selector])]).rules == {PIN, *ALWAYS}


def test_select_by_prefix() -> None:
    assert select([Layer(["DLT2"])]).rules == {*TWO, *ALWAYS}
    assert select([Layer(["DLT"])]).rules == set(rule_docs.summaries())


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
