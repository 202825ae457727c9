"""Which definition of a name reaches which point of a scope (static single assignment)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from sys import intern

from dlint.findings.places import Span
from dlint.ir.expressions import Conditional, Definition, Expression, Join, Reference
from dlint.ir.module import Scope

Names = dict[str, Definition]


@dataclass(slots=True, eq=False)
class State:
    """The definitions at one point; `reachable` is False behind a jump."""

    names: Names
    reachable: bool = True


@dataclass(slots=True, eq=False)
class Loop:
    """The meetings at the head of a loop, and the states that leave its body early."""

    entry: Names
    heads: Names
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


class Environment:
    """The state of one scope while it is lowered from top to bottom."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.state = State({})
        self.outer: set[str] = set()
        """Names declared global or nonlocal: reads of them stay free."""
        self.loops: list[Loop] = []
        self.returns: list[State] = []

    def read(self, span: Span, name: str) -> Reference:
        """A reference to what `name` denotes here."""
        return Reference(span, intern(name), self.state.names.get(name))

    def bind(self, span: Span, name: str, value: Expression) -> Definition:
        """Bind `name` from here on."""
        name = intern(name)
        definition = Definition(span, name, value, self.scope)
        self.scope.definitions.append(definition)
        if name not in self.outer:
            self.state.names[name] = definition
        return definition

    def bind_inside(self, span: Span, name: str, value: Expression) -> Definition:
        """Bind the target of a comprehension: no definition that its scope lists."""
        definition = Definition(span, name, value, self.scope)
        self.state.names[name] = definition
        return definition

    def restore(self, name: str, definition: Definition | None) -> None:
        """Let `name` denote again what it did, None for nothing."""
        if definition is None:
            self.state.names.pop(name, None)
        else:
            self.state.names[name] = definition

    def unbind(self, name: str) -> None:
        """Forget `name`, as `del` does."""
        self.state.names.pop(name, None)

    def fork(self) -> State:
        """A copy of the state, for a branch."""
        return State(dict(self.state.names), self.state.reachable)

    def jump(self, targets: list[State]) -> None:
        """Leave for `targets`: nothing below is reached."""
        if self.state.reachable:
            targets.append(self.fork())
        self.state.reachable = False

    def choose(self, span: Span, test: Expression, then: State, otherwise: State) -> None:
        """Go on where the two branches of an `if` meet."""
        self.state = otherwise if otherwise.reachable else then
        if not (then.reachable and otherwise.reachable):
            return
        for name in _differing((then, otherwise)):
            value = Conditional(
                span, test, _reference(span, name, then), _reference(span, name, otherwise)
            )
            self.state.names[name] = Definition(span, name, value, self.scope)

    def join(self, span: Span, states: list[State]) -> None:
        """Go on where any of `states` may have come from."""
        live = [state for state in states if state.reachable]
        if not live:
            self.state = State(dict(states[0].names), False)
            return
        self.state = State(dict(live[0].names))
        for name in _differing(live):
            value = Join(span, _alternatives(span, name, live))
            self.state.names[name] = Definition(span, name, value, self.scope)

    def interrupt(self, span: Span, before: State, bound: Iterable[Definition]) -> State:
        """The state of an exception handler: any binding of the body may have happened."""
        state = State(dict(before.names), before.reachable)
        grouped: dict[str, list[Definition]] = {}
        for definition in bound:
            if definition.name not in self.outer:
                grouped.setdefault(definition.name, []).append(definition)
        for name, definitions in grouped.items():
            references = [Reference(span, name, d) for d in definitions]
            value = Join(span, (_reference(span, name, before), *references))
            state.names[name] = Definition(span, name, value, self.scope)
        return state

    def enter_loop(self, span: Span, bound: Iterable[str]) -> None:
        """Start a loop that binds the names `bound` somewhere in it."""
        names = self.state.names
        entry = {name: names[name] for name in bound if name in names}
        heads = {
            name: Definition(span, name, Join(span, ()), self.scope)
            for name in map(intern, bound)
            if name not in self.outer
        }
        names.update(heads)
        self.loops.append(Loop(entry, heads))

    def close_loop(self) -> Loop:
        """End the body of the innermost loop: its heads learn what comes round."""
        loop = self.loops.pop()
        ends = [state for state in (self.state, *loop.continues) if state.reachable]
        for name, head in loop.heads.items():
            value = head.value
            assert isinstance(value, Join)
            first = Reference(value.span, name, loop.entry.get(name))
            value.alternatives = (first, *_others(name, head, first.definition, ends))
        return loop

    def finish(self) -> None:
        """Note what every name denotes at the end of the scope."""
        if not self.state.reachable and self.returns:
            self.join(self.scope.span, self.returns)
        span = self.scope.span
        self.scope.final = {
            name: Reference(span, name, definition) for name, definition in self.state.names.items()
        }


def _reference(span: Span, name: str, state: State) -> Reference:
    return Reference(span, name, state.names.get(name))


def _differing(states: Iterable[State]) -> list[str]:
    first, *others = [state.names for state in states]
    found: dict[str, None] = {}
    for other in others:
        found.update((name, None) for name in first if other.get(name) is not first[name])
        found.update((name, None) for name in other if name not in first)
    return list(found)


def _alternatives(span: Span, name: str, states: Iterable[State]) -> tuple[Reference, ...]:
    definitions = dict.fromkeys(state.names.get(name) for state in states)
    return tuple(Reference(span, name, definition) for definition in definitions)


def _others(
    name: str, head: Definition, first: Definition | None, ends: list[State]
) -> list[Reference]:
    definitions = dict.fromkeys(state.names.get(name) for state in ends)
    return [Reference(head.span, name, d) for d in definitions if d is not head and d is not first]
