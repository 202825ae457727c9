"""Binding: which argument of a call a parameter takes.

Question: given the arguments of a call (those of the partials that it goes through first included)
and a signature, what does each parameter take, what is left to `*args` and `**kwargs`, and which
parameter takes a given argument?

Followed: positions, keywords, positional-only and keyword-only parameters, a keyword given twice
(the last one holds: a call overrides its partial), `*x` and `**x`, which are named as sources with
the item that a parameter would take of them. Given up on: what stands in `*x` and `**x` (whoever
asks knows values, or does not), and positional arguments behind a `*x` of unknown length. Pure and
linear in the arguments, so without a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dlint.ir.expressions import (
    Argument,
    Attribute,
    Expression,
    Imported,
    Parameter,
    Reference,
    Subscript,
    unnamed,
)
from dlint.ir.module import ParameterSpec, Scope
from dlint.ir.remembering import remembered
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, PassedArgument

_BY_POSITION = ("positional", "either")
_VARIADIC = ("star", "starstar")


@dataclass(frozen=True, slots=True)
class UnpackedItem:
    """An item of a `*x` (by its position there) or of a `**x` (by its key)."""

    source: Expression
    context: CallContext
    key: int | str


@dataclass(frozen=True, slots=True)
class BoundArgument:
    """What a call gives to one parameter.

    `given` is the argument that it certainly takes. Otherwise it takes the last of `unpacked` that
    holds such an item, and where none does its default.
    """

    given: PassedArgument | None = None
    unpacked: tuple[UnpackedItem, ...] = ()

    @property
    def expression(self) -> tuple[Expression, CallContext] | None:
        """The expression that is certainly given, and where it is evaluated."""
        return None if self.given is None else (self.given[0].value, self.given[1])

    @property
    def is_absent(self) -> bool:
        """Whether the call certainly gives nothing: the default holds."""
        return self.given is None and not self.unpacked


@dataclass(frozen=True)
class Signature:
    """The parameters that a caller fills, in order; a receiver is not among them."""

    parameters: tuple[ParameterSpec, ...]

    @cached_property
    def _positions(self) -> dict[str, int]:
        by_position = (spec for spec in self.parameters if spec.kind in _BY_POSITION)
        return {spec.name: index for index, spec in enumerate(by_position)}

    @cached_property
    def _by_name(self) -> dict[str, ParameterSpec]:
        return {spec.name: spec for spec in self.parameters}

    def parameter(self, name: str) -> ParameterSpec | None:
        """The parameter of a name."""
        return self._by_name.get(name)

    def position(self, name: str) -> int | None:
        """How many positional arguments stand before that of a parameter; None for others."""
        return self._positions.get(name)

    @property
    def positional(self) -> tuple[str, ...]:
        """The parameters that may be given by position."""
        return tuple(self._positions)

    def takes_keyword(self, name: str) -> bool:
        """Whether `name=…` fills a parameter of its own, rather than an item of `**kwargs`."""
        spec = self._by_name.get(name)
        return spec is not None and spec.kind in ("either", "keyword")

    def variadic(self, star: str) -> str | None:
        """The name of `*args` or `**kwargs`."""
        kind = "star" if star == "*" else "starstar"
        return next((spec.name for spec in self.parameters if spec.kind == kind), None)


@remembered(4096)
def signature_of(scope: Scope, *, has_receiver: bool) -> Signature:
    """The signature of a function of the project; `has_receiver`: `self` or `cls` is bound."""
    return Signature(tuple(scope.parameters[1:] if has_receiver else scope.parameters))


@lru_cache(maxsize=1024)
def library_signature(positional: tuple[str, ...]) -> Signature:
    """The signature of a library callable of which the parameters by position are known."""
    return Signature(tuple(ParameterSpec(name, "either", None, None) for name in positional))


def argument_for(arguments: CallArguments, position: int | None, name: str | None) -> BoundArgument:
    """What a parameter takes that may be given at `position` (None: not) and as `name=…`."""
    given = None if name is None else arguments.keyword(name)
    if given is not None:
        return BoundArgument(given)
    placed = None if position is None else arguments.at(position)
    if placed is not None:
        pair, index = placed
        if index is None:
            return BoundArgument(pair)
        return BoundArgument(None, (UnpackedItem(pair[0].value, pair[1], index),))
    if name is None:
        return BoundArgument()
    items = (UnpackedItem(a.value, context, name) for a, context in arguments.unpacked("**"))
    return BoundArgument(None, tuple(items))


@dataclass(frozen=True)
class BoundArguments:
    """The arguments of one call, bound to a signature as it is asked for."""

    arguments: CallArguments
    signature: Signature

    def __getitem__(self, name: str) -> BoundArgument:
        """What the parameter `name` takes; one that the signature does not know is a keyword."""
        spec = self.signature.parameter(name)
        by_keyword = spec is None or spec.kind != "positional"
        return argument_for(
            self.arguments, self.signature.position(name), name if by_keyword else None
        )

    @property
    def var_positional(self) -> list[tuple[int | None, PassedArgument]]:
        """What `*args` takes, each with its index there; None behind (and of) an unpacked `*x`."""
        first, index = len(self.signature.positional), 0
        is_certain = True
        found: list[tuple[int | None, PassedArgument]] = []
        for pair in self.arguments.arguments:
            if pair[0].star == "*":
                is_certain = False
                found.append((None, pair))
            elif pair[0].keyword is None and not pair[0].star:
                if not is_certain or index >= first:
                    found.append((index - first if is_certain else None, pair))
                index += 1
        return found

    @property
    def var_keyword(self) -> list[PassedArgument]:
        """What `**kwargs` takes: keywords that are no parameters, and every `**x`, in order."""
        return [
            pair
            for pair in self.arguments.arguments
            if pair[0].star == "**"
            or (pair[0].keyword is not None and not self.signature.takes_keyword(pair[0].keyword))
        ]

    def parameter_of(self, argument: Argument) -> str | None:
        """The parameter that takes an argument (`args`, `kwargs` too); None where that is open."""
        if argument.star:
            return None
        if argument.keyword is not None:
            is_own = self.signature.takes_keyword(argument.keyword)
            return argument.keyword if is_own else self.signature.variadic("**")
        index = 0
        for other, _ in self.arguments.arguments:
            if other is argument:
                names = self.signature.positional
                return names[index] if index < len(names) else self.signature.variadic("*")
            if other.star == "*":
                return None
            if other.keyword is None and not other.star:
                index += 1
        return None

    def given_twice(self) -> Iterator[str]:
        """The parameters that are given by their place and by their name, which Python refuses."""
        given = [argument for argument, _ in self.arguments.arguments]
        keywords = {a.keyword for a in given if self.signature.takes_keyword(a.keyword or "")}
        placed = (self.parameter_of(argument) for argument in given if argument.keyword is None)
        return (name for name in placed if name is not None and name in keywords)

    @property
    def misfit(self) -> str | None:
        """Why a call with these arguments raises, as the end of a sentence; None where it may not.

        Asked where nothing is unpacked.
        """
        signature = self.signature
        twice = next(self.given_twice(), None)
        if twice is not None:
            return f"is given `{twice}` twice"
        if self.var_keyword and signature.variadic("**") is None:
            return f"has no parameter `{self.var_keyword[0][0].keyword}`"
        if self.var_positional and signature.variadic("*") is None:
            return "takes fewer arguments"
        for spec, taken in self:
            if spec.default is None and taken.is_absent:
                return f"wants `{spec.name}`"
        return None

    def __iter__(self) -> Iterator[tuple[ParameterSpec, BoundArgument]]:
        """Each parameter but `*args` and `**kwargs`, with what it takes."""
        for spec in self.signature.parameters:
            if spec.kind not in _VARIADIC:
                yield spec, self[spec.name]


def bind(arguments: CallArguments, signature: Signature) -> BoundArguments:
    """The arguments of a call, as the parameters of its callee take them."""
    return BoundArguments(arguments, signature)


def bound_to(context: CallContext) -> BoundArguments | None:
    """What the parameters of one activation take; None where it stands for every activation."""
    if context.passed is None:
        return None
    signature = signature_of(context.scope, has_receiver=context.receiver is not None)
    return bind(context.passed, signature)


def is_refused(context: CallContext) -> bool:
    """Whether an activation never is: its call gives a function what that does not take.

    Such a call raises, as one that was left behind when the parameters changed. Told of functions
    without decorators, called by a name of a module, and of arguments that are written out.
    """
    scope, call, bound = context.scope, context.call, bound_to(context)
    if call is None or bound is None or scope.owner is not None or scope.decorators:
        return False
    given = [argument for argument, _ in bound.arguments.arguments]
    if given != list(call.arguments) or any(argument.star for argument in given):
        return False
    owner = unnamed(call.function.value) if isinstance(call.function, Attribute) else None
    is_named = isinstance(call.function, Reference) or isinstance(owner, Imported)
    return is_named and bound.misfit is not None


def given_to_rest(context: CallContext) -> list[PassedArgument]:
    """What `*args` of one activation takes; nothing where that stands for every activation."""
    bound = bound_to(context)
    return [] if bound is None else [given for _, given in bound.var_positional]


def through_partial(partial: CallArguments, arguments: Iterable[PassedArgument]) -> CallArguments:
    """The arguments that reach the function behind `partial(function, …)`."""
    return CallArguments((*partial.arguments[1:], *arguments))


_EDITING = frozenset({"setdefault", "update", "pop", "popitem", "clear"})


def spread(arguments: CallArguments) -> CallArguments:
    """The same arguments, with what `*args` and `**kwargs` of one activation hold in their place.

    What is not known to be one of these stays unpacked.
    """
    found: list[PassedArgument] = []
    for pair in arguments.arguments:
        rest = _rest_of(pair)
        found += [pair] if rest is None else rest
    return CallArguments(tuple(found))


def _rest_of(pair: PassedArgument) -> list[PassedArgument] | None:
    """What an activation took for its `*args` or `**kwargs`; None for anything else."""
    argument, context = pair
    value = argument.value
    bound_value = (
        value.definition.value if isinstance(value, Reference) and value.definition else None
    )
    taken = bound_to(context)
    if not argument.star or not isinstance(bound_value, Parameter) or taken is None:
        return None
    if bound_value.name != taken.signature.variadic(argument.star):
        return None
    if _is_edited(context.scope, bound_value.name):
        return None
    if argument.star == "**":
        return taken.var_keyword
    return [each for _, each in taken.var_positional]


def _is_edited(scope: Scope, name: str) -> bool:
    """Whether a function changes what it took for `**kwargs`: by an item, or by a method."""
    written = (store.target for store in scope.stores if isinstance(store.target, Subscript))
    asked = (call.function for call in scope.calls if call.name in _EDITING)
    changed = [target.value for target in written]
    changed += [callee.value for callee in asked if isinstance(callee, Attribute)]
    return any(isinstance(one, Reference) and one.name == name for one in changed)
