"""Calls of library functions: what they return, as far as loaders and batches are concerned.

Question: what does a call of a library callable denote? Followed: `partial`, `next`, `getattr`,
callables that hand on what they are given or keep it in a list or dict, readers of settings, and
functions that make a tensor of a batch. Everything else is an object of its own. The facts are
those of `library_facts`. Bounded by the solver's budget.
"""

from __future__ import annotations

from dlint.ir.expressions import Argument, Comprehension, Element, Expression, constant
from dlint.library_facts import config_files, passthrough, tensors
from dlint.semantics.calls import calls
from dlint.semantics.calls.call_contexts import (
    CallArguments,
    CallContext,
    CallSite,
    PassedArgument,
)
from dlint.semantics.libraries import argparsing, instantiated
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.names.named_modules import named_modules
from dlint.semantics.values import containers, module_names
from dlint.semantics.values.contents import contents
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    Literal,
    ModuleValue,
    Partial,
    Value,
    Zipped,
)

_FEW_NAMES = 8
"""Names that `getattr` may be given: whoever calls all hooks of all objects in one place joins them
all, so that what each of them is given reaches every other one."""


def call(
    solver: Solver,
    callee: External,
    site: CallSite,
    node: ConstraintNode,
) -> None:
    """What a library callable returns flows into `node`."""
    path, passed = callee.path, site.arguments
    if path == "functools.partial" and passed.positional():
        partial = Partial(site.call, site.context)
        solver.passed[partial] = passed
        solver.add(node, partial)
    elif path in passthrough.ZIPPED:
        solver.add(node, Zipped(site.call, site.context))
    elif path in passthrough.DICTS:
        solver.add(node, Container(site.call, site.context))
    elif path in config_files.READERS:
        solver[ConfigFiles].read(path, site.call, site.context, node)
    elif path in config_files.HYDRA_COMPOSE:
        solver[ConfigFiles].compose(site.call, node)
    elif path in config_files.INSTANTIATE:
        instantiated.instantiate(solver, site, node)
    elif path == config_files.MERGE and solver[ConfigFiles].merge(site.call, site.context, node):
        pass
    elif path == "builtins.next":
        _next(solver, passed, node)
    elif path == "builtins.getattr":
        _getattr(solver, passed, node)
    elif path == "importlib.import_module":
        _import_module(solver, site, node)
    elif not _handed_on(solver, path, passed, node):
        _made(solver, callee, site, node)


def _next(solver: Solver, passed: CallArguments, node: ConstraintNode) -> None:
    given = passed.positional()
    if given:
        source = solver.evaluate(given[0][0].value, given[0][1])
        solver.watch(source, lambda value: solver.element(value, node))


def _getattr(solver: Solver, passed: CallArguments, node: ConstraintNode) -> None:
    given = passed.positional() or []
    if not given:
        solver.add(node, UNKNOWN)
        return
    name = constant(given[1][0].value) if len(given) > 1 else None
    attribute = None if name is None else name.value

    def watch(value: Value) -> None:
        if isinstance(attribute, str):
            solver.attribute(value, attribute, node)
            if len(given) > 2 and argparsing.may_lack(solver, value, attribute):
                solver.connect(solver.evaluate(given[2][0].value, given[2][1]), node)
        elif isinstance(value, ModuleValue):
            module_names.any_name(solver, value, node)
        elif isinstance(value, ClassObject):
            module_names.any_of_class(solver, value, node)
        elif len(given) > 1:
            _named_by_values(solver, value, given[1], node)
        else:
            solver.add(node, UNKNOWN)

    solver.watch(solver.evaluate(given[0][0].value, given[0][1]), watch)


def _named_by_values(
    solver: Solver, owner: Value, name: PassedArgument, node: ConstraintNode
) -> None:
    """What an object has under the names that an expression may stand for, if they are few."""
    names = solver.evaluate(name[0].value, name[1])

    def watch(value: Value) -> None:
        few = len(names.values) <= _FEW_NAMES
        if few and isinstance(value, Literal) and isinstance(value.value, str):
            solver.attribute(owner, value.value, node)
        else:
            solver.add(node, UNKNOWN)

    solver.watch(names, watch)
    solver.unless_filled(node)


