"""Sessions over runs that are made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.verify.judge.results import Mode, Outcome, Verdict
from dlint.verify.measure.windows import Asked
from dlint.verify.options import Options
from dlint.verify.plan.candidates import Candidate, candidates
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.runner import Run, RunConfig
from dlint.verify.session import Session
from dlint.workspace.reading import Sources
from tests.verify.made import FakeRunner

BASE = "as it is"
NAMES = ["missing-set-epoch", "eager-load-in-init", "missing-non-blocking", "shuffle-with-sampler"]
STEP, OTHER = "one", "two"


def diagnostic(path: Path, name: str, argument: str) -> Diagnostic:
    place = Place(str(path), 0, len("f()"))
    fix = Fix(Applicability.SAFE, "Set it", (SetArgument(place, argument, "1"),))
    return Diagnostic("DLT999", name, Severity.WARNING, "so", place, (), fix)


def made_candidates(folder: Path, **claims: str) -> tuple[list[Candidate], Sources]:
    """Candidates by name, each with a claim; they all set an argument of one call."""
    path = folder / "train.py"
    path.write_text("f()\n")
    sources = Sources()
    found = [diagnostic(path, NAMES[n], name) for n, name in enumerate(claims)]
    made, _ = candidates(found, sources)
    from dlint.verify.plan.claims import observable

    renamed = [
        c._replace(name=name, claim=claim, observable=observable(name, claim))
        for c, (name, claim) in zip(made, claims.items(), strict=True)
    ]
    return renamed, sources


def verified(
    folder: Path, give: Callable[[str, RunConfig], Run], *, gpu: bool = False, **claims: str
) -> tuple[Outcome, FakeRunner]:
    tried, sources = made_candidates(folder, **claims)
    runner = FakeRunner(give)
    options = Options(gpu=gpu, window=Asked(), budget=150, design="pairs")
    session = Session(runner, tried, sources, options, NullObserver())  # type: ignore[arg-type]
    return session.run(), runner


def verdicts(outcome: Outcome) -> list[tuple[str, Mode, Verdict]]:
    return [(r.name, r.mode, r.verdict) for r in outcome.results]
