"""ModuleIndex: all that later steps need of one module, as plain data.

Statements stand in order in blocks that nest (if, loop, try, with), so order, paths and "the first
statement of this loop" can be asked. Everything compares by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from dlint.findings.places import Span
from dlint.ir.expressions import (
    Attribute,
    Call,
    Definition,
    Expression,
    Imported,
    Opaque,
    Subscript,
    Yield,
    unnamed,
)
from dlint.workspace.kinds import is_notebook

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Block:
    """Statements in order. `owner` is None for the body of a scope; `role` names the branch."""

    statements: list[Statement]
    owner: Statement | None = field(default=None, repr=False)
    role: Literal["body", "then", "else", "handler", "finally"] = "body"


@dataclass(slots=True, eq=False)
class Evaluate:
    """An expression statement, or one read only for what it evaluates (assert, del)."""

    span: Span
    value: Expression
    """Of `del`, an `Opaque` with the target as its one part; of `assert x, y`, with both."""
    block: Block = field(repr=False)
    is_assertion: bool = False

    @property
    def asserted(self) -> Expression | None:
        """What `assert` tests; None in other statements."""
        value = self.value
        if not self.is_assertion:
            return None
        has_text = isinstance(value, Opaque) and value.span == self.span
        return value.children[0] if isinstance(value, Opaque) and has_text else value

    @property
    def deleted(self) -> Expression | None:
        """What `del` takes away; None in other statements."""
        value = self.value
        if isinstance(value, Opaque) and value.span == self.span and len(value.children) == 1:
            return value.children[0]
        return None


@dataclass(slots=True, eq=False)
class Bind:
    """`x = y = value`, with all names, attributes and items it writes to.

    `value` is the right-hand side. `definitions` are the names bound (also through unpacking);
    `stores` are attributes and subscripts written, each with what is written there.
    """

    span: Span
    value: Expression
    definitions: tuple[Definition, ...]
    stores: tuple[Store, ...]
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class Return:
    span: Span
    value: Expression | None
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class Jump:
    """`raise`, `break`, `continue`."""

    span: Span
    kind: Literal["raise", "break", "continue"]
    value: Expression | None
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class If:
    span: Span
    test: Expression
    then: Block
    otherwise: Block
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class Loop:
    """`for` (with `iterable`, `definitions` bound by its target) or `while` (with `test`)."""

    span: Span
    header: Span
    """From the keyword to the colon."""
    iterable: Expression | None
    test: Expression | None
    definitions: tuple[Definition, ...]
    body: Block
    otherwise: Block
    block: Block = field(repr=False)

    @property
    def source(self) -> Expression | None:
        """What a `for` goes over, behind the local name that it may have."""
        return None if self.iterable is None else unnamed(self.iterable)


@dataclass(slots=True, eq=False)
class Try:
    span: Span
    body: Block
    handlers: tuple[Block, ...]
    otherwise: Block
    final: Block
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class With:
    span: Span
    items: tuple[Expression, ...]
    definitions: tuple[Definition, ...]
    body: Block
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class Match:
    span: Span
    subject: Expression
    cases: tuple[Block, ...]
    block: Block = field(repr=False)


@dataclass(slots=True, eq=False)
class Define:
    """`def`, `class` or `import`: a statement that binds names."""

    span: Span
    definitions: tuple[Definition, ...]
    block: Block = field(repr=False)


Statement = Evaluate | Bind | Return | Jump | If | Loop | Try | With | Match | Define


@dataclass(slots=True, eq=False)
class Store:
    """A write to `target` (an attribute or a subscript); `value` is what is written."""

    span: Span
    target: Attribute | Subscript
    value: Expression
    scope: Scope = field(repr=False)
    statement: Statement = field(repr=False)


@dataclass(slots=True, eq=False)
class ParameterSpec:
    name: str
    kind: Literal["positional", "either", "star", "keyword", "starstar"]
    """`positional` stands before `/`, `keyword` behind `*`."""
    default: Expression | None
    annotation: Expression | None


@dataclass(slots=True, eq=False)
class Scope:
    """A module body, a function, a lambda or a class body, with what is evaluated in it.

    The tuples of calls and stores do not go into nested scopes.
    """

    kind: Literal["module", "function", "lambda", "class"]
    name: str
    """`<module>`, `<lambda>`, or the name."""
    qualified_name: str
    span: Span
    module: ModuleIndex = field(repr=False)
    parent: Scope | None = field(default=None, repr=False)
    owner: Class | None = field(default=None, repr=False)
    """The class whose body defines this function directly, or whose body this is."""
    parameters: tuple[ParameterSpec, ...] = ()
    decorators: tuple[Expression, ...] = ()
    body: Block = field(default_factory=lambda: Block([]))
    definitions: list[Definition] = field(default_factory=list)
    """Every definition of this scope, in source order, meetings of definitions left out."""
    final: dict[str, Expression] = field(default_factory=dict, repr=False)
    """What each name denotes when the body has run to its end."""
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    returns: list[Expression] = field(default_factory=list)
    """Returned values; the body of a lambda is one."""
    yields: list[Yield] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    is_async: bool = False

    def bindings(self, name: str) -> Iterator[Definition]:
        """All definitions of `name` in this scope, wherever they stand."""
        return (d for d in self.definitions if d.name == name)


@dataclass(slots=True, eq=False)
class Class:
    """A class statement. `body.definitions` holds class attributes; methods are functions there."""

    span: Span
    header: Span
    """The `class` line: keyword to colon."""
    name: str
    qualified_name: str
    bases: tuple[Expression, ...]
    decorators: tuple[Expression, ...]
    body: Scope
    methods: dict[str, Scope] = field(default_factory=dict)
    fields: tuple[ParameterSpec, ...] = ()
    """Annotated names of the class body in order, as a dataclass would take them."""


class _Answering:
    """What is answered by an index alone, as long as that is there: no field of it."""

    __slots__ = ("answers",)
    answers: dict[object, Any]

    def remember(self) -> None:
        """From now on, keep what is answered: several analyses ask it."""
        self.answers = {}

    def answer(self, question: Callable[[Any], T]) -> T:
        """The answer to a question, found once where it is kept."""
        answers: dict[object, Any] | None = getattr(self, "answers", None)
        if answers is None:
            return question(self)
        if question not in answers:
            answers[question] = question(self)
        found: T = answers[question]
        return found


@dataclass(slots=True, eq=False)
class ModuleIndex(_Answering):
    """One module, lowered."""

    path: str
    """Absolute path of the file."""
    body: Scope = field(init=False)
    scopes: list[Scope] = field(default_factory=list)
    """Every scope, the module body first, in source order."""
    classes: list[Class] = field(default_factory=list)
    star_imports: list[Imported] = field(default_factory=list)
    dialect: str | None = None
    """Of a config file that describes loaders: whose config it is."""

    @property
    def is_notebook(self) -> bool:
        """Whether this is what a notebook defines: no process can import it."""
        return is_notebook(self.path)
