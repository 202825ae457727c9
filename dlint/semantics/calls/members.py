"""Method calls whose meaning belongs to the receiver: batches, containers, framework objects.

Question: what does `receiver.name(…)` denote where no project method decides? Followed: copies and
views of batches, items of dicts, `prepare` of a framework, parsing, readers of settings, context
managers that a stack enters; a method of what a library made is named after it, one call deep.
Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir.expressions import Attribute, Call, Entered, constant
from dlint.library_facts import config_files, frameworks, passthrough, tensors
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import CallSite
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.names.dtypes import is_dtype
from dlint.semantics.names.text_parts import written_begin
from dlint.semantics.values.contents import contents
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    Container,
    External,
    Generated,
    Instance,
    Literal,
    ModuleValue,
    Namespace,
    Unknown,
    Value,
    VarArgs,
    WrappedLoader,
    Zipped,
    is_of_library,
    library_path,
)

_WRAPPING = frozenset().union(*(framework.wraps for framework in frameworks.FRAMEWORKS))


def call(
    solver: Solver,
    receiver: Value,
    name: str,
    site: CallSite,
    node: ConstraintNode,
) -> bool:
    """Whether `receiver.name(…)` is handled here; if so its result flows into `node`."""
    if name in ("__next__", "next") and _yields(solver, receiver):
        solver.element(receiver, node)
    elif name == "__iter__" and _yields(solver, receiver):
        solver.add(node, receiver)
    elif isinstance(receiver, Batch):
        _of_batch(solver, receiver, name, site, node)
    elif isinstance(receiver, Container | VarArgs | Zipped):
        _of_container(solver, receiver, name, site, node)
    elif isinstance(receiver, Literal) and name == "format" and (begun := written_begin(site.call)):
        solver.add(node, Literal.of(begun + "…"))
    elif isinstance(receiver, ModuleValue):
        return _of_names(solver, receiver, name, site, node)
    elif is_of_library(receiver):
        return _of_library_object(solver, receiver, name, site, node)
    elif isinstance(receiver, Instance) and name in tensors.MODULE_CHAINS:
        if solver.classes.method(receiver.cls, name) is not None:
            return False
        solver.add(node, receiver)
    elif isinstance(receiver, Unknown) and name in _WRAPPING:
        _wrap(solver, "", site, node)
    else:
        return False
    return True


def _yields(solver: Solver, receiver: Value) -> bool:
    if isinstance(receiver, Generated | Zipped | WrappedLoader):
        return True
    return isinstance(receiver, AllocationSite) and calls.is_loader(solver, receiver)


def _of_batch(
    solver: Solver,
    batch: Batch,
    name: str,
    site: CallSite,
    node: ConstraintNode,
) -> None:
    if name in tensors.COPIES:
        # what is on the device is no concern of a loader any more; a change of dtype is a copy
        solver.add(node, UNKNOWN if _is_move(site.call) else Batch(batch.loader, True, batch.moved))
    elif name == "items":
        solver.add(node, Zipped(site.call, site.context))
    elif name in tensors.VIEWS or (name == "contiguous" and not _is_strided(site.call)):
        solver.add(node, batch)
    else:
        solver.add(node, Batch(batch.loader, fresh=True, moved=batch.moved))


def _is_strided(call: Call) -> bool:
    """Whether `contiguous()` is asked of a view that is not: only then does it copy."""
    receiver = call.function.value if isinstance(call.function, Attribute) else None
    return isinstance(receiver, Call) and receiver.name in tensors.STRIDED


def _is_move(call: Call) -> bool:
    first = next((a.value for a in call.arguments if a.keyword is None), None)
    return call.name != "to" or first is None or not is_dtype(first)


def _of_container(
    solver: Solver,
    container: Container | VarArgs | Zipped,
    name: str,
    site: CallSite,
    node: ConstraintNode,
) -> None:
    if name == "items":
        solver.add(node, Zipped(site.call, site.context))
    elif name in ("values", "copy") or isinstance(container, Zipped):
        solver.add(node, container)
    elif name in ("get", "pop", "setdefault"):
        first = site.call.arguments[0].value if site.call.arguments else None
        key = getattr(first, "value", None)
        wanted = key if isinstance(key, str | int) else None
        solver.connect(contents(solver, container, wanted), node)
    else:
        solver.add(node, UNKNOWN)


def _of_names(
    solver: Solver, module: ModuleValue, name: str, site: CallSite, node: ConstraintNode
) -> bool:
    """`vars(module).items()` and `vars(module).get(name)`; a function of that name comes first."""
    if name not in ("items", "get") or solver.names.member(module, name):
        return False
    if name == "items":
        solver.add(node, Zipped(site.call, site.context))
        return True
    first = site.call.arguments[0].value if site.call.arguments else None
    key = None if first is None else constant(first)
    wanted = key.value if key is not None and isinstance(key.value, str) else None
    solver.item(module, wanted, node)
    return True


def _of_library_object(
    solver: Solver,
    receiver: AllocationSite,
    name: str,
    site: CallSite,
    node: ConstraintNode,
) -> bool:
    framework = frameworks.wrapper(library_path(receiver), name)
    if framework is not None:
        _wrap(solver, framework.name, site, node)
    elif name in ("parse_args", "parse_known_args", "parse_intermixed_args"):
        solver.add(node, Namespace(site.call))
    elif library_path(receiver) == "builtins.super":
        return False
    elif name in ("prepare", "setup_dataloaders"):
        _wrap(solver, "", site, node)
    elif passthrough.gives_itself(library_path(receiver), name):
        solver.add(node, receiver)
    elif name == "load" and f"{library_path(receiver)}().load" in config_files.READERS:
        solver[ConfigFiles].read(library_path(receiver), site.call, site.context, node)
    else:
        _of_result(solver, library_path(receiver), name, site, node)
    return True


def _of_result(solver: Solver, path: str, name: str, site: CallSite, node: ConstraintNode) -> None:
    """A method of what a library callable made: named after it, but only one call deep."""
    given = site.arguments.positional()
    if given and f"{path}().{name}" in passthrough.ENTERING:
        argument, frame = given[0]
        solver.connect(solver.evaluate(Entered(argument.span, argument.value), frame), node)
    elif "()" in path:
        solver.add(node, UNKNOWN)
    else:
        callee = External(f"{path}().{name}")
        solver.add(node, AllocationSite(site.call, solver.root(site.call.scope), callee))


def _wrap(solver: Solver, by: str, site: CallSite, node: ConstraintNode) -> None:
    """`prepare(loader)` returns the wrapped loader, `prepare(a, b)` all of them in order."""
    if len(site.call.arguments) == 1 and not site.call.arguments[0].star:
        source = solver.evaluate(site.call.arguments[0].value, site.context)
        solver.watch(source, lambda value: solver.add(node, calls.wrapped(solver, value, by)))
    else:
        solver.add(node, Container(site.call, site.context))
