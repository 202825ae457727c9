"""Which versions of torch the code of a program was written for, by what it uses.

Question: what do the modules that run together show of the torch they run on. Followed: features
that came with a version, idioms that went with one, names that only Python 2 has, what Python 2 has
compiled beside its source. A module that provides for several versions shows nothing, nor do
programs whose modules contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import ModuleIndex, Scope
from dlint.library_facts import features
from dlint.library_facts.removed import DATED
from dlint.library_facts.torch_versions import Version
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.versions.compiled_files import ran_on_python_2
from dlint.model.versions.dated_code import is_dated, unguarded_parts
from dlint.model.versions.old_numbers import array_of, is_one_number
from dlint.model.versions.turned_views import views_turned
from dlint.model.versions.version_specifiers import OPEN, Admitted, together
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_LOSSES = ("loss", "criterion")
_VERSION = "__version__"
_IMPORT = rb"(?m)^(?:import|from)[ \t]+(?:%b)\b"
_OF_PYTHON_2 = lazily(_IMPORT % "|".join(features.PYTHON_2_MODULES).encode())
_FFI = lazily(_IMPORT % rb"torch\.(?:utils\.ffi|legacy)")
"""Imports that no test and no handler of errors stands around, as they are not indented."""


def written_for(context: AnalysisContext, paths: Iterable[str]) -> Admitted:
    """The torch versions that the programs which run some files were written for."""
    programs = context[EntryPoints].programs(frozenset(paths))
    found = [_together(context, program) for program in programs]
    return together(found) if found else OPEN


def is_of_long_ago(context: AnalysisContext, paths: Iterable[str]) -> bool:
    """Whether programs that run some files were written for a torch that nobody runs today."""
    newest = written_for(context, paths).newest
    return newest is not None and newest <= DATED


def _together(context: AnalysisContext, program: frozenset[str]) -> Admitted:
    """What all modules of one program need; open where no torch has it all."""
    shown = [context[shown_by_modules].get(path, OPEN) for path in program]
    oldest = max((one.oldest for one in shown if one.oldest is not None), default=None)
    newest = min((one.newest for one in shown if one.newest is not None), default=None)
    both = oldest is not None and newest is not None and oldest > newest
    return OPEN if both else Admitted(oldest, newest)


def shown_by_modules(context: AnalysisContext) -> dict[str, Admitted]:
    """The torch versions for which each module was written, where it shows any."""
    found = {f.module.path: _shown(context, f.module) for f in context.modules}
    return {path: admitted for path, admitted in found.items() if admitted != OPEN}


def _shown(context: AnalysisContext, module: ModuleIndex) -> Admitted:
    holding = partial(context.project.holding, module.path)
    newest = [DATED] if is_dated(context, module) else []
    newest += [features.PYTHON_2] if ran_on_python_2(Path(module.path)) else []
    newest += _imported(context, module.path)
    if holding(features.ASKING) or (holding((_VERSION,)) and _asks(context, module)):
        return Admitted(None, min(newest, default=None))
    since = holding(features.SINCE)
    oldest = max((features.SINCE[word] for word in since), default=None)
    if holding(features.OLD_WORDS):
        newest += [v for scope in module.scopes for v in _old_parts(context, scope)]
    return Admitted(oldest, min(newest, default=None))


def _imported(context: AnalysisContext, path: str) -> Iterator[Version]:
    """The last version that has what a module imports, whatever else there may be."""
    resolve = context.project.imports.resolve
    if context.project.says(path, _OF_PYTHON_2) and not any(
        resolve(path, name, 0) for name in features.PYTHON_2_MODULES
    ):
        yield features.PYTHON_2
    if context.project.says(path, _FFI):
        yield features.WITH_FFI


def _asks(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a module looks at torch's version, by whatever names it imports."""
    return any(
        External(f"torch.{_VERSION}") in context.values(part, scope)
        for part, scope in version_names(module)
    )


@told_by_code
def version_names(module: ModuleIndex) -> list[tuple[ex.Expression, Scope]]:
    """Where a module names a version."""
    return [
        (part, scope)
        for scope in module.scopes
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
        if isinstance(part, ex.Reference | ex.Attribute) and part.own_name == _VERSION
    ]


def _old_parts(context: AnalysisContext, scope: Scope) -> Iterator[Version]:
    def version_of(part: ex.Expression) -> Version | None:
        return _version_of(context, part, scope)

    parts = unguarded_parts(scope, lambda part: version_of(part) is not None)
    return filter(None, map(version_of, parts))


def _version_of(context: AnalysisContext, part: ex.Expression, scope: Scope) -> Version | None:
    """The last version that has what a part uses; None where newer ones have it."""
    if _is_number_by_index(part) or _is_volatile(part):
        return features.NUMBER_BY_INDEX
    array = array_of(part)
    if array is not None and is_one_number(context, array, scope):
        return features.NUMBER_BY_INDEX
    if not isinstance(part, ex.Call):
        return None
    if part.name in features.WORDS_OF_FFT and features.OF_FFT & {*library_callees(context, part)}:
        return features.WITH_FFT
    if views_turned(context, part, scope):
        return features.WITH_TURNED_VIEWS
    return features.PYTHON_2 if _is_python_2(part) else None


def _is_number_by_index(part: ex.Expression) -> bool:
    """`loss.data[0]`, `criterion(outputs, labels).data[0]`."""
    if not isinstance(part, ex.Subscript) or not isinstance(part.value, ex.Attribute):
        return False
    index, data = part.index, part.value
    if not isinstance(index, ex.Constant) or index.value != 0 or data.name != "data":
        return False
    of = data.value
    named = isinstance(of, ex.Reference | ex.Attribute | ex.Call) and of.name
    return bool(named) and any(word in str(named).lower() for word in _LOSSES)


def _is_volatile(part: ex.Expression) -> bool:
    return (
        isinstance(part, ex.Call)
        and part.name == "Variable"
        and written(part, None, "volatile") is not None
    )


def _is_python_2(call: ex.Call) -> bool:
    """A call of what Python 3 does not have, and what nobody defined."""
    callee = call.function
    if isinstance(callee, ex.Attribute):
        return callee.name in features.PYTHON_2_METHODS or _is_next_of_enumerate(call)
    if not isinstance(callee, ex.Reference) or callee.name not in features.PYTHON_2_NAMES:
        return False
    names = {d.name for scope in _outer(call.scope) for d in scope.definitions}
    return callee.definition is None and callee.name not in names


def _is_next_of_enumerate(call: ex.Call) -> bool:
    """`batches.next()` of `batches = enumerate(loader)`."""
    callee = call.function
    if call.name != "next" or call.arguments or not isinstance(callee, ex.Attribute):
        return False
    made = origin_of(callee.value)
    by = made.function if isinstance(made, ex.Call) else None
    return isinstance(by, ex.Reference) and by.name == "enumerate" and by.definition is None


def _outer(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent
