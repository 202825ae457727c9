"""Configuration objects by which a framework makes loaders: where they are made, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlint.analyses.calls import constructions_of
from dlint.ir import expressions as ex
from dlint.library_facts.configurations import CONFIGURATIONS, Configuration
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.libraries.shell_runs import ShellRuns
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite, ClassObject, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


@dataclass(eq=False)
class ConfigurationSite:
    """One configuration; `makers` are the arguments of the calls that are given it."""

    made: AllocationSite
    kind: Configuration
    makers: list[CallArguments] = field(default_factory=list)


def configuration_sites(context: AnalysisContext) -> tuple[ConfigurationSite, ...]:
    """All configurations that a framework is certainly given."""
    found: dict[AllocationSite, ConfigurationSite] = {}
    for kind in CONFIGURATIONS:
        for call in _making_calls(context, kind):
            frame = context.solver.root(call.scope)
            passed = CallArguments.of(call.arguments, frame)
            for made in _configurations(context, kind, passed):
                site = found.setdefault(made, ConfigurationSite(made, kind))
                site.makers.append(passed)
        for made in _in_config_files(context, kind):
            found.setdefault(made, ConfigurationSite(made, kind))
    return tuple(found.values())


def _in_config_files(context: AnalysisContext, kind: Configuration) -> Iterator[AllocationSite]:
    """The configurations that config files write out: whoever reads them trains with them."""
    for facts in context.modules:
        for call in facts.module.body.calls if facts.module.dialect is not None else ():
            if context.solver[ShellRuns].is_idle(call):
                continue
            for value in context.values(call, call.scope):
                if isinstance(value, AllocationSite) and _is_of(kind, value):
                    yield value


def _is_of(kind: Configuration, made: AllocationSite) -> bool:
    return library_path(made) in kind.classes


def _configurations(
    context: AnalysisContext, kind: Configuration, passed: CallArguments
) -> list[AllocationSite]:
    """The configurations that a maker is given; none where one may be anything else."""
    given = passed.written(kind.parameters, kind.given)
    values = OrderedSet[Value]() if given is None else context.solver.values(*given)
    found = [value for value in values if isinstance(value, AllocationSite) and _is_of(kind, value)]
    return found if len(found) == len(values) else []


def _making_calls(context: AnalysisContext, kind: Configuration) -> Iterator[ex.Call]:
    """The calls that make an object which makes loaders, by no method of the project's own."""
    classes = context.solver.classes
    for call in constructions_of(context, *kind.makers):
        made = context.values(call.function, call.scope)
        own = [value.cls for value in made if isinstance(value, ClassObject)]
        if not any(classes.method(cls, name) for cls in own for name in kind.overriding):
            yield call
