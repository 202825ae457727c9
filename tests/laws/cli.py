"""The command line of the laws."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from tests.laws.cases import Case, cases
from tests.laws.meaning import Outcome, outcomes, show
from tests.laws.program import Program
from tests.laws.rewriting import rewritten
from tests.laws.rewritings import BY_NAME, REWRITINGS
from tests.laws.subject import CRASH
from tests.laws.tables import Verdicts, known_failures, write_known


def main(words: list[str]) -> int:
    """Run a command; 1 where a law is broken that no table names."""
    options = _parser().parse_args(words)
    if options.command == "repositories":
        from tests.laws.repositories import main as repositories

        return repositories(options.folders, options.jobs, options.show)
    if options.command == "runs":
        from tests.laws.runs import main as runs

        return runs(options.only, options.jobs)
    return _meaning(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.laws", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["meaning", "runs", "repositories"])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rewriting", action="append", choices=sorted(BY_NAME), default=[])
    parser.add_argument("--rule", help="only differences of this rule, and its page's examples")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--sample", type=int, help="so many cases, the same ones for one seed")
    parser.add_argument("--seed", type=int, default=0, help="which ones a sample takes")
    parser.add_argument("--show", action="store_true", help="programs and findings that differ")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("--write-known", action="store_true", help="write known_failures.toml")
    return parser


def _meaning(options: argparse.Namespace) -> int:
    chosen = [case for case in cases() if options.only in case.name]
    if options.rule:
        chosen = [c for c in chosen if c.rule in (options.rule, "probe", "wild")]
    if options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    rewritings = [BY_NAME[name] for name in options.rewriting] or list(REWRITINGS)
    found = list(run(chosen, [r.name for r in rewritings], options.jobs))
    if options.rule:
        found = [o for o in found if o.state == "agree" or options.rule in o.rules]
    verdicts = Verdicts(found, known_failures())
    if options.write_known:
        write_known(verdicts)
    if options.as_json:
        print(json.dumps([o._asdict() for o in found]))
    else:
        if options.show:
            _show(found, {case.name: case for case in chosen})
        print("\n".join(_tables(found, verdicts)))
    whole = not (options.only or options.rule or options.rewriting or options.sample)
    return int(bool(verdicts.unexpected or (whole and verdicts.stale)))


def run(chosen: list[Case], names: list[str], jobs: int) -> Iterator[Outcome]:
    """What comes of the rewritings of these names on the cases."""
    work = partial(_work, names=names)
    if jobs == 1:
        for case in chosen:
            yield from work(case)
        return
    with Pool(jobs) as pool:
        for found in pool.imap(work, chosen, chunksize=8):
            yield from found


def _work(case: Case, names: list[str]) -> list[Outcome]:
    return outcomes(case, [BY_NAME[name] for name in names])


def _show(found: Iterable[Outcome], by_name: dict[str, Case]) -> None:
    for outcome in found:
        if outcome.state == "unsound":
            print(f"=== {outcome.case} x {outcome.rewriting}: {outcome.lost[0][0]}")
        elif outcome.state != "agree":
            case = by_name[outcome.case]
            files = rewritten(BY_NAME[outcome.rewriting], Program(case.files)) or {}
            print(f"=== {outcome.case} x {outcome.rewriting}: {outcome.state}")
            print(show(case, files), end="\n\n")


def _tables(found: list[Outcome], verdicts: Verdicts) -> Iterator[str]:
    """Rewriting by state, rule by rewritings, and what no table names."""
    states = Counter((o.rewriting, o.state) for o in found)
    excepted = Counter(o.rewriting for o in verdicts.excepted)
    shown = ("agree", "differ", "fix", CRASH, "unsound")
    yield "{:28} {:>6} {:>6} {:>6} {:>6} {:>7} {:>8}".format("rewriting", *shown, "excepted")
    for name in dict.fromkeys(o.rewriting for o in found):
        cells = [states[name, state] for state in shown]
        yield "{:28} {:6} {:6} {:6} {:6} {:7} {:8}".format(name, *cells, excepted[name])
    yield ""
    by_rule: dict[str, Counter[str]] = {}
    for outcome in found:
        for rule in outcome.rules if outcome.state in ("differ", "fix", CRASH) else ():
            by_rule.setdefault(rule, Counter())[outcome.rewriting] += 1
    for rule, counts in sorted(by_rule.items(), key=lambda item: -item[1].total()):
        text = ", ".join(f"{name} {n}" for name, n in counts.most_common())
        yield f"{rule:32} {counts.total():5}  {text}"
    yield ""
    yield (
        f"{len(found)} rewritten programs: {len(verdicts.excepted)} differ by the table of "
        f"exceptions, {len(verdicts.known)} are known failures, "
        f"{len(verdicts.unexpected)} are unexpected, {len(verdicts.stale)} are no failures any more"
    )
    for outcome in verdicts.unexpected:
        yield f"unexpected: {outcome.case} x {outcome.rewriting}: {_changes(outcome)}"
    for case, rewriting in verdicts.stale:
        yield f"no failure any more: {case} x {rewriting}"


def _changes(outcome: Outcome) -> str:
    lost = [f"-{' '.join(filter(None, one))}" for one in outcome.lost]
    return ", ".join([*lost, *(f"+{' '.join(filter(None, one))}" for one in outcome.new)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
