"""Configuration objects by which a framework makes loaders: where they are made, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir.module import Class
from dlint.library_facts.configurations import CONFIGURATIONS, Configuration
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.libraries.shell_runs import ShellRuns
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite, ClassObject, External, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.project import Facts


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
            passed = CallArguments(tuple((argument, frame) for argument in call.arguments))
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
    return isinstance(made.origin, External) and made.origin.path in kind.classes


def _configurations(
    context: AnalysisContext, kind: Configuration, passed: CallArguments
) -> list[AllocationSite]:
    """The configurations that a maker is given; none where one may be anything else."""
    given = passed.written(kind.parameters, kind.given)
    values = OrderedSet[Value]() if given is None else context.solver.values(*given)
    found = [value for value in values if isinstance(value, AllocationSite) and _is_of(kind, value)]
    return found if len(found) == len(values) else []


def _making_calls(context: AnalysisContext, kind: Configuration) -> Iterator[ex.Call]:
    """The calls that make an object which makes loaders."""
    last = frozenset(path.rpartition(".")[2] for path in kind.makers)
    derived = {cls.name for facts in context.modules for cls in _derived(facts)}
    for facts in context.modules:
        for name in sorted(last | facts.aliases(last) | derived):
            for call in facts.calls.get(name, ()):
                for value in context.solver.names.static(call.function, call.scope):
                    if _makes(context, kind, value):
                        yield call


def _derived(facts: Facts) -> Iterator[Class]:
    """The classes of a module with a base whose name speaks of a maker."""
    for cls in facts.module.classes:
        if any(
            isinstance(b, ex.Reference | ex.Attribute) and "Trainer" in b.name for b in cls.bases
        ):
            yield cls


def _makes(context: AnalysisContext, kind: Configuration, value: object) -> bool:
    if isinstance(value, External):
        return value.path in kind.makers
    if not isinstance(value, ClassObject):
        return False
    classes = context.solver.classes
    if any(classes.method(value.cls, name) is not None for name in kind.overriding):
        return False
    return any(path in kind.makers for path in classes.externals(value.cls))
