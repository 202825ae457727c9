"""Which of several settings files a function can have been given: one with all keys that it reads.

Question: of the values that several files hold under a key, which stand in a file that has the
other keys which the function reads too. Followed: `config["key"]` of the same name, in statements
that each call of the function runs first. Given up on: keys that code may write, keys below others,
`get`, attributes, and what stands behind a statement that may leave the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dlint.frontends.settings_files import Branch, Document, Group, Leaf, Setting
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return, Scope
from dlint.ir.remembering import remembered
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.dict_writes import first_constant
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN, Container, Value

_OPTIONAL = (ex.Conditional, ex.Boolean, ex.Comprehension, ex.FunctionValue)
"""What may leave a part of it out."""


def of_fitting_files(
    solver: Solver, found: ConditionalValues, name: ex.Reference, frame: CallContext
) -> ConditionalValues:
    """Values under a key of the settings that a name holds, but those of files that lack others."""
    settings = {a.source for a in found if isinstance(a.source, Setting)}
    documents = {s.document for s in settings}
    document = documents.pop() if len(documents) == 1 else None
    if document is None or name.definition is None or any(len(s.keys) > 1 for s in settings):
        return found
    if not all(_is_whole(v, document) for v in solver.values(name, frame)):
        return found
    files, asked = solver[ConfigFiles], _needed(frame.scope, name.definition)
    written = {key for key in asked if files.is_changed(document, (key,))}
    needed = asked - written - _defaulted(solver, asked)
    fitting = [b for b in document.files if b.is_open or needed <= b.items.keys()]
    if not fitting or len(fitting) == len(document.files):
        return found
    paths = {branch.path for branch in fitting}
    kept = [a for a in found if not isinstance(a.source, Setting) or a.source.path in paths]
    if any(isinstance(a.source, Setting) for a in kept):
        return kept
    moved = [one for a in found if (one := _moved(files, a, fitting)) is not None]
    return [*kept, *moved] or [ConditionalValue(UNKNOWN)]


def _is_whole(value: Value, document: Document) -> bool:
    """Whether a value is what one of the files holds, to which nothing is added; or is unknown."""
    if value == UNKNOWN:
        return True
    origin = value.origin if isinstance(value, Container) else None
    return isinstance(origin, Group) and origin.document is document and not origin.keys


def _defaulted(solver: Solver, keys: frozenset[str]) -> frozenset[str]:
    """The keys that code gives a value where none stands: `config.setdefault("key", 1)`."""
    calls = (c for facts in solver.project.loaded for c in facts.calls.get("setdefault", ()))
    given = {first_constant(call) for call in calls}
    return keys if not all(isinstance(key, str) for key in given) else keys & given


def _moved(
    files: ConfigFiles, value: ConditionalValue, fitting: list[Branch]
) -> ConditionalValue | None:
    """A value that several files say, as one of those says it that fit."""
    setting = value.source
    if not isinstance(setting, Setting):
        return None
    for leaf in (branch.items.get(setting.keys[0]) for branch in fitting):
        if isinstance(leaf, Leaf) and repr(leaf.value) == repr(setting.value):
            same = Setting(leaf.span, setting.value, leaf.path, setting.keys, setting.document)
            return replace(value, assumed=files.consult(same), source=same)
    return None


@remembered(512)
def _needed(scope: Scope, definition: ex.Definition) -> frozenset[str]:
    """The keys that a function reads of what a name holds, whenever it is called."""
    written = {store.target for store in scope.stores}
    return frozenset(
        part.index.value
        for part in _evaluated_first(scope)
        if isinstance(part, ex.Subscript)
        and part not in written
        and isinstance(part.value, ex.Reference)
        and part.value.definition is definition
        and isinstance(part.index, ex.Constant)
        and isinstance(part.index.value, str)
    )


def _evaluated_first(scope: Scope) -> Iterator[ex.Expression]:
    """What the statements of a function evaluate that stand before any that may leave it."""
    for statement in scope.body.statements:
        waiting = list(walk.expressions(statement))
        while waiting:
            part = waiting.pop()
            if not isinstance(part, _OPTIONAL):
                yield part
                waiting += walk.children(part)
        inner = (s for block in walk.blocks(statement) for s in walk.statements(block))
        if any(isinstance(s, Return) for s in inner):
            return
