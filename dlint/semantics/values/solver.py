"""The solver: which values reach an expression, computed only for what is asked.

Each (expression, frame) is a node. Asking for a node makes its constraints: edges along which
values flow, and watchers that add further edges as values arrive (a callee becomes known, an
attribute's owner becomes known). Cycles need no care, since values only accumulate. Callees are
evaluated in frames of their own, so two calls of one factory stay apart; what a parameter of a root
frame holds is joined over the calls of the function in the project.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from dlint.ir import walk
from dlint.ir.expressions import Definition, Expression
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, CallContexts
from dlint.semantics.calls.callers import Callers
from dlint.semantics.calls.classes import Classes
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.libraries.config_trees import ConfigTrees
from dlint.semantics.libraries.shell_runs import ShellRuns
from dlint.semantics.names.names import Names
from dlint.semantics.project import Project
from dlint.semantics.values import constraints
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Partial, Value

BUDGET = 2_000_000
"""Propagation steps that one analysis may take: some ten seconds."""

Watcher = Callable[[Value], None]


@dataclass(eq=False, slots=True)
class ConstraintNode:
    """The values that reach one place, and where they go from there."""

    values: set[Value] = field(default_factory=set)
    targets: dict[ConstraintNode, None] = field(default_factory=dict)
    watchers: list[Watcher] = field(default_factory=list)


class Solver:
    """Values of expressions over one project.

    `budget` bounds the work in propagation steps; past it every new question is answered with
    Unknown and `exhausted` is set.
    """

    def __init__(self, project: Project, budget: int = BUDGET) -> None:
        self.project = project
        self.frames = CallContexts()
        self.names = Names(project)
        self.classes = Classes(project, self.names)
        self.callers = Callers(self)
        self.config_trees = ConfigTrees(self)
        self.config_files = ConfigFiles(self)
        self.shell_runs = ShellRuns(self)
        self.passed: dict[AllocationSite | Partial, CallArguments] = {}
        self.exhausted = False
        self._budget = budget
        self._nodes: dict[object, ConstraintNode] = {}
        self._bindings: dict[Scope, dict[str, list[Definition]]] = {}
        self._todo: deque[Callable[[], None]] = deque()
        self._work: deque[tuple[ConstraintNode, Value]] = deque()

    # -- questions

    def values(self, expression: Expression, frame: CallContext) -> frozenset[Value]:
        """Everything `expression` may denote; Unknown is among it where something is not known."""
        node = self.evaluate(expression, frame)
        self.settle()
        if self.exhausted:
            return frozenset(node.values) | {UNKNOWN}
        return frozenset(node.values)

    def settle(self) -> None:
        """Propagate until nothing changes."""
        while True:
            self._propagate()
            if self.exhausted or not self.callers.close():
                return

    # -- constraints, used by the generators

    def evaluate(self, expression: Expression, frame: CallContext) -> ConstraintNode:
        """The node of an expression; its constraints are made on first demand."""
        key = (expression, frame)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = ConstraintNode()
            generate = constraints.of(expression)
            self._todo.append(lambda: generate(self, expression, frame, node))
        return node

    def node(self, key: object, generate: Callable[[ConstraintNode], None]) -> ConstraintNode:
        """The node kept under `key`, with constraints made by `generate` on first demand."""
        node = self._nodes.get(key)
        if node is None:
            made = node = self._nodes[key] = ConstraintNode()
            self._todo.append(lambda: generate(made))
        return node

    def add(self, node: ConstraintNode, value: Value) -> None:
        """`value` reaches `node`."""
        values = node.values
        known = len(values)
        values.add(value)
        if len(values) > known:
            self._work.append((node, value))

    def connect(self, source: ConstraintNode, target: ConstraintNode) -> None:
        """Whatever reaches `source` reaches `target`."""
        if source is target or target in source.targets:
            return
        source.targets[target] = None
        for value in tuple(source.values):
            self.add(target, value)

    def watch(self, node: ConstraintNode, watcher: Watcher) -> None:
        """Call `watcher` once for each value that reaches `node`, now and later."""
        node.watchers.append(watcher)
        for value in tuple(node.values):
            watcher(value)

    def root(self, scope: Scope) -> CallContext:
        """The frame that stands for every activation of `scope`."""
        return self.frames.root(scope)

    def bindings(self, scope: Scope, name: str) -> Iterable[Definition]:
        """The definitions of `name` in `scope`; of a module those that are not overwritten."""
        table = self._bindings.get(scope)
        if table is None:
            table = self._bindings[scope] = {}
            for definition in walk.lasting(scope):
                table.setdefault(definition.name, []).append(definition)
        return table.get(name, ())

    def _propagate(self) -> None:
        todo, work = self._todo, self._work
        while todo or work:
            self._budget -= 1
            if self._budget < 0:
                self.exhausted = True
                todo.clear()
                work.clear()
                return
            if todo:
                todo.popleft()()
                continue
            node, value = work.popleft()
            for target in node.targets:
                self.add(target, value)
            for watcher in tuple(node.watchers):
                watcher(value)
