"""The laws on a sample of programs; `python -m tests.laws` tries them all."""

from __future__ import annotations

import random

import pytest

from tests.laws.cases import Case, cases
from tests.laws.meaning import outcomes
from tests.laws.rewritings import BY_NAME, REWRITINGS
from tests.laws.runs import KNOWN, differing_by_seed, disagreements
from tests.laws.tables import Verdicts, exceptions, known_failures

_SEED = 12
_EACH = 12
"""Cases per rewriting."""
_FAILING = 40
"""Known failures that are tried again."""
_RUNS = 60


def _own() -> list[Case]:
    """The examples of the pages: the same on every machine."""
    return [case for case in cases() if case.name.startswith(("page/", "cases/"))]


@pytest.mark.parametrize("name", [rewriting.name for rewriting in REWRITINGS])
def test_meaning_not_spelling(name: str) -> None:
    chosen = random.Random(f"{_SEED}{name}").sample(_own(), _EACH)
    found = [o for case in chosen for o in outcomes(case, [BY_NAME[name]])]
    verdicts = Verdicts(found, known_failures())
    assert verdicts.unexpected == []
    assert verdicts.stale == [], "mended: take them out of known_failures.toml"


def test_known_failures_still_fail() -> None:
    by_name = {case.name: case for case in cases()}
    known = sorted(pair for pair in known_failures() if pair[0] in by_name)
    chosen = random.Random(_SEED).sample(known, min(_FAILING, len(known)))
    found = [o for case, name in chosen for o in outcomes(by_name[case], [BY_NAME[name]])]
    assert Verdicts(found, known_failures()).stale == [], "take them out of known_failures.toml"


def test_known_failures_and_exceptions_name_what_there_is() -> None:
    from dlint import rule_docs

    own = {case.name for case in _own()}
    for case, rewriting in known_failures():
        assert rewriting in BY_NAME
        assert case in own or case.startswith(("probe/", "wild/", "variant/")), case
    for (rule, _), reason in exceptions().items():
        assert rule in rule_docs.summaries()
        assert reason


def test_one_run_says_the_same_as_another() -> None:
    chosen = random.Random(_SEED).sample(_own(), _RUNS)
    assert {one for case in chosen for one in disagreements(case)} <= KNOWN


def test_hash_seeds_say_the_same() -> None:
    assert differing_by_seed(random.Random(_SEED).sample(_own(), _RUNS)) == []
