"""`dlint verify --tune --apply`: the settings that won, written where their values stand."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.cli.checker import read_input
from dlint.cli.verify_findings import reading
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Applicability, Fix
from dlint.findings.edits import apply_edits
from dlint.findings.operations import Operation, place_of
from dlint.fixes.apply import still_parses
from dlint.fixes.lowering import lower
from dlint.fixes.write import WriteError, write_all
from dlint.verify.judge.results import Outcome
from dlint.verify.plan.candidates import Texts, diff_of
from dlint.verify.plan.overrides import THREADS
from dlint.verify.report.tuned import given
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration
from dlint.workspace.spelling import spelled

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.argument_homes import Home
    from dlint.model.loading.loader import Loader

Settings = Mapping[str, Any]
_OF_A_FUNCTION = (
    f"`{THREADS}`: no argument of a loader, but what its `worker_init_fn` says, for OpenCV "
    "`cv2.setNumThreads({})`"
)


_OF_WORKERS = {
    "persistent_workers": "False",
    "prefetch_factor": "None",
    "multiprocessing_context": "None",
}
"""What torch refuses without workers, and the value that says nothing."""


class Found(NamedTuple):
    """Where the values of a loader stand."""

    homes: Mapping[str, Home]
    """By argument; what holds already is not among them."""
    sources: Sources


def apply_settings(outcome: Outcome, script: Path, arguments: Sequence[str]) -> None:
    """Write what was recommended, if anything was, all of it or nothing, and note what was done."""
    tuning = outcome.tuning
    if tuning is None:
        return
    if tuning.recommended is None:
        tuning.written = ["nothing is written: no other setting was confirmed"]
        return
    wanted = dict(tuning.recommended)
    found = _found(script, tuning.place, {n: v for n, v in wanted.items() if n != THREADS})
    refused = ["the place where the loader is made is not known"]
    if found is not None:
        refused = list(_refused(found.homes, arguments))
    if THREADS in wanted:
        refused.append(_OF_A_FUNCTION.format(wanted[THREADS]))
    if found is None or refused:
        tuning.written = list(_by_hand(wanted, refused))
        return
    texts = _texts(found)
    if texts is None:
        tuning.written = list(_by_hand(wanted, ["the change could not be made an edit"]))
        return
    _write(texts, found.sources)
    tuning.written = [f"written: {line}" for line in _places(found)]


def _refused(homes: Mapping[str, Home], arguments: Sequence[str]) -> Iterator[str]:
    """Why some value is not written."""
    for name, home in homes.items():
        if home.operation is None:
            yield f"`{name}`: {home.why}"
        elif home.flag and any(_gives(word, home.flag) for word in arguments):
            yield f"`{name}`: the command gives `{home.flag}`, so its default does not count"


def _gives(word: str, flag: str) -> bool:
    """Whether an argument of the command is that option; it may be cut short."""
    name = word.partition("=")[0]
    return name.startswith("--") and len(name) > 2 and flag.startswith(name)


def _by_hand(wanted: Settings, refused: Sequence[str]) -> Iterator[str]:
    yield f"not written: {'; '.join(refused)}"
    yield f"to write by hand: {given(wanted)}"


def _found(script: Path, place: tuple[str, int] | None, wanted: Settings) -> Found | None:
    """Where the values of the loader that is made there stand; None where there is not one."""
    if place is None:
        return None
    read = read_input(reading([str(script)]), Configuration())
    sources = Sources(read.overrides)
    seen: list[Mapping[str, Home]] = []
    for project in read.projects:
        request = Request(
            root=project.root,
            files=project.files,
            reported=frozenset({spelled(script), spelled(Path(place[0]))}),
            rules=frozenset(),
            overrides=read.overrides,
        )
        analyse(request, sources, lambda context: seen.extend(_homes(context, place, wanted)))
    unique = [homes for number, homes in enumerate(seen) if homes not in seen[:number]]
    return Found(unique[0], sources) if len(unique) == 1 else None


def _homes(
    context: AnalysisContext, place: tuple[str, int], wanted: Settings
) -> Iterator[Mapping[str, Home]]:
    """Of each loader that is made at a place, where its values stand."""
    from dlint.model.loading.argument_homes import guarded, home_of
    from dlint.model.loading.loaders import Loaders

    for loader in chain(*context[Loaders].by_call().values()):
        if not _is_at(loader, place):
            continue
        found = {}
        for name, value in wanted.items():
            text = guarded(loader, name, repr(value))
            if text is not None:
                found[name] = home_of(loader, name, text)
        if wanted.get("num_workers") == 0:
            found.update(_without_workers(loader))
        yield found


def _without_workers(loader: Loader) -> Iterator[tuple[str, Home]]:
    """What torch refuses where there are no workers, taken back where the call gives it."""
    from dlint.ir.expressions import Constant
    from dlint.model.loading.argument_homes import guarded, home_of

    for name, nothing in _OF_WORKERS.items():
        given = loader.written(name)
        says_nothing = isinstance(given, Constant) and not given.value
        if given is not None and not says_nothing and guarded(loader, name, "True") is not None:
            yield name, home_of(loader, name, nothing)


def _is_at(loader: Loader, place: tuple[str, int]) -> bool:
    """Whether the call that makes it, or the outermost one that leads to it, stands on this row."""
    path, row = place
    for where in (loader.place, loader.context_place):
        if Path(where.path).resolve() != Path(path).resolve():
            continue
        text = Path(where.path).read_text("utf-8")
        rows = [text.count("\n", 0, at) + 1 for at in (where.start, where.end)]
        if rows[0] <= row <= rows[1]:
            return True
    return False


def _texts(found: Found) -> Texts | None:
    """The new texts; None where they cannot be made, or would not parse."""
    operations: dict[Operation, None] = {}
    for home in found.homes.values():
        if home.operation is not None:
            operations[home.operation] = None
    edits = lower(Fix(Applicability.TRIAL, "Give it", tuple(operations)), found.sources)
    if edits is None:
        return None
    paths = dict.fromkeys(edit.path for edit in edits)
    texts = {
        path: apply_edits(found.sources.get(path).text, [e for e in edits if e.path == path])
        for path in paths
    }
    parse = (still_parses(found.sources.get(path), text) for path, text in texts.items())
    return texts if all(parse) else None


def _write(texts: Texts, sources: Sources) -> None:
    sys.stderr.write(diff_of(texts, sources))
    try:
        write_all([(sources.get(path), text) for path, text in sorted(texts.items())])
    except WriteError as error:
        raise UsageError(str(error)) from error


def _places(found: Found) -> Iterator[str]:
    """Where each value was written."""
    here = Path.cwd()
    for name, home in found.homes.items():
        if home.operation is None:
            continue
        place = place_of(home.operation)
        row, _ = found.sources.get(place.path).position(place.start)
        path = Path(place.path)
        shown = path.relative_to(here) if path.is_relative_to(here) else path
        option = f", the default of `{home.flag}`" if home.flag else ""
        yield f"`{name}` at {shown}:{row}{option}"
