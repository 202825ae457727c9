"""What a loader is for: to train, or to evaluate only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import calls_below, most_runs
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Bind, ModuleIndex, Return, Store
from dlint.ir.remembering import remembered
from dlint.model.loading.frameworks import Consumption, runs_known_step
from dlint.model.loops.batch_loops import EVALUATION, GRADIENT_STEPS, calls_in
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.gradients import switches_gradients_off
from dlint.model.loops.modes import may_teach
from dlint.model.loops.unread_names import Mentions
from dlint.semantics.values.values import FALSE, TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


def only_evaluates(loader: Loader) -> bool:
    """Whether every loop over a loader, and every framework that takes it, only evaluates.

    Loaders that are named for training are not: statistics of training data are gone through so.
    """
    return not is_named_for_training(loader) and is_only_evaluated(loader)


def is_only_evaluated(loader: Loader) -> bool:
    """The same, whatever the loader and its data are called."""
    frameworks = loader.context[Consumption]
    handed = [by for by, call in frameworks.of(loader.made) if call is not None]
    if not loader.loops and not all(by.hooks for by in handed):
        return False
    if frameworks.trains(loader.made):
        return False
    loops = [x for x in loader.loops if not (_is_a_look(x) or _is_followed(loader, x))]
    if any(loop.is_single or loop.trains or not _evaluates(loader, loop) for loop in loops):
        return False
    return bool(loops or handed or frameworks.hooks_of(loader.made))


def _is_a_look(loop: BatchLoop) -> bool:
    """Whether what runs once takes a batch outside of loops, and learns from nothing but loops."""
    if not loop.is_single or loop.body is not None or most_runs(loop.context, loop.scope) > 1:
        return False
    steps = (call for call in loop.scope.calls if call.name in GRADIENT_STEPS)
    return all(any(walk.enclosing_loops(call.statement)) for call in steps)


def _is_followed(loader: Loader, loop: BatchLoop) -> bool:
    """Whether a generator only hands its batches on, to another loop of those over the loader."""
    if not loop.is_in_generator or loop.trains:
        return False
    return any(x is not loop and x.goes_through(loop.scope) for x in loader.loops)


def _evaluates(loader: Loader, loop: BatchLoop) -> bool:
    """Whether a loop only evaluates: by itself, or by the names of what it runs over, where its
    body switches gradients off and nothing in it may learn.
    """
    if is_evaluation(loop):
        return True
    if loop.body is None or may_train(loop) or not switches_gradients_off(loop.body):
        return False
    return is_named_for_evaluation(loader)


def serves_training(loader: Loader) -> bool:
    """Whether something may learn from its batches, in a loop of the program or by a framework."""
    frameworks = loader.context[Consumption]
    if frameworks.trains(loader.made):
        return True
    handed = [
        by
        for by, call in frameworks.of(loader.made)
        if call is not None and not runs_known_step(loader.context, call)
    ]
    return not all(by.hooks for by in handed) or any(map(may_train, loader.loops))


def may_train(loop: BatchLoop) -> bool:
    """Whether something may learn from each batch of a loop, as far as calls and names say.

    A generator, and whatever reads one batch for somebody else, hands it on to loops elsewhere.
    """
    if loop.trains:
        return True
    if is_evaluation(loop):
        return False
    if loop.body is None or loop.is_in_generator:
        return True
    if "train" in loop.scope.name.lower():
        return True
    called = calls_below(loop.context, calls_in(loop.body))
    return any(may_teach(call.name or "") for call in called)


def is_self_test(loader: Loader) -> bool:
    """Whether a module looks at its own batches under `if __name__ == "__main__"`."""
    scope = loader.call.scope
    if scope.kind != "module" or not loader.loops or loader.reaches_cuda:
        return False
    guarded = any(
        isinstance(part, ex.Reference) and part.name == "__name__"
        for test, _ in walk.tests(loader.call.statement)
        for part in walk.walk(test)
    )
    return guarded and not any(
        loop.scope is not scope or loop.trains or is_evaluation(loop) for loop in loader.loops
    )


def is_only_tried(loader: Loader) -> bool:
    """Whether every trainer beside the loader runs one batch alone: `fast_dev_run=True`."""
    trainers = trainers_of(loader.call.scope.module)
    return bool(trainers) and all(map(_is_trial, trainers))


@remembered(1024)
def _calls_of_trainers(module: ModuleIndex) -> tuple[ex.Call, ...]:
    calls = (call for scope in module.scopes for call in scope.calls)
    return tuple(call for call in calls if call.name == "Trainer")


@told_by_code
def trainers_of(module: ModuleIndex) -> tuple[ex.Call, ...]:
    """The calls of a module that make trainers, by their name."""
    return _calls_of_trainers(module)


def _is_trial(trainer: ex.Call) -> bool:
    given = written(trainer, None, "fast_dev_run")
    return isinstance(given, ex.Constant) and given.value is True


def is_asked_by_nobody(loader: Loader) -> bool:
    """Whether the program asks for a test loader itself, and has no framework test with it."""
    hooks = loader.context[Consumption].hooks_of(loader.made)
    if not hooks or loader.loops or not hooks <= {"test_dataloader", "predict_dataloader"}:
        return False
    called = {name for facts in loader.context.modules for name in facts.calls}
    return hooks <= called and not called & {"test", "predict", "LightningCLI"}


def is_left_alone(loader: Loader) -> bool:
    """Whether a script gives a loader a name that it never reads: nothing asks it for a batch."""
    made, module = loader.call.statement, loader.call.scope.module
    if not isinstance(made, Bind) or made.value is not loader.call or made.stores:
        return False
    names = {definition.name for definition in made.definitions}
    if loader.context[Mentions].any_of(names, module.path):
        return False
    importers = loader.context.project.graph.importers({module.path}) - {module.path}
    return not any(_may_take(loader.context, path, module, names) for path in importers)


def _may_take(
    context: AnalysisContext, path: str, module: ModuleIndex, names: Iterable[str]
) -> bool:
    """Whether a file may read one of some names of a module: all, by import, or of the module."""
    stem = re.escape(module.path.rpartition("/")[2].removesuffix(".py").encode())
    name = b"|".join(re.escape(one.encode()) for one in names)
    taken = rb"import\s*(?:\*|\([^)]*\b(?:%b)\b|[^\n(]*\b(?:%b)\b)|\b%b\.(?:%b)\b"
    return context.project.says(path, re.compile(taken % (name, name, stem, name)))


def is_named_for_training(loader: Loader) -> bool:
    """Whether the name of a loader, or of the data that it is given, says that it trains."""
    return any("train" in name.lower() for name in names_of(loader))


def is_named_for_evaluation(loader: Loader) -> bool:
    """Whether the name of a loader, or of the data that it is given, says that it evaluates."""
    return any(map(EVALUATION.search, names_of(loader)))


def is_itself_named_for_evaluation(loader: Loader) -> bool:
    """Whether the name of a loader says that it evaluates, whatever its data are called."""
    return any(map(EVALUATION.search, _own_names(loader)))


def names_of(loader: Loader) -> list[str]:
    """The names of a loader, of the data that it is given, and of what makes it for one caller."""
    names = _own_names(loader)
    given = loader.written("dataset")
    for part in () if given is None else walk.walk(given):
        if isinstance(part, ex.Reference | ex.Attribute) and not _is_switch(loader, part):
            names.append(part.name)
    return names


def _own_names(loader: Loader) -> list[str]:
    """The names of a loader, and of what makes it for one caller."""
    names = [*_names(loader.call)]
    for frame in loader.made.frame.chain():
        found = [] if frame.call is None else [*_names(frame.call)]
        names += found if len(found) == 1 else []
    return names


def _is_switch(loader: Loader, part: ex.Expression) -> bool:
    """Whether a part is True or False, which says nothing by its name: `train` of `train=train`."""
    values = loader.context.solver.values(part, loader.made.frame)
    return bool(values) and values <= {TRUE, FALSE}


def _names(call: ex.Call) -> Iterator[str]:
    """The names and keys under which a statement keeps what a call in it makes."""
    statement = call.statement
    if isinstance(statement, Bind):
        own = (d.name for d in statement.definitions if _may_hold(d.value, call))
        yield from own
        stores = (store for store in statement.stores if _may_hold(store.value, call))
        yield from (name for store in stores if (name := _target(store)) is not None)
    elif isinstance(statement, Return):
        yield call.scope.name
    for expression in walk.expressions(statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Mapping):
                yield from (
                    key.value
                    for key, value in part.items
                    if value is call and isinstance(key, ex.Constant) and isinstance(key.value, str)
                )
            elif isinstance(part, ex.Call):
                yield from (a.keyword for a in part.arguments if a.value is call and a.keyword)


def _may_hold(value: ex.Expression, call: ex.Call) -> bool:
    """Whether a name of a statement may hold what a call gives: of `a, b = f(), g()` by place."""
    taken = ex.unpacked(value)
    return taken is value or any(part is call for part in walk.walk(taken))


def _target(store: Store) -> str | None:
    """The attribute or key that is written."""
    target = store.target
    if isinstance(target, ex.Attribute):
        return target.name
    key = target.index.value if isinstance(target.index, ex.Constant) else None
    return key if isinstance(key, str) else None
