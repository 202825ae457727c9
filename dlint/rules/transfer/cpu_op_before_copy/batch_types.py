"""What the tensors of a batch are, as far as transforms and collate functions tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.model.samples import collate_functions
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_OURS = frozenset({"torch", "torchvision", "numpy", "builtins"})
_TO_FLOAT = frozenset({"ToTensor"})
"""Transforms of torchvision that make `float32` of pictures."""


def are_floats(loader: Loader) -> bool:
    """Whether all transforms that the loader's function composes make `float32` of pictures."""
    composed = [call for call in loader.call.scope.calls if call.name == "Compose"]
    return bool(composed) and all(_makes_floats(loader.context, call) for call in composed)


def _makes_floats(context: AnalysisContext, compose: ex.Call) -> bool:
    given = compose.arguments[0].value if compose.arguments else None
    steps = given.items if isinstance(given, ex.Sequence) else ()
    made = [list(_made(context, step)) for step in steps]
    if not all(made) or any(not p.startswith("torchvision.") for paths in made for p in paths):
        return False
    return any({p.rpartition(".")[2] for p in paths} <= _TO_FLOAT for paths in made)


def _made(context: AnalysisContext, value: ex.Expression | None) -> Iterator[str]:
    """What makes a value: paths of library callables, "?" for unknown ones, "" for the rest."""
    if isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    for one in value.alternatives if isinstance(value, ex.Join) else (value,):
        if not isinstance(one, ex.Call):
            yield ""
            continue
        found = context.solver.names.static(one.function, one.scope)
        paths = [v.path if isinstance(v, External) else "" for v in found]
        yield from paths or ["?"]


def are_of_library(loader: Loader) -> bool:
    """Whether a collate function returns what something else than torch makes, such as a graph."""
    for scope in collate_functions(loader) or ():
        for result in scope.returns:
            for path in _made(loader.context, result):
                if path and path.partition(".")[0] not in _OURS:
                    return True
    return False
