"""Parameters: what they hold, in one activation or over every call of their function.

Question: what may a parameter denote? In the frame of a call its argument, or its default; in a
root frame the receiver's class for `self`, the composed config below `@hydra.main`, else what all
calls in the project give (`callers`). Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir.expressions import Parameter
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.calls.callers import Callers
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, ClassObject, Instance


def parameter(
    solver: Solver, expression: Parameter, frame: CallContext, node: ConstraintNode
) -> None:
    """What a parameter holds: in a root frame, over all calls of the function."""
    scope = frame.scope
    index = next((i for i, s in enumerate(scope.parameters) if s.name == expression.name), None)
    if index is None:
        solver.add(node, UNKNOWN)
        return
    spec = scope.parameters[index]
    settings = solver[ConfigFiles].of_main(scope) if index == 0 and scope.decorators else None
    if settings is not None:
        solver.add(node, settings)
    elif frame.call is not None:
        calls.bound(solver, frame, spec, index, node)
    elif index == 0 and calls.takes_receiver(scope):
        owner = scope.owner
        assert owner is not None
        of_class = "classmethod" in attributes.decorators(scope)
        solver.add(node, ClassObject(owner) if of_class else Instance(owner))
    else:
        solver[Callers].of_parameter(scope, spec, index, node)
