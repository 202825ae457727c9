"""Statements and definitions moved: into a function, under a guard, to another file."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator

import libcst as cst

from tests.laws.facts import Kind
from tests.laws.names import is_config
from tests.laws.program import Module, Program
from tests.laws.quiet import has_any
from tests.laws.regions import Function, Region
from tests.laws.rewriting import Edits, PerModule, statement

_DEFINING = (cst.FunctionDef, cst.ClassDef)
_IMPORTS = (cst.Import, cst.ImportFrom)
_OF_MODULES = {"__name__", "__file__", "__doc__"}


def is_import(node: cst.BaseStatement) -> bool:
    """Whether a statement imports and does nothing else."""
    return isinstance(node, cst.SimpleStatementLine) and all(
        isinstance(small, _IMPORTS) for small in node.body
    )


def is_docstring(node: cst.BaseStatement) -> bool:
    """Whether a statement is a text and nothing else."""
    return (
        isinstance(node, cst.SimpleStatementLine)
        and isinstance(node.body[0], cst.Expr)
        and isinstance(node.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def guarded(node: cst.BaseStatement) -> cst.IndentedBlock | None:
    """The body of `if __name__ == "__main__":`; None for another statement."""
    if not isinstance(node, cst.If) or node.orelse or not isinstance(node.body, cst.IndentedBlock):
        return None
    code = cst.Module([]).code_for_node(node.test).replace("'", '"')
    return node.body if code == '__name__ == "__main__"' else None


def loose(module: Module) -> list[cst.BaseStatement]:
    """What a module does at its top level besides importing and defining."""
    return [
        s
        for s in module.statements
        if not isinstance(s, _DEFINING)
        and not is_import(s)
        and not is_docstring(s)
        and guarded(s) is None
    ]


def _is_script(module: Module) -> bool:
    """Whether all that a module defines is used in it: nothing is there for others.

    And nothing is left out of it: a name that is bound nowhere tells of a part of a script.
    """
    defined = [s.name.value for s in module.statements if isinstance(s, _DEFINING)]
    if set(module.facts.variables) - set(module.facts.bound) - set(dir(builtins)) - _OF_MODULES:
        return False
    return all(len(module.facts.variables[name]) > 1 for name in defined)


def _is_free_to_move(module: Module, moved: list[cst.BaseStatement], program: Program) -> bool:
    """Whether statements may run at the end, in a scope of their own, for all that others see."""
    region = Region(moved)
    if not moved or not region.stays_inside or program.importers(module.path):
        return False
    if module.facts.is_strange or any(has_any(s, *_IMPORTS) for s in moved):
        return False
    others = [s for s in module.statements if s not in moved]
    around = Region(others)
    if region.sets & (set(around.facts.variables) | module.facts.strings):
        return False
    return not any(isinstance(s, _DEFINING) and _acts(s) for s in _between(module, moved))


def _between(module: Module, moved: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """What stands between the first and the last of some statements, or behind."""
    first = module.statements.index(moved[0])
    return module.statements[first:]


def _acts(node: cst.BaseStatement) -> bool:
    """Whether a definition does more than define: decorators, calls in defaults and bodies."""
    if isinstance(node, cst.FunctionDef):
        return bool(node.decorators) or has_any(node.params, cst.Call)
    if isinstance(node, cst.ClassDef):
        bodies = [i for i in node.body.body if not isinstance(i, cst.FunctionDef)]
        return bool(node.decorators) or any(has_any(i, cst.Call) for i in bodies)
    return False


def _indented(statements: list[cst.BaseStatement]) -> cst.IndentedBlock:
    first, *rest = statements
    return cst.IndentedBlock([first.with_changes(leading_lines=_comments(first)), *rest])


def _comments(node: cst.BaseStatement) -> list[cst.EmptyLine]:
    """The comments above a statement, without empty lines."""
    return [line for line in getattr(node, "leading_lines", []) if line.comment]


def definition(name: str, body: list[cst.BaseStatement], parameters: str = "") -> cst.FunctionDef:
    """A function with these statements."""
    node = statement(f"def {name}({parameters}):\n    pass\n")
    assert isinstance(node, cst.FunctionDef)
    lines = [cst.EmptyLine(), cst.EmptyLine()]
    return node.with_changes(body=_indented(body), leading_lines=lines)


class _Loose(PerModule):
    """Moves all that a script does at its top level to its end."""

    only_scripts = False
    """Whether it would be another program if somebody imported it."""

    def edit(self, module: Module, program: Program) -> str | None:
        moved = loose(module)
        if any(guarded(s) for s in module.statements) or is_config(module):
            return None
        if self.only_scripts and not _is_script(module):
            return None
        if not _is_free_to_move(module, moved, program):
            return None
        kept = [s for s in module.statements if s not in moved]
        return module.tree.with_changes(body=[*kept, *self.ending(moved, program)]).code

    def ending(self, moved: list[cst.BaseStatement], program: Program) -> list[cst.BaseStatement]:
        """What stands at the end of the module in place of the statements."""
        raise NotImplementedError


class InMain(_Loose):
    """What a script does stands in `main()`, called at the end, under no guard.

    Refused where a function reads what the script sets, or another file imports it.
    """

    name = "in-main"

    def ending(self, moved: list[cst.BaseStatement], program: Program) -> list[cst.BaseStatement]:
        name = "main" if "main" not in program.words else next(program.fresh())
        return [definition(name, moved), statement(f"\n\n{name}()\n")]


class UnderGuard(_Loose):
    """What a script does stands under a main guard. A script that is run does the same.

    Refused where a definition is not used: the module may be there to be imported; and where a name
    is bound nowhere, as only what has a main guard is taken to be there as a whole.
    Under spawn and for pickles it is another program: the rules about that are named.
    """

    name = "under-guard"
    only_scripts = True

    def ending(self, moved: list[cst.BaseStatement], program: Program) -> list[cst.BaseStatement]:
        node = statement('if __name__ == "__main__":\n    pass\n')
        lines = [cst.EmptyLine(), cst.EmptyLine()]
        return [node.with_changes(body=_indented(moved), leading_lines=lines)]


class GuardedMain(PerModule):
    """What stands under a main guard moves into a function that is called there."""

    name = "guarded-main"

    def edit(self, module: Module, program: Program) -> str | None:
        bodies = [b for b in map(guarded, module.statements) if b is not None]
        if len(bodies) != 1:
            return None
        body = [s for s in bodies[0].body if isinstance(s, cst.BaseStatement)]
        others = [s for s in module.statements if guarded(s) is None]
        region = Region(body)
        if not region.stays_inside or region.sets & set(Region(others).facts.variables):
            return None
        if len(body) == 1 or module.facts.is_strange:
            return None
        name = next(program.fresh())
        edits = Edits(module)
        edits.replace(bodies[0], cst.IndentedBlock([statement(f"{name}()")]))
        guard = next(s for s in module.statements if guarded(s) is not None)
        edits.before(guard, definition(name, body))
        return edits.code()


def _within(top: cst.BaseStatement, name: str) -> str:
    """A name for a part of a statement of a module."""
    return f"{top.name.value}_{name}" if isinstance(top, cst.FunctionDef) else name


class _Extraction(PerModule):
    """Moves statements of a loop into a function above, with the names that they use passed.

    Its name holds that of the function that they stood in: what that is called may speak.
    """

    def edit(self, module: Module, program: Program) -> str | None:
        if module.facts.is_strange or module.facts.deferred:
            return None
        fresh = program.fresh()
        for top in module.statements:
            if isinstance(top, cst.ClassDef):
                continue
            around = top if isinstance(top, cst.FunctionDef) else module.tree
            edits = Edits(module)
            for loop, region, put in self.regions(top, edits):
                call = self._call(
                    region, Function(around), module, _within(top, next(fresh)), top, edits
                )
                if call is not None:
                    put(call)
                    return edits.code()
                del loop
        return None

    def regions(
        self, top: cst.BaseStatement, edits: Edits
    ) -> Iterator[tuple[cst.For, Region, Callable[[cst.BaseStatement], None]]]:
        """What may move within a statement of the module, and how a call takes its place."""
        raise NotImplementedError

    def _call(
        self,
        region: Region,
        around: Function,
        module: Module,
        name: str,
        top: cst.BaseStatement,
        edits: Edits,
    ) -> cst.BaseStatement | None:
        """The call for a region whose function has been put above; None if it cannot move."""
        if not region.stays_inside or not region.sets_before_use():
            return None
        if any(around.uses_elsewhere(n, region) for n in region.sets):
            return None
        if region.sets & set(module.facts.imports) or _has_nested(region):
            return None
        passed = [n for n in region.names if n not in region.sets and self._moves(n, around)]
        if any(Kind.CLASS in module.facts.bound[n] for n in passed):
            return None
        edits.before(top, definition(name, region.statements, ", ".join(passed)))
        return statement(f"{name}({', '.join(passed)})")

    @staticmethod
    def _moves(name: str, around: Function) -> bool:
        """Whether a name is one of the function around, or one that the module's code sets."""
        kinds = around.facts.bound.get(name, set())
        return bool(kinds & {Kind.LOCAL, Kind.PARAMETER, Kind.GLOBAL, Kind.NESTED})


