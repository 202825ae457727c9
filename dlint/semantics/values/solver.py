"""The solver: which values reach an expression, computed only for what is asked.

Each (expression, frame) is a node. Asking for a node makes its constraints: edges along which
values flow, and watchers that add further edges as values arrive (a callee becomes known, an
attribute's owner becomes known). Cycles need no care, since values only accumulate. Callees are
evaluated in frames of their own, so two calls of one factory stay apart; what a parameter of a root
frame holds is joined over the calls of the function in the project.

What the expressions and values of a language and its libraries mean is not known here: it is handed
in as `Semantics`, by kinds. What others want to know of the whole project (`solver[Callers]`) is a
query, made once. Work is bounded by a budget of steps: a step takes one value along one edge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from dlint.ir import walk
from dlint.ir.expressions import Definition, Expression
from dlint.ir.looked_at import ByKind
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, CallContexts
from dlint.semantics.calls.classes import Classes
from dlint.semantics.names.names import Names
from dlint.semantics.project import Project
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import UNKNOWN, AllocationSite, Partial, Value

BUDGET = 4_000_000
"""Steps that one analysis may take: some ten seconds. Few programs take 500,000."""
_ONE = 3 * BUDGET // 8
"""Steps that one question may take. Of the large programs that were looked at as a whole, none took
a million; where one took more, it took all that there were (docs/measurements, 30 November)."""

_FEW = 3
"""Values or targets of a node that are looked through sooner than looked up."""

MOST = 64
"""Values that one place is told of. Where there are more, Unknown stands for the others: no rule
says more for the hundredth, and what each of them leads to is most of the work of large programs
(a registry of classes, the samples of every data set). Which ones are kept is left to the order in
which they come."""

T = TypeVar("T")
Watcher = Callable[[Value], None]
Key = str | int | None
"""A constant key or position of an item; None stands for any."""


@dataclass(eq=False, slots=True)
class ConstraintNode:
    """The values that reach one place, and where they go from there.

    There are hundreds of thousands, and few values and targets at most of them: those of few stand
    in tuples, which take a third of the memory of dicts and need no hash of a value.
    """

    values: tuple[Value, ...] | dict[Value, None] = ()
    targets: tuple[ConstraintNode, ...] | dict[ConstraintNode, None] = ()
    watchers: tuple[Watcher, ...] | list[Watcher] = ()

    def take(self, value: Value) -> Value | None:
        """Add a value; what is new at the node then: the value, Unknown for one too many."""
        values = self.values
        if isinstance(values, tuple):
            if value in values:
                return None
            if len(values) < _FEW:
                self.values = (*values, value)
                return value
            values = self.values = dict.fromkeys(values)
        known = len(values)
        if known >= MOST and value not in values:
            value = UNKNOWN
        values[value] = None
        return value if len(values) > known else None

    def lead_to(self, target: ConstraintNode) -> bool:
        """Add a target; whether it is new."""
        targets = self.targets
        if target in targets:
            return False
        if isinstance(targets, tuple):
            if len(targets) < _FEW:
                self.targets = (*targets, target)
                return True
            targets = self.targets = dict.fromkeys(targets)
        targets[target] = None
        return True

    def heed(self, watcher: Watcher) -> None:
        """Add a watcher."""
        watchers = self.watchers
        if isinstance(watchers, list):
            watchers.append(watcher)
        elif len(watchers) < _FEW:
            self.watchers = (*watchers, watcher)
        else:
            self.watchers = [*watchers, watcher]


Constraints = Callable[["Solver", Any, CallContext, ConstraintNode], None]
"""Lets what an expression denotes flow into its node."""
AttributeTransfer = Callable[["Solver", Any, str, ConstraintNode], None]
"""Lets what `value.name` denotes flow into a node."""
ElementTransfer = Callable[["Solver", Any, ConstraintNode], None]
"""Lets what iterating over a value gives flow into a node."""


class ItemTransfer(Protocol):
    """Lets what `value[key]` gives flow into a node; if `optional`, nothing where no such key is
    there, rather than Unknown."""

    def __call__(
        self, solver: Solver, value: Any, key: Key, node: ConstraintNode, *, optional: bool
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Semantics:
    """What each kind of expression and of value means; of a kind that is missing nothing is known.

    Every kind of expression has its constraints.
    """

    constraints: Mapping[type, Constraints]
    attributes: Mapping[type, AttributeTransfer]
    items: Mapping[type, ItemTransfer]
    elements: Mapping[type, ElementTransfer]


class Solver:
    """Values of expressions over one project.

    `budget` bounds the work in steps; past it every new question is answered with
    Unknown and `exhausted` is set.
    """

    def __init__(self, project: Project, semantics: Semantics, budget: int = BUDGET) -> None:
        self.project = project
        self.frames = CallContexts()
        self.names = Names(project)
        self.classes = Classes(project, self.names)
        self.passed: dict[AllocationSite | Partial, CallArguments] = {}
        self.exhausted = False
        self.root: Callable[[Scope], CallContext] = self.frames.root
        """The frame that stands for every activation of a scope."""
        self._semantics = semantics
        self._constraints: Mapping[type, Constraints] = ByKind(semantics.constraints)
        self._granted = self._budget = budget
        self._least = 0
        """What must be left of the budget after the question that is asked now."""
        self._answers: dict[object, Any] = {}
        self._told: dict[ConstraintNode, OrderedSet[Value]] = {}
        """The values of nodes as they were last asked for."""
        self._nodes: dict[object, ConstraintNode] = {}
        self._bindings: dict[tuple[Scope, str], list[Definition]] = {}
        self._closing: list[Callable[[], None]] = []
        self._unfilled: list[ConstraintNode] = []
        self._todo: deque[Callable[[], None]] = deque()
        self._work: deque[tuple[ConstraintNode, Value]] = deque()

    # -- questions

    def __getitem__(self, query: Callable[[Solver], T]) -> T:
        """The answer to a question about the whole project, found once: `solver[Callers]`."""
        answer = self._answers.get(query)
        if answer is None:
            answer = self._answers[query] = query(self)
        found: T = answer
        return found

    def values(self, expression: Expression, frame: CallContext) -> OrderedSet[Value]:
        """Everything `expression` may denote; Unknown is among it where something is not known."""
        node = self.evaluate(expression, frame)
        self.settle()
        if self.exhausted:
            return OrderedSet(node.values).with_one(UNKNOWN)
        told = self._told.get(node)
        if told is None or len(told) < len(node.values):
            told = self._told[node] = OrderedSet(node.values)
        return told

    def settle(self) -> None:
        """Propagate until nothing changes, or one question takes too much."""
        self._least = max(self._budget - _ONE, 0)
        while self._todo or self._work or self._closing or self._unfilled:
            self._propagate()
            if not self._close():
                self._fill()

    @property
    def steps(self) -> int:
        """How many steps were taken so far."""
        return self._granted - self._budget

    def give_up(self) -> None:
        """Answer every new question with Unknown: the rest would be past the budget."""
        self.exhausted = True
        self._todo.clear()
        self._work.clear()

    def when_settled(self, close: Callable[[], None]) -> None:
        """Call `close` once, when nothing flows any more; it may make something flow."""
        self._closing.append(close)

    def unless_filled(self, node: ConstraintNode) -> None:
        """Unknown reaches `node` if nothing else does; decided when nothing flows any more."""
        self._unfilled.append(node)

    def _close(self) -> bool:
        closing, self._closing = self._closing, []
        if self.exhausted:
            return False
        for close in closing:
            close()
        return bool(closing)

    def _fill(self) -> None:
        unfilled = [node for node in self._unfilled if not node.values]
        self._unfilled.clear()
        for node in unfilled:
            self.add(node, UNKNOWN)

    def let_go(self) -> None:
        """Forget all that is known: nothing is asked any more.

        Nodes and those who watch them hold each other, so nothing of them would end by itself.
        """
        for node in self._nodes.values():
            node.targets = node.watchers = ()
        self._nodes.clear()
        self._told.clear()
        self._answers.clear()
        self._closing.clear()

    # -- what values mean

    def attribute(self, value: Value, name: str, node: ConstraintNode) -> None:
        """What `value.name` denotes flows into `node`."""
        transfer = self._semantics.attributes.get(type(value))
        if transfer is None:
            self.add(node, UNKNOWN)
        else:
            transfer(self, value, name, node)

    def member(self, value: Value, name: str) -> ConstraintNode:
        """The node of `value.name`."""
        return self.node(("member", value, name), lambda made: self.attribute(value, name, made))

    def item(self, value: Value, key: Key, node: ConstraintNode, *, optional: bool = False) -> None:
        """What `value[key]` (or unpacking) gives flows into `node`.

        `optional`: a key that is not there gives nothing, rather than Unknown.
        """
        transfer = self._semantics.items.get(type(value))
        if transfer is None:
            self.add(node, UNKNOWN)
        else:
            transfer(self, value, key, node, optional=optional)

    def element(self, value: Value, node: ConstraintNode) -> None:
        """What iterating over `value` gives flows into `node`."""
        transfer = self._semantics.elements.get(type(value))
        if transfer is None:
            self.add(node, UNKNOWN)
        else:
            transfer(self, value, node)

    # -- constraints

    def evaluate(self, expression: Expression, frame: CallContext) -> ConstraintNode:
        """The node of an expression; its constraints are made on first demand."""
        key = (expression, frame)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = ConstraintNode()
            constrain = self._constraints[type(expression)]
            self._todo.append(partial(constrain, self, expression, frame, node))
        return node

    def node(self, key: object, generate: Callable[[ConstraintNode], None]) -> ConstraintNode:
        """The node kept under `key`, with constraints made by `generate` on first demand."""
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = ConstraintNode()
            self._todo.append(partial(generate, node))
        return node

    def add(self, node: ConstraintNode, value: Value) -> None:
        """`value` reaches `node`."""
        new = node.take(value)
        if new is not None:
            self._work.append((node, new))

    def connect(self, source: ConstraintNode, target: ConstraintNode) -> None:
        """Whatever reaches `source` reaches `target`."""
        if source is target or not source.lead_to(target):
            return
        values = tuple(source.values)
        self._budget -= len(values)
        for value in values:
            new = target.take(value)
            if new is not None:
                self._work.append((target, new))

    def watch(self, node: ConstraintNode, watcher: Watcher) -> None:
        """Call `watcher` once for each value that reaches `node`, now and later."""
        node.heed(watcher)
        self._budget -= len(node.values)
        for value in tuple(node.values):
            watcher(value)

    def bindings(self, scope: Scope, name: str) -> Iterable[Definition]:
        """The definitions of `name` in `scope`; of a module those that are not overwritten."""
        known = self._bindings.get((scope, name))
        if known is None:
            known = self._bindings[scope, name] = walk.lasting_of(scope, name)
        return known

    def _propagate(self) -> None:
        todo, work = self._todo, self._work
        while todo or work:
            self._budget -= 1
            if self._budget < self._least:
                self.give_up()
                return
            if todo:
                todo.popleft()()
                continue
            node, value = work.popleft()
            self._budget -= len(node.targets) + len(node.watchers)
            for target in node.targets:
                new = target.take(value)  # as `add`, of which most calls would be from here
                if new is not None:
                    work.append((target, new))
            for watcher in tuple(node.watchers):
                watcher(value)
