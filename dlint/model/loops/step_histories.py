"""Histories that the steps of a framework keep: losses collected before they are returned to it.

Question: which loss does a method that a framework runs for each step, and of whose result it takes
the gradient, keep in an attribute? Followed: the methods of `Framework.steps` on classes of its
bases, and what they return: the loss, a dict with it under `loss`, a tuple that begins with it, and
either side of a choice. Silent where anything of the class begins the attribute anew or empties it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.frameworks import FRAMEWORKS, Framework
from dlint.model.loops.growing_values import EMPTYING, appended, is_list

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope


class StepHistory(NamedTuple):
    """One place where a step keeps its loss, and what it hands to the framework."""

    loss: ex.Reference | ex.Attribute
    returned: ex.Expression
    scope: Scope
    framework: str

    @property
    def name(self) -> str | None:
        """The loss as it is written: `self.loss`."""
        return ex.dotted(self.loss)

    @property
    def place(self) -> Place:
        """Where the loss is kept."""
        return Place(self.scope.module.path, *self.loss.span)

    @property
    def returned_place(self) -> Place:
        """Where the step hands it to the framework."""
        return Place(self.scope.module.path, *self.returned.span)


def step_histories(context: AnalysisContext) -> Iterator[StepHistory]:
    """Where the steps of frameworks collect losses that they return."""
    for facts in context.modules:
        for cls in facts.module.classes:
            for framework, method in framework_steps(context, cls):
                yield from _of_step(context, cls, framework, method)


def framework_steps(context: AnalysisContext, cls: Class) -> Iterator[tuple[Framework, Scope]]:
    """The methods of a class that a framework runs for each step."""
    paths = frozenset(context.solver.classes.externals(cls))
    for framework in FRAMEWORKS:
        if not framework.bases.isdisjoint(paths):
            yield from ((framework, m) for n, m in cls.methods.items() if n in framework.steps)


def _of_step(
    context: AnalysisContext, cls: Class, framework: Framework, method: Scope
) -> Iterator[StepHistory]:
    results = [loss for result in method.returns for loss in returned_losses(result)]
    for kept, loss in (pair for s in walk.statements(method.body) for pair in appended(s)):
        if not isinstance(kept, ex.Attribute) or not is_self(kept.value, method):
            continue
        returned = next((r for r in results if _is_same(loss, r)), None)
        if returned is None or not isinstance(loss, ex.Reference | ex.Attribute):
            continue
        if is_list(context, kept, method) and not _is_emptied(context, cls, kept.name):
            yield StepHistory(loss, returned, method, framework.name)


def returned_losses(result: ex.Expression) -> Iterator[ex.Expression]:
    """What a framework takes the gradient of, in what a step returns."""
    match result:
        case ex.Mapping():
            yield from (v for k, v in result.items if getattr(k, "value", None) == "loss")
        case ex.Sequence() if result.items:
            yield from returned_losses(result.items[0])
        case ex.Conditional():
            yield from returned_losses(result.then)
            yield from returned_losses(result.otherwise)
        case _:
            yield result


def _is_same(one: ex.Expression, other: ex.Expression) -> bool:
    """Whether two expressions are one name, or one attribute of one name."""
    match one, other:
        case ex.Reference(), ex.Reference():
            return one.definition is not None and one.definition is other.definition
        case ex.Attribute(), ex.Attribute():
            return one.name == other.name and _is_same(one.value, other.value)
    return False


def _is_emptied(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether a method besides constructors writes to the attribute, or empties it."""
    for store in context.project.writing(name):
        if store.scope.name != "__init__":
            return True
    family = context.solver.classes.family(cls)
    methods = (m for member in family for m in member.methods.values())
    return any(_empties(call, name) for method in methods for call in method.calls)


def _empties(call: ex.Call, name: str) -> bool:
    owner = call.function.value if isinstance(call.function, ex.Attribute) else None
    return call.name in EMPTYING and isinstance(owner, ex.Attribute) and owner.name == name
