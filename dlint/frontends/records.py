"""Call records for what a config file says to make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.ir.expressions import Argument, Call, Definition, Imported, Opaque, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dlint.findings.places import Span
    from dlint.ir.module import Scope, Statement


@dataclass(slots=True, eq=False)
class Renamed(Argument):
    """An argument of torch's that a config gives under another name."""

    own: str = ""


@dataclass(slots=True, eq=False)
class Reasoned(Argument):
    """An argument for whose value the file itself gives a reason."""


def reasoned(argument: Argument, name: str) -> Argument:
    """The argument; one of this name as one that the file gives a reason for."""
    if argument.keyword != name:
        return argument
    return Reasoned(argument.span, argument.value, argument.keyword)


def callee(path: str, span: Span, scope: Scope) -> Reference:
    """A name that an import binds to the class or function at a dotted path."""
    module, _, name = path.rpartition(".")
    return Reference(span, name, Definition(span, name, Imported(span, module, name), scope))


def add_call(
    path: str, span: Span, arguments: Iterable[Argument], scope: Scope, statement: Statement
) -> Call:
    """A call of what stands at a dotted path, entered into its scope."""
    call = Call(span, callee(path, span, scope), tuple(arguments), scope, statement)
    scope.calls.append(call)
    return call


def rest(span: Span) -> Argument:
    """`**unknown`: more may be given than the file says."""
    return Argument(span, Opaque(span), star="**")
