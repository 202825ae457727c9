"""Loaders that a framework makes, by a configuration object: `TrainingArguments(…)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.configurations import CONFIGURATIONS, Configuration
from dlint.model.loading.configurations import configuration_sites
from dlint.model.loading.loader import Loader
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import (
    ABSENT,
    Absent,
    ConditionalValue,
    ConditionalValues,
)
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import FALSE, NONE, UNKNOWN, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


@dataclass(eq=False)
class ConfiguredLoader(Loader):
    """The loader of one configuration; it stands where the configuration is made.

    `makers` are the arguments of the calls that are given the configuration.
    """

    kind: Configuration = CONFIGURATIONS[0]
    makers: list[CallArguments] = field(default_factory=list)

    @property
    def made_by_framework(self) -> bool:
        """The framework makes the loader."""
        return True

    def keyword(self, name: str) -> str:
        """By which name the configuration takes one of torch's arguments."""
        return self.kind.keywords.get(name, name)

    def in_words(self, text: str) -> str:
        """A message about torch's arguments, under the names of the configuration."""
        for name, keyword in self.kind.keywords.items():
            text = re.sub(rf"`{name}\b", f"`{keyword}", text)
        return text

    def argument(self, name: str) -> ConditionalValues:
        """The alternatives of one of torch's arguments; what the framework decides is unknown."""
        if name in self.kind.untouched:
            return [ConditionalValue(ABSENT)]
        if name not in self.kind.keywords or self._is_changed_later(name):
            return [ConditionalValue(UNKNOWN)]
        passed = self.context.solver.passed[self.made]
        given = mappings.argument(self.context.evaluator, passed, None, self.keyword(name))
        given = [a for a in given if self.is_possible(a)] or given
        return [self._or_default(name, a) for a in given]

    def _or_default(self, name: str, alternative: ConditionalValue) -> ConditionalValue:
        default = self.kind.defaults.get(name)
        if alternative.value != ABSENT or default is None:
            return alternative
        label = f"default of `{self.keyword(name)}`"
        return replace(alternative, value=Literal.of(default), assumed=label)

    def _is_changed_later(self, name: str) -> bool:
        """Whether something may write to the configuration after it was made."""
        context = self.context
        if any(n in facts.calls for facts in context.modules for n in self.kind.setters):
            return True
        written = context.project.writing(self.keyword(name))
        return any({self.made, UNKNOWN} & context.values(s.target.value, s.scope) for s in written)

    def values(self, name: str) -> OrderedSet[Value]:
        """Everything that one of torch's arguments may denote."""
        if name not in self.kind.roles:
            found = (a.value for a in self.argument(name))
            return OrderedSet(v for v in found if not isinstance(v, Absent))
        solver = self.context.solver
        return OrderedSet(v for pair in self._given(name) for v in solver.values(*pair))

    def given(self, name: str) -> tuple[ex.Expression, CallContext] | None:
        """The expression that one of torch's arguments is given."""
        return next(self._given(name), None)

    def _given(self, name: str) -> Iterator[tuple[ex.Expression, CallContext]]:
        """What each maker, or the configuration, is given for one of torch's arguments."""
        if name in self.kind.roles:
            sources, name = self.makers, self.kind.roles[name]
        else:
            sources, name = [self.context.solver.passed[self.made]], self.keyword(name)
        for passed in sources:
            found = passed.written(self.kind.parameters, name)
            if found is not None:
                yield found

    def written(self, name: str) -> ex.Expression | None:
        """What the call itself gives to one of torch's arguments."""
        return written(self.call, None, self.keyword(name))

    @property
    def is_spelled_out(self) -> bool:
        """Whether the call itself holds everything that the configuration is given."""
        return self.is_configured or not any(argument.star for argument in self.call.arguments)

    @property
    def is_iterated(self) -> bool:
        """Whether more than one batch is read: the framework does, where code gives it this."""
        return not self.is_configured

    @property
    def trains(self) -> bool:
        """Whether there is something to train on."""
        return bool(self.values("dataset") - {NONE})

    @property
    def reaches_cuda(self) -> bool:
        """Whether the framework may take a GPU, as it does wherever there is one."""
        passed = self.context.solver.passed[self.made]
        found = (
            a.value
            for name in sorted(self.kind.on_cpu)
            for a in mappings.argument(self.context.evaluator, passed, None, name)
        )
        return all(value in (ABSENT, FALSE, NONE) for value in found)

    @property
    def is_pinned_by_framework(self) -> bool:
        """Whether a framework pins whatever the argument says."""
        return False


def configured_loaders(context: AnalysisContext) -> tuple[ConfiguredLoader, ...]:
    """The loaders of all configurations that a framework is certainly given."""
    return tuple(
        ConfiguredLoader(context, site.made, kind=site.kind, makers=list(site.makers))
        for site in context[configuration_sites]
    )
