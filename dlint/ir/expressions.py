"""The expressions of a ModuleIndex: a sum type that compares by identity.

Local names are resolved while lowering: a `Reference` holds the definition that reaches it, and
where two meet the definition's value is a `Conditional` (if/else, with its test) or a `Join`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dlint.findings.places import Span

if TYPE_CHECKING:
    from dlint.ir.module import Class, Scope, Statement


@dataclass(slots=True, eq=False)
class Constant:
    """A literal. Bytes, complex numbers and `...` are `Opaque`."""

    span: Span
    value: str | int | float | bool | None


@dataclass(slots=True, eq=False)
class Reference:
    """A name that is read. `definition` is what reaches it in its own scope, else None (free)."""

    span: Span
    name: str
    definition: Definition | None = field(repr=False)
    imported_name: str | None = None
    """What it is called where it is imported from, if it has another name here."""

    @property
    def own_name(self) -> str:
        """Its name, whatever an import calls it: `no_grad` of `from torch import no_grad as ng`."""
        return self.name if self.imported_name is None else self.imported_name


@dataclass(slots=True, eq=False)
class Attribute:
    span: Span
    value: Expression
    name: str

    @property
    def own_name(self) -> str:
        """Its name."""
        return self.name


_NAMED = (Reference, Attribute)
"""What has a name of its own: a union would be made each time that it is asked for."""


@dataclass(slots=True, eq=False)
class Subscript:
    span: Span
    value: Expression
    index: Expression


@dataclass(slots=True, eq=False)
class Slice:
    span: Span
    bounds: tuple[Expression | None, Expression | None, Expression | None]


@dataclass(slots=True, eq=False)
class Argument:
    """One argument of a call; `star` is `*` or `**` for unpacked ones."""

    span: Span
    value: Expression
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


@dataclass(slots=True, eq=False)
class Call:
    """A call. `scope` and `statement` say where it is evaluated."""

    span: Span
    function: Expression
    arguments: tuple[Argument, ...]
    scope: Scope = field(repr=False)
    statement: Statement = field(repr=False)

    @property
    def name(self) -> str | None:
        """The last part of the callee's own name: `DataLoader` of `data.DataLoader(...)`.

        An import's other name for it does not matter.
        """
        callee = self.function
        return callee.own_name if isinstance(callee, _NAMED) else None


@dataclass(slots=True, eq=False)
class Sequence:
    span: Span
    kind: Literal["tuple", "list", "set"]
    items: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Starred:
    span: Span
    value: Expression


@dataclass(slots=True, eq=False)
class Mapping:
    """A dict literal; a key of None stands for `**value`."""

    span: Span
    items: tuple[tuple[Expression | None, Expression], ...]


@dataclass(slots=True, eq=False)
class Conditional:
    """`then if test else otherwise`, and the meeting of two definitions behind an `if`.

    A branch that never falls through (return, raise, continue) does not take part in a meeting.
    """

    span: Span
    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(slots=True, eq=False)
class Join:
    """One of several, by no test that is known: loops, try, match."""

    span: Span
    alternatives: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Boolean:
    span: Span
    operator: Literal["and", "or"]
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Unary:
    """`not x`, `-x`, `+x`, `~x`."""

    span: Span
    operator: str
    operand: Expression


@dataclass(slots=True, eq=False)
class Binary:
    """`x + y` …; an augmented assignment is one too, its operator without `=`."""

    span: Span
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Comparison:
    """One comparison; a chain `a < b < c` is `(a < b) and (b < c)`.

    `operator` is as written, with one blank between words (`is not`, `not in`).
    """

    span: Span
    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True, eq=False)
class Comprehension:
    """A comprehension; its targets are definitions of the enclosing scope, visible inside only."""

    span: Span
    kind: Literal["list", "set", "dict", "generator"]
    element: Expression
    key: Expression | None
    iterables: tuple[Expression, ...]
    conditions: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class FunctionValue:
    """The function object that a `def` or a `lambda` makes."""

    span: Span
    function: Scope = field(repr=False)


@dataclass(slots=True, eq=False)
class ClassValue:
    span: Span
    cls: Class = field(repr=False)


@dataclass(slots=True, eq=False)
class Imported:
    """What an import binds. `import a.b` binds `a`; `import a.b as c` binds module `a.b`;
    `from a import b` is module `a`, name `b`. `level` counts leading dots."""

    span: Span
    module: str
    name: str | None
    level: int = 0


@dataclass(slots=True, eq=False)
class Parameter:
    """The value a parameter has on entry."""

    span: Span
    name: str


@dataclass(slots=True, eq=False)
class Element:
    """What iterating over `iterable` gives next: the target of a `for`."""

    span: Span
    iterable: Expression

    @property
    def source(self) -> Expression:
        """The iterable, behind the local name that it may have."""
        return unnamed(self.iterable)


@dataclass(slots=True, eq=False)
class Item:
    """One part of an unpacked value; negative positions count from the end (behind a star)."""

    span: Span
    value: Expression
    position: int
    starred: bool = False


@dataclass(slots=True, eq=False)
class Entered:
    """What `with value as x` binds."""

    span: Span
    value: Expression


@dataclass(slots=True, eq=False)
class Format:
    """An f-string or a concatenation of strings with one: literal text and expressions in order."""

    span: Span
    parts: tuple[Expression, ...]


@dataclass(slots=True, eq=False)
class Await:
    span: Span
    value: Expression


@dataclass(slots=True, eq=False)
class Yield:
    span: Span
    value: Expression | None
    delegates: bool = False


@dataclass(slots=True, eq=False)
class Opaque:
    """Anything else; `children` are kept so that walks see the calls inside."""

    span: Span
    children: tuple[Expression, ...] = ()


Expression = (
    Constant
    | Reference
    | Attribute
    | Subscript
    | Slice
    | Call
    | Sequence
    | Starred
    | Mapping
    | Conditional
    | Join
    | Boolean
    | Unary
    | Binary
    | Comparison
    | Comprehension
    | FunctionValue
    | ClassValue
    | Imported
    | Parameter
    | Element
    | Item
    | Entered
    | Format
    | Await
    | Yield
    | Opaque
)


@dataclass(slots=True, eq=False)
class Definition:
    """One binding of a name in one scope; `value` says what is bound."""

    span: Span
    name: str
    value: Expression
    scope: Scope = field(repr=False)


def constant(expression: Expression | None) -> Constant | None:
    """The literal that an expression is, or that the local name it is stands for."""
    found = None if expression is None else unnamed(expression)
    return found if isinstance(found, Constant) else None


def unpacked(expression: Expression) -> Expression:
    """What a name gets of a display: `b` of `x, y = a, b`; any other expression itself."""
    if not isinstance(expression, Item) or expression.starred or expression.position < 0:
        return expression
    display, end = unpacked(expression.value), expression.position + 1
    parts = display.items[:end] if isinstance(display, Sequence) else ()
    known = len(parts) == end and not any(isinstance(part, Starred) for part in parts)
    return parts[-1] if known else expression


def unnamed(expression: Expression) -> Expression:
    """What a local name is bound to where it is read; any other expression itself."""
    while isinstance(expression, Reference) and expression.definition is not None:
        expression = expression.definition.value
    return expression


def is_free(expression: Expression) -> bool:
    """Whether it is a name that its own scope does not bind: a built-in's, or an outer one."""
    return isinstance(expression, Reference) and expression.definition is None


def mapping_of(call: Expression, name: str) -> Expression | None:
    """The dict of `d.items()`, `d.keys()`, `d.values()`, by the name of the method."""
    callee = call.function if isinstance(call, Call) and call.name == name else None
    return callee.value if isinstance(callee, Attribute) else None


def spells_keys(expression: Expression) -> bool:
    """Whether it is a dict literal that writes out every key, as a constant."""
    return isinstance(expression, Mapping) and all(
        isinstance(key, Constant) for key, _ in expression.items
    )


def dotted(expression: Expression | None) -> str | None:
    """The text of a plain name, as `args.workers`; None for anything else."""
    if isinstance(expression, Reference):
        return expression.name
    if isinstance(expression, Attribute):
        base = dotted(expression.value)
        return None if base is None else f"{base}.{expression.name}"
    return None


def spelled(expression: Expression | None) -> str | None:
    """The text of a plain name, or of a part of one by a constant: `history["loss"]`."""
    if isinstance(expression, Subscript) and isinstance(expression.index, Constant):
        base = spelled(expression.value)
        return None if base is None else f"{base}[{expression.index.value!r}]"
    return dotted(expression)
