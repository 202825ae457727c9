"""Parsers of which all options are seen: what `vars(args)` certainly does not hold.

Question: may the namespace that a call of `parse_args` gives have an attribute of some name? No,
where the function that parses makes the parser, hands it to nobody, writes out the flag of each
option and none of this name. Followed: `argparse.ArgumentParser` in one function, groups of its
options. Given up on, so that the answer is yes: `parents=`, options in loops or of computed flags,
`set_defaults`, and attributes of the name that any code writes. Linear in the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.remembering import remembered
from dlint.semantics.libraries.option_declarations import option_name
from dlint.semantics.values.values import UNKNOWN, Namespace, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dlint.ir.module import Scope, Store
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.solver import Solver

_MADE_BY = "ArgumentParser"
_KEPT = "__dict__"


def lacks(solver: Solver, mapping: ex.Expression, frame: CallContext, key: str) -> bool:
    """Whether a mapping certainly is what options hold, `vars(args)`, and has no such key."""
    if not _is_of_attributes(mapping):
        return False
    values = solver.values(mapping, frame)
    return bool(values) and all(_lacks(solver, value, key) for value in values)


def _is_of_attributes(mapping: ex.Expression) -> bool:
    """Whether it is written as `vars(args)` or `args.__dict__`."""
    made = ex.unnamed(mapping)
    if isinstance(made, ex.Attribute):
        return made.name == _KEPT
    return isinstance(made, ex.Call) and made.name == "vars"


def _lacks(solver: Solver, value: Value, key: str) -> bool:
    if not isinstance(value, Namespace):
        return False
    options = _options(value.call)
    if options is None or key in options:
        return False
    return not any(_may_be_options(solver, store) for store in solver.project.writing(key))


def _may_be_options(solver: Solver, store: Store) -> bool:
    """Whether what an attribute is written to may be the options of some parser."""
    if not isinstance(store.target, ex.Attribute):
        return False
    found = solver.values(store.target.value, solver.root(store.scope))
    return UNKNOWN in found or any(isinstance(value, Namespace) for value in found)


@remembered(512)
def _options(parsing: ex.Call) -> frozenset[str] | None:
    """The names of all options that a call of `parse_args` may give; None where others may be."""
    callee = parsing.function
    parser = callee.value if isinstance(callee, ex.Attribute) else None
    made = parser.definition if isinstance(parser, ex.Reference) else None
    by = made.value if made is not None else None
    if not isinstance(by, ex.Call) or by.name != _MADE_BY or parsing.arguments:
        return None
    if made is None or any(a.keyword == "parents" or a.star for a in by.arguments):
        return None
    if not _is_only_asked(parsing.scope, made):
        return None
    calls = parsing.scope.calls
    if any(call.name == "set_defaults" for call in calls):
        return None
    return _named(call for call in calls if call.name == "add_argument")


def _named(declared: Iterable[ex.Call]) -> frozenset[str] | None:
    names = [option_name(option) for option in declared]
    known = frozenset(name for name in names if name is not None)
    return None if None in names else known


def _is_only_asked(scope: Scope, parser: ex.Definition) -> bool:
    """Whether a function uses a parser for nothing but to call its methods."""
    parts = list(walk.parts(scope.body))
    named = [p for p in parts if isinstance(p, ex.Reference) and p.definition is parser]
    asked = {id(part.value) for part in parts if isinstance(part, ex.Attribute)}
    hidden = any(
        isinstance(p, ex.Reference) and p.name == parser.name
        for one in walk.inner_scopes(scope)
        for p in walk.parts(one.body)
    )
    return not hidden and all(id(reference) in asked for reference in named)
