"""Loader settings that a config file writes out, whatever the loader is used for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.frontends.records import Reasoned, Renamed
from dlint.ir import expressions as ex
from dlint.library_facts.config_keys import CPUS_OF_A_RANK
from dlint.library_facts.configurations import CONFIGURATIONS
from dlint.model.loading import loader_conflicts
from dlint.model.loading.loaders import Loaders
from dlint.semantics.calls import calls
from dlint.semantics.libraries.shell_runs import ShellRuns, Stated
from dlint.semantics.values.values import Literal, is_of_library

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.library_facts.configurations import Configuration
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.conditional_value import ConditionalValues


class Setting(NamedTuple):
    """A value that a config writes out, and the key under which it does."""

    place: Place
    key: str


def settings(context: AnalysisContext, name: str, value: int) -> list[Setting]:
    """Where a config gives a loader this very literal (0 and False are told apart).

    A loader is one that the config names itself, or that a data module from outside the project
    makes of arguments of the same name.
    """
    configs = [facts.module for facts in context.modules if facts.module.dialect is not None]
    made = (c for m in configs for c in m.body.calls if not context.solver[ShellRuns].is_idle(c))
    seen = _made_by_code(context)
    taking = (call for call in made if call not in seen and _takes_settings(context, call, name))
    return list(dict.fromkeys(s for call in taking for s in _given(call, name, value)))


def _made_by_code(context: AnalysisContext) -> frozenset[ex.Call]:
    """What configs stand for and code makes, so that it is seen what becomes of it."""
    loaders = chain(*context[Loaders].by_call().values())
    return frozenset(loader.call for loader in loaders if loader.has_context)


def _given(call: ex.Call, name: str, value: int) -> Iterator[Setting]:
    names = {name, *(kind.keywords[name] for kind in _kinds(call) if name in kind.keywords)}
    for argument in call.arguments:
        given = ex.constant(argument.value)
        if argument.keyword not in names or given is None:
            continue
        if isinstance(argument, Reasoned):
            continue
        if given.value == value and type(given.value) is type(value):
            key = argument.own if isinstance(argument, Renamed) else argument.keyword
            yield Setting(Place(call.scope.module.path, *given.span), key)


def _kinds(call: ex.Call) -> Iterator[Configuration]:
    """Whose configuration a call makes, by the name of its class."""
    return (k for k in CONFIGURATIONS if any(p.endswith(f".{call.name}") for p in k.classes))


def _takes_settings(context: AnalysisContext, call: ex.Call, name: str) -> bool:
    function = call.function
    if not (isinstance(function, ex.Reference) and function.definition is not None):
        return False
    if not isinstance(function.definition.value, ex.Imported):
        return False
    made = context.values(call, call.scope)
    if name == "num_workers" and any(map(calls.is_threaded, made)):
        return False
    if any(calls.is_loader(context.solver, value) for value in made):
        return True
    if any(True for _ in _kinds(call)):
        return True
    return function.name.endswith("DataModule") and all(is_of_library(value) for value in made)


class InShell(NamedTuple):
    """A value of an option in a shell script, and the loaders that are given it."""

    place: Place
    flag: str
    loaders: list[Loader]


def stated_in_shell(context: AnalysisContext, name: str, value: int) -> Iterator[InShell]:
    """Where a shell script gives loaders this very value, by an option of the script it starts."""
    found: dict[Place, InShell] = {}
    for loader in chain(*context[Loaders].by_call().values()):
        for alternative in loader.argument(name):
            stated = alternative.source
            is_it = alternative.value == Literal.of(value) and loader_conflicts.is_run(
                loader, alternative
            )
            if isinstance(stated, Stated) and is_it:
                place = Place(stated.path, *stated.span)
                found.setdefault(place, InShell(place, stated.keys[0], [])).loaders.append(loader)
    yield from found.values()


class Cpus(NamedTuple):
    """How many CPUs a launcher gives each rank, and where a config says so."""

    number: int
    place: Place


def cpus_of_a_rank(loader: Loader) -> Cpus | None:
    """The CPUs that the config file of a loader states for each rank."""
    if not loader.is_configured:
        return None
    for call in loader.call.scope.calls:
        given = ex.constant(written(call, None, CPUS_OF_A_RANK))
        number = None if given is None else given.value
        if isinstance(number, int) and not isinstance(number, bool):
            return Cpus(number, loader.context.place_of(call))
    return None


def origins(context: AnalysisContext, found: ConditionalValues) -> list[Place]:
    """The places in configs that values of an argument come from, through a project's own class."""
    ways = ([c.outcome for c in a.path_condition if isinstance(c.outcome, ex.Call)] for a in found)
    configured = ([c for c in way if c.scope.module.dialect is not None] for way in ways)
    return list(dict.fromkeys(p for way in configured for p in sorted(map(context.place_of, way))))
