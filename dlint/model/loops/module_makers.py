"""Which call makes the module that an expression stands for.

Followed: names, parameters that all known calls give one thing, attributes that the project writes
in one place, and methods that give the module itself back: `Net().to(device).train()`. Given up on:
what may be one of several modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, steps
from dlint.analyses.value_parts import origin_over_calls
from dlint.ir import expressions as ex
from dlint.library_facts.tensors import MODULE_CHAINS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext


def maker_of(context: AnalysisContext, module: ex.Expression, frame: CallContext) -> ex.Call | None:
    """The call that makes a module; None where it is not one call that is known."""
    made, frame = _origin(context, module, frame)
    while isinstance(made, ex.Call) and made.name in MODULE_CHAINS:
        if not isinstance(made.function, ex.Attribute):
            break
        made, frame = _origin(context, made.function.value, frame)
    return made if isinstance(made, ex.Call) else None


def _origin(context: AnalysisContext, module: ex.Expression, frame: CallContext) -> Located:
    """What a name, a parameter or an attribute that the class writes once stands for."""
    made, where = origin_over_calls(context, module, frame)
    written = list(steps(context, made, where)) if isinstance(made, ex.Attribute) else []
    return origin_over_calls(context, *written[0]) if len(written) == 1 else (made, where)
