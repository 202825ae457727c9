"""handle-opened-in-init: files and databases that workers get from the process that opened them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.start_methods import FRESH, StartMethod
from dlint.model.data import handles
from dlint.model.data.sent_handles import Keeper, is_used, keepers, reopens
from dlint.model.workers.starting import start_methods_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.handles import KeptHandle
    from dlint.model.loading.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """What constructors leave open of what worker code uses, once for each place."""
    seen: set[object] = set()
    for keeper in keepers(context):
        loaders = [loader for loader in keeper.of.own_loaders if not loader.workers_absent]
        for kept in handles.kept_handles(keeper.of) if loaders else ():
            told = {kept.place, (keeper.of.cls, kept.opened)}
            if not seen.isdisjoint(keeper.names(kept)) or not is_used(keeper, kept):
                continue
            sharing = [x for x in loaders if not reopens(keeper.of, x, kept.attribute)]
            finding = _finding(keeper, kept, sharing) if sharing else None
            if finding is not None:
                seen |= told
                yield finding


def _finding(keeper: Keeper, kept: KeptHandle, loaders: list[Loader]) -> Finding | None:
    context = keeper.of.context
    methods = {m for x in loaders for m in start_methods_of(context, x)}
    forks = StartMethod.FORK in methods
    pickles = not kept.handle.is_picklable and not keeper.says_what_is_pickled
    if not pickles and not (forks and kept.handle.breaks_forked):
        return None
    known = any(x.workers_present is not None for x in loaders)
    wrong = kept.handle.breaks_forked if forks else True
    severity = Severity.ERROR if known and wrong else Severity.WARNING
    related = [Related(loaders[0].place, "the workers of this loader use it")]
    if kept.opened != kept.place:
        related.insert(0, Related(kept.opened, "it is opened here"))
    return Finding(
        Severity.INFO if kept.is_off else severity,
        _message(keeper, kept, methods, pickles=pickles),
        kept.place,
        tuple(related),
    )


def _message(keeper: Keeper, kept: KeptHandle, methods: set[StartMethod], *, pickles: bool) -> str:
    why = []
    if StartMethod.FORK in methods:
        why.append(f"forked workers {kept.handle.forked}")
    if pickles:
        fresh = " or ".join(sorted(methods & FRESH)) or "spawn (macOS, Windows)"
        why.append(f"with {fresh} it cannot be pickled")
    holder = keeper.holder
    whose = "workers use" if holder is None else f"the workers of `{holder.cls.name}` use"
    whose = "its workers use" if keeper.is_dataset else whose
    first = "`__getitem__`" if keeper.is_dataset else "use"
    return (
        f"`{kept.owner.name}` keeps {kept.handle.what} from `__init__` on in "
        f"`self.{kept.attribute}`, and {whose} it: {', and '.join(why)}; "
        f"{_advice(keeper, kept, first)}"
    )


def _advice(keeper: Keeper, kept: KeptHandle, first: str) -> str:
    """Where samples are the next lines of a file, a file for each worker is not enough."""
    if any(handles.reads_on(entry, kept.attribute) for entry in keeper.entries):
        return "open it in the worker, and `seek` there to the sample of the index"
    return f"open it in the worker, at the first {first}"
