"""Call contexts: one activation of a function, as far as calls are told apart.

Question: do two calls of a function share what its expressions denote? Calls are told apart by
their place, their arguments, their object and the calls around them, `DEPTH` deep; deeper and
recursive ones share the root frame, which stands for every activation. So does a call of a loop
whose object came of this very call: each round would make another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dlint.semantics.calls.unpacked_lengths import most_unpacked
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.ir.expressions import Argument, Call, Expression
    from dlint.ir.module import Scope
    from dlint.semantics.values.values import Value

DEPTH = 3
"""How many nested calls are told apart; deeper ones join over all callers."""


PassedArgument: TypeAlias = "tuple[Argument, CallContext]"
"""An argument, and the activation that it is evaluated in."""


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call, those of the partials it goes through first."""

    arguments: tuple[PassedArgument, ...]

    @classmethod
    def of(cls, arguments: Iterable[Argument], context: CallContext) -> CallArguments:
        """Arguments that are all evaluated in one activation."""
        return cls(tuple([(argument, context) for argument in arguments]))

    def positional(self) -> list[PassedArgument] | None:
        """Arguments given by position in order, or None behind an unpacked `*x`."""
        given = [pair for pair in self.arguments if pair[0].keyword is None]
        if any(argument.star == "*" for argument, _ in given):
            return None
        return [pair for pair in given if not pair[0].star]

    def at(self, position: int) -> tuple[PassedArgument, int | None] | None:
        """The argument at a position; of a `*x` that covers it, with the index of its item."""
        index = 0
        for number, pair in enumerate(self.arguments):
            argument = pair[0]
            if argument.star == "*":
                return (pair, position - index) if self._reaches(number, position - index) else None
            if argument.keyword is None and not argument.star:
                if index == position:
                    return pair, None
                index += 1
        return None

    def _reaches(self, number: int, index: int) -> bool:
        """Whether a `*x`, or what stands behind it, may reach an index counted from its begin."""
        behind = self.arguments[number + 1 :]
        most = most_unpacked(self.arguments[number][0].value)
        ends = all(a.keyword is not None or a.star == "**" for a, _ in behind)
        return most is None or index < most or not ends

    def keyword(self, name: str) -> PassedArgument | None:
        """The last argument given as `name=…`: a call overrides its partial."""
        for pair in reversed(self.arguments):
            if pair[0].keyword == name:
                return pair
        return None

    def written(
        self, positional: tuple[str, ...], name: str
    ) -> tuple[Expression, CallContext] | None:
        """The expression given for a parameter by its name or position."""
        given = self.keyword(name)
        placed = self.at(positional.index(name)) if name in positional else None
        if given is None and placed is not None and placed[1] is None:
            given = placed[0]
        return None if given is None else (given[0].value, given[1])

    def unpacked(self, star: str) -> list[PassedArgument]:
        """The arguments given as `*x` or `**x`."""
        return [pair for pair in self.arguments if pair[0].star == star]


class CallSite(NamedTuple):
    """A call as it is evaluated: with the arguments that reach the callee, in one activation."""

    call: Call
    arguments: CallArguments
    context: CallContext


@dataclass(eq=False, slots=True)
class CallContext:
    """One activation. `call` is None for the root frame, which stands for every activation."""

    scope: Scope = field(repr=False)
    call: Call | None = field(default=None, repr=False)
    passed: CallArguments | None = field(default=None, repr=False)
    caller: CallContext | None = field(default=None, repr=False)
    closure: CallContext | None = field(default=None, repr=False)
    receiver: Value | None = field(default=None, repr=False)
    depth: int = 0

    def given(self, name: str) -> tuple[Expression, CallContext] | None:
        """The expression that the call gives to a parameter, and where it stands."""
        if self.passed is None:
            return None
        first = 0 if self.receiver is None else 1
        return self.passed.written(tuple(s.name for s in self.scope.parameters[first:]), name)

    def chain(self) -> list[CallContext]:
        """This frame and those that called it, innermost first."""
        frames: list[CallContext] = []
        frame: CallContext | None = self
        while frame is not None and frame.call is not None:
            frames.append(frame)
            frame = frame.caller
        return frames


@dataclass(slots=True)
class CallContexts:
    """All frames of one analysis, each made once."""

    _roots: dict[Scope, CallContext] = field(default_factory=dict)
    _entered: dict[object, CallContext] = field(default_factory=dict)

    def root(self, scope: Scope) -> CallContext:
        """The frame that stands for every activation of `scope`."""
        frame = self._roots.get(scope)
        if frame is None:
            closure = self.root(scope.parent) if scope.parent is not None else None
            frame = self._roots[scope] = CallContext(scope, closure=closure)
        return frame

    def enter(
        self,
        scope: Scope,
        call: Call,
        passed: CallArguments,
        caller: CallContext,
        closure: CallContext | None,
        receiver: Value | None = None,
    ) -> CallContext:
        """The frame of `scope` called by `call`; the root frame where calls nest too deep."""
        recursive = caller.scope is scope or any(f.scope is scope for f in caller.chain())
        if caller.depth >= DEPTH or recursive or _came_of(receiver, call, caller):
            return self.root(scope)
        key = (scope, call, passed, caller, closure, receiver)
        frame = self._entered.get(key)
        if frame is None:
            if closure is None and scope.parent is not None:
                closure = self.root(scope.parent)
            frame = CallContext(scope, call, passed, caller, closure, receiver, caller.depth + 1)
            self._entered[key] = frame
        return frame


def _came_of(made: Value | None, call: Call, caller: CallContext) -> bool:
    """Whether an object came of the call that one activation makes, perhaps through others."""
    waiting, seen = [made], set[CallContext]()
    while waiting:
        value = waiting.pop()
        if not isinstance(value, AllocationSite) or value.frame in seen:
            continue
        seen.add(value.frame)
        for frame in value.frame.chain():
            if frame.call is call and frame.caller is caller:
                return True
            waiting.append(frame.receiver)
    return False
