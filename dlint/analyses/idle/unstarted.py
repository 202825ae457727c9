"""Scripts whose `main` nobody calls.

Question: is a module written to be started, and does nothing when it is. Its function `main` takes
nothing and reads the command line (`parse_args`), no statement at the top of the module does more
than define, import and bind, and none names `main`. Who else might call it is asked by `unused`.
"""

from __future__ import annotations

from dlint.analyses.control.started import does_something, is_code, is_started
from dlint.analyses.idle.spoken_names import parts_of
from dlint.ir import expressions as ex
from dlint.ir.module import ModuleIndex
from dlint.ir.walk import bindings_of

ENTRY = "main"
_READS = frozenset({"parse_args", "parse_known_args"})
_PARSERS = "argparse"


def is_unstarted(module: ModuleIndex) -> bool:
    """Whether a module has a `main` for the command line, and does nothing when it is run."""
    if not is_code(module) or is_started(module) or does_something(module):
        return False
    mains = [d.value for d in bindings_of(module.body, ENTRY)]
    if len(mains) != 1 or not isinstance(mains[0], ex.FunctionValue):
        return False
    main = mains[0].function
    reads = not main.parameters and any(call.name in _READS for call in main.calls)
    imported = (d.value for d in module.body.definitions)
    parses = any(isinstance(v, ex.Imported) and v.module == _PARSERS for v in imported)
    return reads and parses and not _is_named(module)


def _is_named(module: ModuleIndex) -> bool:
    parts = (part for scope in module.scopes for part in parts_of(scope))
    return any(isinstance(part, ex.Reference) and part.name == ENTRY for part in parts)
