"""unpicklable-worker-arguments: what pickle refuses keeps spawned workers from starting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.library_facts.start_methods import FRESH
from dlint.model.loading.fresh_workers import FreshWorkers, fresh_workers_of
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.unpicklable import GUARDED, Unpicklable, unpicklable
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with workers, and a lambda, a local function or the like among what these get."""
    causes: dict[Place, list[tuple[Loader, Unpicklable]]] = {}
    for group in context[Loaders].by_call().values():
        for loader in group:
            if loader.workers_present is not None and loader.is_made:
                found = unpicklable(loader)
                if found is not None:
                    causes.setdefault(found.place, []).append((loader, found))
    for sent in causes.values():
        finding = _finding(context, sent)
        if finding.severity is not Severity.INFO or any(x.is_iterated or x.loops for x, _ in sent):
            yield finding


def _finding(context: AnalysisContext, sent: list[tuple[Loader, Unpicklable]]) -> Finding:
    """One finding for each thing that cannot be sent, at the loader where that matters most."""
    judged = [(*pair, fresh_workers_of(context, pair[0])) for pair in sent]
    loader, found, fresh = min(judged, key=lambda one: (_RANK[_severity(*one[1:])], one[0].place))
    others = dict.fromkeys(x.place for x, _ in sent if x.place != loader.place)
    related = [Related(found.place, "it is made here")]
    if found.beside is not None:
        related.append(Related(found.beside.place, "what it holds is made here"))
    related += [Related(place, "this loader is given it too") for place in list(others)[:2]]
    message = _message(found, fresh.methods_text, loader)
    at = loader.argument_place(found.argument)
    return Finding(_severity(found, fresh), message, loader.place, tuple(related), argument=at)


def _severity(found: Unpicklable, fresh: FreshWorkers) -> Severity:
    """What a notebook defines is seldom run by every Python that its project admits."""
    if found.in_notebook and not fresh.methods <= FRESH:
        return Severity.INFO
    return fresh.severity


def _message(found: Unpicklable, fresh: str, loader: Loader) -> str:
    where = f"`{found.argument}` of this DataLoader"
    holds = f"{where} is {found.what}"
    if found.argument == "dataset":
        holds = f"the dataset of this DataLoader is {found.what}"
        if found.attribute:
            holds = f"the dataset of this DataLoader holds {found.what} in `{found.attribute}`"
        elif not found.what.startswith("an object"):
            holds = f"the dataset of this DataLoader holds {found.what}"
    workers = loader.workers_present
    assumed = f" ({text_of(workers)})" if workers is not None and workers.assumed else ""
    if found.is_nested:
        return (
            f"{holds}: workers started by {fresh} cannot import it and do not start{assumed}, nor "
            f"would they if a function of a `.py` file defined it; {_advice(found)} that the "
            "notebook imports"
        )
    if found.in_notebook:
        return (
            f"{holds}: workers started by {fresh} cannot import it and do not start{assumed}; "
            "put it in a `.py` file and import it"
        )
    if found.what.endswith(GUARDED):
        return (
            f"{holds}: workers started by {fresh} do not run what stands there, cannot find it and "
            f"do not start{assumed}; {_advice(found)}"
        )
    how = f"workers started by {fresh} do not start{assumed}"
    if found.beside is not None:
        return (
            f"{holds}, and holds {found.beside.what} in `{found.beside.attribute}`: neither can be "
            f"pickled, so {how}; {_advice(found)}, and {_advice_for(found.beside.what)}"
        )
    return f"{holds}, which cannot be pickled, so {how}; {_advice(found)}"


def _advice(found: Unpicklable) -> str:
    return _advice_for(found.what, "it")


def _advice_for(what: str, it: str = "what it holds") -> str:
    if "class" in what:
        return "define the class at the top level of a module"
    if "lambda" in what or "function" in what:
        return f"define {it} with `def` at the top level of a module"
    return f"make {it} in the worker, when it is first used"
