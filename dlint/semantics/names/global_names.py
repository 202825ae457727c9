"""Names that their own scope does not bind: those of functions around it, of the module, builtins.

Questions: which scope binds a name that is read here, and what may a global name of a module
denote, whoever binds it? Every binding that lasts is
joined; of `import *` the project's own modules are followed, and of torch's names only those of
classes. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir.module import ModuleIndex, Scope
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.names import names
from dlint.semantics.names.replaced_functions import replaced_around, seen_globals
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, External


def enclosing_frame(solver: Solver, name: str, frame: CallContext) -> CallContext:
    """The frame of the scope that binds a name which `frame` reads: its own, that of a function
    around it, or the module's."""
    outer = None if name in frame.scope.globals else frame
    while outer is not None and outer.scope.kind != "module":
        is_passed_over = name in outer.scope.nonlocals or outer.scope.kind == "class"
        if not is_passed_over and tuple(solver.bindings(outer.scope, name)):
            return outer
        outer = outer.closure
    return solver.root(frame.scope.module.body)


def global_name(
    solver: Solver, module: ModuleIndex, name: str, reader: Scope | None = None
) -> ConstraintNode:
    """The node of a name of a module, over all its bindings there that `reader` may see."""
    facts = solver.project.load(module.path)
    home = None if facts is None or reader is None else replaced_around(facts, reader)

    def generate(node: ConstraintNode) -> None:
        found = seen_globals(facts, home or module.body, name) if facts is not None else ()
        for definition in found:
            value, frame = definition.value, solver.root(definition.scope)
            solver.connect(solver.evaluate(value, frame), node)
        if not found:
            _taken_over(solver, module, name, node)

    return solver.node((module, name) if home is None else ("seen", home, name), generate)


def _taken_over(solver: Solver, module: ModuleIndex, name: str, node: ConstraintNode) -> None:
    """A name that a module does not bind itself: `import *`, then builtins."""
    found = _starred(solver, module, name)
    if isinstance(found, External):
        solver.add(node, found)
    elif found is not None:
        solver.connect(global_name(solver, found, name), node)
    else:
        known = name in names.BUILTINS
        solver.add(node, External(f"builtins.{name}") if known else UNKNOWN)


def _starred(solver: Solver, module: ModuleIndex, name: str) -> ModuleIndex | External | None:
    """The module that binds a name which another takes over by `import *`, the last one first.

    A class of torch where none of the project's modules does.
    """
    waiting, seen, library = [module.path], {module.path}, None
    while waiting:
        facts = solver.project.load(waiting.pop())
        if facts is None:
            continue
        if facts.module is not module and name in facts.globals:
            return facts.module
        for target in solver.names.star_targets(facts):
            if not isinstance(target, External):
                waiting += [target] if target not in seen else []
                seen.add(target)
            elif target.path.startswith("torch") and name[:1].isupper():
                library = External(f"{target.path}.{name}")
    return library
