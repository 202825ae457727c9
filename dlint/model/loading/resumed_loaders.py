"""Loaders that can save where they are, and positions that are saved without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, calls_to, is_call_to
from dlint.analyses.control.call_paths import calls_below, entered_by
from dlint.analyses.value_parts import parts_behind
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Evaluate, If, Jump, Loop, ModuleIndex, Scope, Statement
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops import reproducible
from dlint.model.loops.batch_loops import GRADIENT_STEPS, BatchLoop, calls_in
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.samples.sample_order import ignores_indices
from dlint.semantics.values.values import UNKNOWN, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader


_SPEAKS_OF_DATA = lazily(r"loader|data|train|val|iter|(^|_)(dl|state|stateful|obj|item)s?$", re.I)


_HARMLESS = frozenset(
    ["enumerate", "tqdm", "iter", "len", "next", "zip", "isinstance", "hasattr", "print", "islice"]
)


_LOAD = "torch.load"


_SAVE = "torch.save"


_SAVES = (
    _SAVE,
    *(f"torch.distributed.checkpoint.{name}" for name in ("save", "async_save", "save_state_dict")),
)


_LOADS = (
    _LOAD,
    *(f"torch.distributed.checkpoint.{name}" for name in ("load", "load_state_dict")),
)
"""Functions that write and read checkpoints."""


_POSITION = lazily(r"(^|_)(global_step|step|iter|iteration|batch|batch_idx|it)s?$", re.I)


_SKIPPING = lazily(r"^islice$|skip|fast_forward", re.I)
"""Names of functions that go past batches without a look at them."""


_ORDER = frozenset({"<", "<=", ">", ">="})


class StatefulLoader:
    """A loader that can save where it is, and what the program does with that."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self._context = loader.context

    @cached_property
    def saves(self) -> list[ex.Call]:
        """The calls that may ask it for its state."""
        return self._calls("state_dict")

    @cached_property
    def loads(self) -> list[ex.Call]:
        """The calls that may give it a state."""
        return self._calls("load_state_dict")

    def _calls(self, name: str) -> list[ex.Call]:
        calls = calls_anywhere(self._context, name)
        return [call for call in calls if self._may_be_receiver(call)]

    def _may_be_receiver(self, call: ex.Call) -> bool:
        callee = call.function
        if not isinstance(callee, ex.Attribute):
            return False
        found = self._context.values(callee.value, call.scope)
        if any(value == self.loader.made for value in found):
            return True
        named = callee.value
        name = named.name if isinstance(named, ex.Reference | ex.Attribute) else "data"
        return UNKNOWN in found and _SPEAKS_OF_DATA.search(name) is not None

    @cached_property
    def is_handed_on(self) -> bool:
        """Whether a library or something unknown is given it, and may save it."""
        context, made = self._context, self.loader.made
        if context[Consumption].of(made):
            return True
        for scope in context.reached():
            for call in scope.calls:
                if call.name in _HARMLESS or self._is_own(call):
                    continue
                if made in context[LoadersGiven].to(call):
                    return True
        return False

    def _is_own(self, call: ex.Call) -> bool:
        """Whether a call enters functions of the project only."""
        found = self._context.values(call.function, call.scope)
        return bool(found) and all(isinstance(v, FunctionObject | Method) for v in found)

    def late_loads(self) -> Iterator[tuple[ex.Call, BatchLoop]]:
        """States that are given inside a loop over the loader, each with the loop."""
        for loop in self.loader.loops:
            if isinstance(loop.statement, Loop) and not loop.is_single:
                for call in calls_in(loop.statement.body):
                    if call in self.loads and self._is_certain(call):
                        yield call, loop

    def _is_certain(self, call: ex.Call) -> bool:
        callee = call.function
        assert isinstance(callee, ex.Attribute)
        return self._context.values(callee.value, call.scope) == {self.loader.made}


def stateful(context: AnalysisContext) -> Iterator[list[StatefulLoader]]:
    """The loaders that can save where they are, by the calls that make them.

    Of one that a config file describes, nobody knows who saves it.
    """
    for group in context[Loaders].by_call().values():
        if any(loader.is_configured for loader in group):
            continue
        if all(reproducible.keeps_state(loader) for loader in group):
            yield [StatefulLoader(loader) for loader in group]


class Position(NamedTuple):
    """A place in an epoch that is saved and loaded, while the loader begins at its first batch."""

    loader: Loader
    save: Place
    key: str


def forgotten_positions(context: AnalysisContext) -> Iterator[Position]:
    """Checkpoints inside a training loop whose step is loaded again, with no batch skipped."""
    for group in context[Loaders].by_call().values():
        if not any(context.told(loop.place.path) for loader in group for loop in loader.loops):
            continue
        for loader in group:
            found = next(_positions(loader), None)
            if found is not None and not reproducible.keeps_state(loader):
                yield found
                break


def resumed_saves(loader: Loader) -> Iterator[ex.Call]:
    """Calls that save a checkpoint inside an epoch, where the program takes such ones up again."""
    context = loader.context
    for loop in loader.loops:
        if not isinstance(loop.statement, Loop) or loop.is_single or not loop.trains:
            continue
        if _skips(loop, loop.statement) or not _takes_up(context):
            continue
        for call in calls_in(loop.statement.body):
            if any(_is_checkpoint(context, save) for save in _saves(context, call, _SAVES)):
                yield call