def _has_nested(region: Region) -> bool:
    nested = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
    return any(has_any(s, *nested) for s in region.statements)


class EpochFunction(_Extraction):
    """The body of a loop that has a loop in it moves into a function, called in each round.

    All that it sets, it sets before it reads it, and nothing behind reads it. A number that the
    body does not read has no name in the function, so a fix may have nothing to write there.
    """

    name = "epoch-function"
    keeps_fix = False

    def regions(
        self, top: cst.BaseStatement, edits: Edits
    ) -> Iterator[tuple[cst.For, Region, Callable[[cst.BaseStatement], None]]]:
        for loop in _loops(top):
            body = [s for s in loop.body.body if isinstance(s, cst.BaseStatement)]
            if not any(has_any(s, cst.For) for s in body) or loop.asynchronous:
                continue

            def put(call: cst.BaseStatement, loop: cst.For = loop) -> None:
                edits.replace(loop.body, cst.IndentedBlock([call]))

            yield loop, Region(body), put


class LoopFunction(_Extraction):
    """A whole loop without one in it moves into a function with what it uses passed."""

    name = "loop-function"

    def regions(
        self, top: cst.BaseStatement, edits: Edits
    ) -> Iterator[tuple[cst.For, Region, Callable[[cst.BaseStatement], None]]]:
        for loop in _loops(top):
            inner = [s for s in loop.body.body if isinstance(s, cst.BaseStatement)]
            if any(has_any(s, cst.For) for s in inner) or loop.asynchronous or not inner:
                continue

            def put(call: cst.BaseStatement, loop: cst.For = loop) -> None:
                edits.replace(loop, call)

            yield loop, Region([loop]), put


def _loops(top: cst.BaseStatement) -> list[cst.For]:
    """The loops in a statement that are not within a nested function."""
    found = []

    class Visitor(cst.CSTVisitor):
        def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802
            return node is top

        def visit_ClassDef(self, node: cst.ClassDef) -> bool:  # noqa: N802
            return False

        def visit_For(self, node: cst.For) -> None:  # noqa: N802
            found.append(node)

    top.visit(Visitor())
    return found


MOVES = (
    InMain(),
    UnderGuard(),
    GuardedMain(),
    EpochFunction(),
    LoopFunction(),
)