def _import_module(solver: Solver, site: CallSite, node: ConstraintNode) -> None:
    """The modules of the project that a text may name."""
    paths = named_modules(solver.project, site.call)
    loaded = [solver.project.load(path) for path in paths]
    for facts in loaded:
        if facts is not None:
            solver.add(node, ModuleValue(facts.module, one_of=len(paths) > 1))
    if not loaded or None in loaded:
        solver.add(node, UNKNOWN)


def handed_on(path: str, passed: CallArguments) -> list[PassedArgument] | None:
    """Which of its arguments a library callable returns, in effect; None for other callables."""
    if path in passthrough.ALL_ARGUMENTS:
        positions = range(len(passed.arguments))
    elif path in passthrough.SECOND_ARGUMENT:
        positions = range(1, 2)
    elif passthrough.first_argument(path):
        positions = range(1)
    else:
        return None
    given = passed.positional() or []
    chosen = [given[i] for i in positions if i < len(given)]
    iterable = passed.keyword("iterable")
    return chosen or ([] if iterable is None else [iterable])


def _handed_on(solver: Solver, path: str, passed: CallArguments, node: ConstraintNode) -> bool:
    """Whether a callable returns what it is given; if so that flows into `node`."""
    given = handed_on(path, passed)
    if given is None:
        return False
    for argument, frame in given:
        source = solver.evaluate(argument.value, frame)
        if path in passthrough.COPYING:
            solver.watch(source, lambda value: solver.add(node, _copied(value)))
        elif path in passthrough.COLLECTING:
            made = solver[Collections].of(argument.value)
            collected = Container(made, frame)
            solver.watch(source, lambda value, c=collected: _collect(solver, value, c, node))  # type: ignore[misc]
        else:
            solver.connect(source, node)
    if path == "torch.device":
        solver.add(node, External("torch.device()"))
    return True


def _collect(solver: Solver, value: Value, made: Container, node: ConstraintNode) -> None:
    """`list(generator)` is a list of its elements; what is gone through again stays what it is."""
    solver.add(node, made if containers.becomes_list(solver, value) else value)


class Collections:
    """The lists that `list(…)`, `sorted(…)` and the like make: `[x for x in …]` of an argument."""

    def __init__(self, solver: Solver) -> None:
        del solver
        self._made: dict[Expression, Comprehension] = {}

    def of(self, iterable: Expression) -> Comprehension:
        """The comprehension that gives the same list."""
        made = self._made.get(iterable)
        if made is None:
            span = iterable.span
            element = Element(span, iterable)
            made = self._made[iterable] = Comprehension(
                span, "list", element, None, (iterable,), ()
            )
        return made


def _copied(value: Value) -> Value:
    """A copy of a batch is made of new tensors."""
    return Batch(value.loader, True, value.moved) if isinstance(value, Batch) else value


def _made(
    solver: Solver,
    callee: External,
    site: CallSite,
    node: ConstraintNode,
) -> None:
    """A new object; where a batch goes into a tensor function, a batch comes out."""
    owner, _, name = callee.path.rpartition(".")
    if name in passthrough.TRAINER_CONSTRUCTORS:
        callee, site = External(owner), calls.with_unknown_arguments(site)
    apart = calls.is_told_apart(solver, callee)
    frame = site.context if apart else solver.root(site.call.scope)
    made = AllocationSite(site.call, frame, callee)
    solver.passed.setdefault(made, site.arguments)
    solver.add(node, made)
    if apart:
        return
    if callee.path in tensors.MOVERS or tensors.makes_tensors(callee.path):
        for argument, caller in site.arguments.arguments[:2]:
            _through(solver, callee.path, argument, caller, node)


def _through(
    solver: Solver, path: str, argument: Argument, caller: CallContext, node: ConstraintNode
) -> None:
    moved = path in tensors.MOVERS

    def watch(value: Value) -> None:
        if isinstance(value, Batch):
            solver.add(node, UNKNOWN if moved else Batch(value.loader, True, value.moved))
        elif isinstance(value, Container):
            solver.watch(_batches(solver, value), watch)

    solver.watch(solver.evaluate(argument.value, caller), watch)


def _batches(solver: Solver, container: Container) -> ConstraintNode:
    """The node of the batches in a container, which is asked by all that take the container."""

    def generate(node: ConstraintNode) -> None:
        inner = contents(solver, container, None)
        solver.watch(
            inner, lambda part: solver.add(node, part) if isinstance(part, Batch) else None
        )

    return solver.node(("batches", container), generate)