def _is_checkpoint(context: AnalysisContext, save: ex.Call) -> bool:
    """Whether what is saved holds the state of something."""
    values = [argument.value for argument in save.arguments]
    root = context.solver.root(save.scope)
    return any(
        isinstance(part, ex.Call) and part.name == "state_dict"
        for value in values
        for part in parts_behind(context, value, root, 3)
    )


def _takes_up(context: AnalysisContext) -> bool:
    """Whether the program loads checkpoints, and gives several objects their states again."""
    calls = calls_anywhere(context, "load_state_dict")
    owners = [(c.scope, c.function.value) for c in calls if isinstance(c.function, ex.Attribute)]
    given = {(scope, ex.dotted(owner)) for scope, owner in owners}
    several = len(given) > 1 or any(map(_is_gone_through, (owner for _, owner in owners)))
    return several and any(calls_to(context, *_LOADS))


def _is_gone_through(owner: ex.Expression) -> bool:
    """Whether it is one of several after the other: `part` of `for name, part in parts.items()`."""
    made = ex.unnamed(owner)
    return isinstance(made.value if isinstance(made, ex.Item) else made, ex.Element)


def _positions(loader: Loader) -> Iterator[Position]:
    context = loader.context
    if ignores_indices(loader):
        return
    for loop in loader.loops:
        statement = loop.statement
        if not isinstance(statement, Loop) or loop.is_single or not loop.takes_gradients:
            continue
        if _skips(loop, statement):
            continue
        for call in calls_in(statement.body):
            for save in _saves(context, call):
                for key in _keys(save):
                    if _POSITION.search(key) and _is_read(context, loop, key):
                        yield Position(loader, context.place_of(call), key)


def _skips(loop: BatchLoop, statement: Loop) -> bool:
    """Whether batches may be gone past: by a function, by a test of the round, by `next`."""
    if any(map(calls_what_skips, _around(loop))):
        return True
    scopes = [loop.scope, *entered_by(loop.context, loop.scope.calls)]
    if any(map(only_advances, scopes)):
        return True
    inner = walk.statements(statement.body)
    return any(isinstance(s, If) and _passes_over(s) for s in inner)


def _around(loop: BatchLoop) -> list[ModuleIndex]:
    """The module of a loop, and those of the functions that its own function calls."""
    called = entered_by(loop.context, loop.scope.calls, deep=1)
    return list(dict.fromkeys((loop.scope.module, *(scope.module for scope in called))))


@told_by_code
def calls_what_skips(module: ModuleIndex) -> bool:
    """Whether a module calls anything that, by its name, goes past batches."""
    names = (call.name for scope in module.scopes for call in scope.calls)
    return any(name is not None and _SKIPPING.search(name) for name in names)


@told_by_code
def only_advances(scope: Scope) -> bool:
    """Whether a loop of a scope does no more than to ask for batches."""
    return any(map(_only_advances, walk.statements(scope.body)))


def _only_advances(statement: Statement) -> bool:
    """`for _ in range(seen): next(batches)`."""
    body = statement.body.statements if isinstance(statement, Loop) else []
    values = [s.value if isinstance(s, Evaluate) else None for s in body]
    return bool(values) and all(isinstance(v, ex.Call) and v.name == "next" for v in values)


def _passes_over(test: If) -> bool:
    """Whether rounds up to some number do nothing: `if step < seen: continue`."""
    compared = [
        part
        for part in walk.walk(test.test)
        if isinstance(part, ex.Comparison)
        and part.operator in _ORDER
        and not any(isinstance(side, ex.Constant) for side in (part.left, part.right))
    ]
    if not compared:
        return False
    leaves = any(isinstance(s, Jump) and s.kind == "continue" for s in test.then.statements)
    return leaves or any(call.name in GRADIENT_STEPS for call in calls_in(test.then))


def _saves(
    context: AnalysisContext, call: ex.Call, paths: tuple[str, ...] = (_SAVE,)
) -> Iterator[ex.Call]:
    """The calls that save which a call is, or that the function it enters makes."""
    for one in calls_below(context, [call], 1):
        if is_call_to(context, one, paths):
            yield one


def _keys(call: ex.Call) -> Iterator[str]:
    """The keys of a dict that is saved where it is written."""
    saved = written(call, 0, "obj")
    if isinstance(saved, ex.Reference) and saved.definition is not None:
        saved = saved.definition.value
    for key, _ in saved.items if isinstance(saved, ex.Mapping) else ():
        if isinstance(key, ex.Constant) and isinstance(key.value, str):
            yield key.value


def _is_read(context: AnalysisContext, loop: BatchLoop, key: str) -> bool:
    """Whether a module that loads a checkpoint reads that key: that of the loop, or of a function
    that is called beside it.
    """
    modules = _around(loop)
    loading = {call.scope.module for call in calls_to(context, _LOAD)}
    return any(
        isinstance(part, ex.Subscript)
        and isinstance(part.index, ex.Constant)
        and part.index.value == key
        for module in modules
        if module in loading
        for scope in module.scopes
        if scope.kind != "lambda"
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )
