"""Questions that code asks of a dict: `d.get(key)`, `d.pop(key)`, `key in d`.

Question: what does the lookup give, and when? Followed: dicts of which the contents are known
(`mappings`), with the default that is given; `x in ("a", "b")` as equalities, of `_MOST_ITEMS` at
most; of dicts that nobody knows, a constant default, which is assumed beside Unknown. Other
receivers are left to the solver. Bounded by the evaluator's steps.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.dict_layers import is_mapping
from dlint.semantics.values.dict_writes import first_constant
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.mappings import item, overlaid
from dlint.semantics.values.values import NONE, UNKNOWN, Container, Literal, VarArgs

_GET = ("key", "default")
_MOST_ITEMS = 8


def lookup(
    evaluator: Evaluator, call: ex.Call, frame: CallContext, depth: int
) -> ConditionalValues | None:
    """`d.get(key, default)`, `d.pop(key, default)`; None where `d` is no known dict."""
    key = first_constant(call)
    if not isinstance(call.function, ex.Attribute) or not isinstance(key, str):
        return None
    given = evaluator.solver.values(call.function.value, frame)
    values = evaluator.solver[ConfigFiles].settled([*given])
    if not values or not all(isinstance(v, Container | VarArgs) for v in values):
        return _left(evaluator, call, key, frame)
    found = item(evaluator, call.function.value, frame, key, depth)
    if UNKNOWN in given and any(a.value == UNKNOWN for a in found):
        return _left(evaluator, call, key, frame)
    if len(call.arguments) > 1:
        return overlaid(found, evaluator.of(call.arguments[1].value, frame, depth))
    if call.name == "pop":
        return [a for a in found if a.value != ABSENT]
    return overlaid(found, [ConditionalValue(NONE)])


def _left(
    evaluator: Evaluator, call: ex.Call, key: str, frame: CallContext
) -> ConditionalValues | None:
    """What `get("key", 4)` of an unknown dict gives: anything, or 4 where nobody sets the key."""
    default = call.arguments[1].value if len(call.arguments) == len(_GET) else None
    if call.name != "get" or not isinstance(default, ex.Constant):
        return None
    if evaluator.solver.values(call, frame) != {UNKNOWN}:
        return None
    told = f"default of `get({key!r})`"
    return [
        ConditionalValue(UNKNOWN, source=call),
        *(replace(a, assumed=told) for a in evaluator.of(default, frame)),
    ]


def membership(
    evaluator: Evaluator, test: ex.Comparison, frame: CallContext, depth: int
) -> ConditionalValues | None:
    """`"key" in d` by what `d` holds, `x in ("a", "b")` as equalities; None for other tests."""
    if test.operator not in ("in", "not in"):
        return None
    if (spelled := _equalities(test)) is not None:
        return evaluator.of(spelled, frame, depth)
    left = ex.constant(test.left)
    if left is None or not isinstance(left.value, str):
        return None
    key = left.value
    values = evaluator.solver.values(test.right, frame)
    if not values or not all(isinstance(v, Container | VarArgs) and is_mapping(v) for v in values):
        return None
    found: ConditionalValues = []
    for a in item(evaluator, test.right, frame, key, depth):
        outcomes = (True, False) if a.value == UNKNOWN else (a.value != ABSENT,)
        for present in outcomes:
            truth = present is (test.operator == "in")
            known = frozenset() if len(outcomes) == 1 else {conditions.of_test(test, frame, truth)}
            found.append(ConditionalValue(Literal.of(truth), a.path_condition | known, source=test))
    return found


def _equalities(test: ex.Comparison) -> ex.Expression | None:
    """`x == "a" or x == "b"`, what `x in ("a", "b")` means; None for no short literal."""
    right = test.right
    if not isinstance(right, ex.Sequence) or not 0 < len(right.items) <= _MOST_ITEMS:
        return None
    if not all(isinstance(item, ex.Constant) for item in right.items):
        return None
    found: ex.Expression
    found, *others = (ex.Comparison(test.span, "==", test.left, item) for item in right.items)
    for other in others:
        found = ex.Boolean(test.span, "or", found, other)
    return found if test.operator == "in" else ex.Unary(test.span, "not", found)
