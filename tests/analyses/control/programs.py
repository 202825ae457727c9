"""Functions written in tests: their calls, by the names of what they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent, indent

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, Scope

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PARAMETERS = "test, other, xs, n, manager, data"


def function(context: MakeProgram, body: str, before: str = "") -> tuple[AnalysisContext, Scope]:
    """The program of one function `f` with this body, and its scope."""
    text = f"import torch\n{dedent(before)}\ndef f({PARAMETERS}):\n{indent(dedent(body), '    ')}\n"
    analysed = context(text)
    return analysed, scope_named(analysed, "f")


def scope_named(analysed: AnalysisContext, name: str) -> Scope:
    """The function of this name, or `<module>` for the body of the only module."""
    scopes = (scope for facts in analysed.modules for scope in facts.module.scopes)
    return next(scope for scope in scopes if scope.name == name)


def call_of(scope: Scope, name: str) -> ex.Call:
    """The one call of `name` in a function."""
    (found,) = [call for call in scope.calls if call.name == name]
    return found


def first_loop(scope: Scope) -> Loop:
    """The first loop of a function, the outermost before those inside."""
    return next(s for s in walk.statements(scope.body) if isinstance(s, Loop))
