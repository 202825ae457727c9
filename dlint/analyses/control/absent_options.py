"""Options that a parser of command lines does not know: to read one raises AttributeError.

Question: does a read of `args.name` raise, because no call declares that option. Followed: what is
read of `parse_args()` alone, of an `argparse.ArgumentParser` that a name of the same function or
module holds. Given up on: parsers that are handed on, have parents, subparsers or another class;
flags that are computed; attributes that some module writes, or may write by their names. Budget:
one walk over the expressions of the module that parses, once for each parser.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.semantics.libraries.argparsing import levels, options, presets
from dlint.semantics.libraries.fixed_options import may_be_written
from dlint.semantics.libraries.option_declarations import DeclaredOptions
from dlint.semantics.values.values import AllocationSite, Namespace, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope

_OWN = frozenset({"add_argument", "add_argument_group", "add_mutually_exclusive_group"})
_OF_DICTS = frozenset(dir(dict))
"""What `vars(args)` has, which denotes the options themselves here."""
_ASKED = frozenset({"parse_args", "print_help", "print_usage", "error", "exit", "format_help"})


def absent_option(context: AnalysisContext, scope: Scope, read: ex.Attribute) -> str | None:
    """Why an attribute cannot be read, as the end of a sentence; None where it may be."""
    if read.name.startswith("_") or read.name in _ASKED | _OF_DICTS:
        return None
    found = context.solver.values(read.value, context.solver.root(scope))
    parsed = [value for value in found if isinstance(value, Namespace)]
    if len(parsed) != len(found) or not parsed:
        return None
    absent = all(_lacks(context, one, read.name) and _is_closed(context, one) for one in parsed)
    return f"`{read.name}` is no option of the parser" if absent else None


def _lacks(context: AnalysisContext, parsed: Namespace, name: str) -> bool:
    """Whether nothing declares an option, or gives the parsed ones such an attribute."""
    solver = context.solver
    declared = chain(options(solver, parsed, name), presets(solver, parsed, name))
    if any(True for _ in declared):
        return False
    everywhere = frozenset(facts.module.path for facts in context.modules)
    return not may_be_written(context.project, parsed, name, [*levels(solver, parsed), everywhere])


def _is_closed(context: AnalysisContext, parsed: Namespace) -> bool:
    """Whether a parser takes the options that calls of `add_argument` spell out, and no others."""
    call = parsed.call
    parser = call.function.value if isinstance(call.function, ex.Attribute) else None
    if not isinstance(parser, ex.Reference) or call.name != "parse_args":
        return False
    made = context.values(parser, call.scope)
    if len(made) != 1 or not _is_plain(next(iter(made))):
        return False
    computed = any(f[DeclaredOptions].in_loops for f in context.project.naming("add_argument"))
    return not computed and is_kept(call.scope.module, parser.name)


def _is_plain(parser: object) -> bool:
    """Whether this is a parser of Python's own class that takes over none of another one."""
    if not isinstance(parser, AllocationSite):
        return False
    given = {argument.keyword or argument.star for argument in parser.call.arguments}
    of_python = library_path(parser) == "argparse.ArgumentParser"
    return of_python and not given & {"parents", "*", "**"}


@told_by_code
def is_kept(module: ModuleIndex, name: str) -> bool:
    """Whether a module does nothing with what a name holds but ask it by methods of a parser."""
    read = called = 0
    for scope in module.scopes:
        for part in walk.parts_with_lambdas(scope.body):
            read += isinstance(part, ex.Reference) and part.name == name
            called += isinstance(part, ex.Call) and _asks(part, name)
    return read == called


def _asks(call: ex.Call, name: str) -> bool:
    method = call.function
    if not isinstance(method, ex.Attribute) or method.name not in _OWN | _ASKED | {"set_defaults"}:
        return False
    return isinstance(method.value, ex.Reference) and method.value.name == name
