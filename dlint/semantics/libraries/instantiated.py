"""What `hydra.utils.instantiate` makes: the object that a node of a config stands for.

Question: what does `instantiate(cfg.loader, dataset=data)` denote? Followed: nodes of composed
configs, whose files are lowered to calls; each call of `instantiate` enters that call in a context
of its own, and adds its keywords. Nothing else is given then: what a file leaves open is what the
composed node holds. Given up on (Unknown): nodes that are no settings, or computed, and those with
`_partial_`; what is left open, where more than the config is given by position.
"""

from __future__ import annotations

from dlint.frontends.settings_files import Group
from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallArguments, CallSite
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Container, Value

_CONFIG = "config"
_PARTIAL = "_partial_"


def instantiate(solver: Solver, site: CallSite, node: ConstraintNode) -> None:
    """The object that a node of a config stands for flows into `node`."""
    given = site.arguments.written((_CONFIG,), _CONFIG)
    if given is None:
        solver.add(node, UNKNOWN)
        return

    def make(value: Value) -> None:
        call = _call_of(solver, value)
        if call is None or not isinstance(value, Container):
            solver.add(node, UNKNOWN)
        else:
            _made(solver, call, site, value, node)

    solver.watch(solver.evaluate(*given), make)


def _call_of(solver: Solver, value: Value) -> ex.Call | None:
    """The call that a node of a config is lowered to."""
    group = value.origin if isinstance(value, Container) else None
    if not isinstance(group, Group) or _PARTIAL in _names(group):
        return None
    facts = solver.project.load_described(group.path)
    calls = () if facts is None else facts.module.body.calls
    return next((call for call in calls if call.span == group.span), None)


def _names(group: Group) -> frozenset[object]:
    return frozenset(key.value for key, _ in group.items if isinstance(key, ex.Constant))


def _made(
    solver: Solver, call: ex.Call, site: CallSite, config: Container, node: ConstraintNode
) -> None:
    frame = solver.frames.enter(call.scope, site.call, site.arguments, site.context, None)
    added = tuple(p for p in site.arguments.arguments if _is_added(p[0]))
    held = ex.Argument(call.span, config.origin, star="**"), config.frame
    positional = site.arguments.positional()
    is_known = positional is not None and len(positional) <= 1

    def complete(value: Value) -> None:
        if isinstance(value, AllocationSite) and value.call is call:
            own = solver.passed[value].arguments
            if is_known and held not in own:
                own = tuple(held if pair[0].star == "**" else pair for pair in own)
            new = tuple(pair for pair in added if pair not in own)
            solver.passed[value] = CallArguments((*own, *new))
        solver.add(node, value)

    solver.watch(solver.evaluate(call, frame), complete)


def _is_added(argument: ex.Argument) -> bool:
    return argument.star == "**" or argument.keyword not in (None, _CONFIG)
