"""What an object of a dataclass holds under the names of its fields, as a dict of them does.

Question: what does `dataclasses.asdict(config)["workers"]`, or `vars(config)`, hold? Followed:
fields that the class and its ancestors in the project declare, by all that is written there.
Given up on (Unknown): classes that are no dataclasses, that have an ancestor in a library, or items
of their own. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.semantics.calls import attributes
from dlint.semantics.libraries.declared import is_dataclass
from dlint.semantics.values.conditional_value import (
    ABSENT,
    ConditionalValue,
    ConditionalValues,
    ordered,
)
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator, Holding
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Instance, Value


def _of_object(evaluator: Evaluator, value: Value, key: str, depth: int) -> ConditionalValues:
    del depth
    cls, classes = attributes.project_class(value), evaluator.solver.classes
    if cls is None or classes.externals(cls) or not is_dataclass(cls):
        return [ConditionalValue(UNKNOWN)]
    if classes.method(cls, "__getitem__") is not None:
        return [ConditionalValue(UNKNOWN)]
    if not any(spec.name == key for c in classes.ancestors(cls) for spec in c.fields):
        return [ConditionalValue(ABSENT)]
    node = evaluator.solver.member(value, key)
    evaluator.solver.settle()
    held = ordered(node.values)
    if len(held) < 2:
        return [ConditionalValue(one) for one in held] or [ConditionalValue(UNKNOWN)]
    test = ("one of", value, key)
    return [ConditionalValue(one, frozenset({Condition(test, one)})) for one in held]


HELD: dict[type, Holding] = {Instance: _of_object, AllocationSite: _of_object}
"""What objects hold under the names of their fields."""
