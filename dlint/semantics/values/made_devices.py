"""What `torch.device(…)` makes, told apart from the text it is made of.

Question: is an expression certainly an object of `torch.device`, which torch finds unequal to every
text (`THPDevice_rc`, torch 2.13.0)? Followed: the definition of a name in its own scope, the only
one of a global name, both sides of a choice. Given up on: parameters, attributes, what functions
return. Elsewhere a device counts as the text that names it.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.names.global_names import enclosing_frame
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import External

_STEPS = 8


def device_is_text(solver: Solver, test: ex.Expression, scope: Scope) -> bool | None:
    """What `torch.device("cuda") == "cuda"` comes out as; None for other tests."""
    if not isinstance(test, ex.Comparison) or test.operator not in ("==", "!="):
        return None
    for text, other in ((test.left, test.right), (test.right, test.left)):
        if isinstance(text, ex.Constant) and isinstance(text.value, str):
            return test.operator == "!=" if _is_made_device(solver, other, scope) else None
    return None


def _is_made_device(solver: Solver, expression: ex.Expression, scope: Scope) -> bool:
    """Whether an expression of a scope is what a call of `torch.device` gives."""
    waiting = [expression]
    for _ in range(_STEPS):
        if not waiting:
            return True
        match waiting.pop():
            case ex.Conditional(then=then, otherwise=otherwise):
                waiting += [then, otherwise]
            case ex.Reference() as name if (value := _defined(solver, name, scope)) is not None:
                waiting.append(value)
            case ex.Call() as call if _makes_device(solver, call):
                continue
            case _:
                return False
    return False


def _defined(solver: Solver, name: ex.Reference, scope: Scope) -> ex.Expression | None:
    """The one expression that a name stands for, in its scope or its module."""
    if name.definition is not None:
        return name.definition.value
    if enclosing_frame(solver, name.name, solver.root(scope)).scope.kind != "module":
        return None
    facts = solver.project.load(scope.module.path)
    found = [] if facts is None else facts.globals.get(name.name, [])
    return found[0].value if len(found) == 1 else None


def _makes_device(solver: Solver, call: ex.Call) -> bool:
    return External("torch.device") in solver.names.static(call.function, call.scope)
