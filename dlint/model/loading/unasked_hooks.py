"""Loaders that Lightning never asks for: the model has no step for them.

Question: does Lightning leave `val_dataloader` or `test_dataloader` of a class alone, since no
model that it runs has a `validation_step` or `test_step`? Followed: methods of the model's class,
of what it derives from and what derives from it; of a data module, the models that a trainer runs
with it. Given up on, so that the answer is no: models that do not train, of libraries and of bases
that are not known, steps that are written later, trainers whose data is not known, `LightningCLI`.
Budget: the calls by the trainer's names, looked at for each hook.

lightning/pytorch/loops/evaluation_loop.py, `setup_data`: no loader is asked for unless the step is
overridden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import frameworks
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.values import is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.semantics.values.values import Value

_STEPS = {"val_dataloader": "validation_step", "test_dataloader": "test_step"}
_RUNS = ("fit", "validate", "test")
_CLI = b"LightningCLI"


class UnaskedHooks:
    """Which hooks of classes Lightning does not call."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._classes = context.solver.classes

    def holds(self, cls: Class, hook: str) -> bool:
        """Whether a class returns a loader by a hook that nothing calls."""
        step, bases = _STEPS.get(hook), frozenset(self._classes.externals(cls))
        if step is None or self._context.project.words.holders(_CLI):
            return False
        if bases & frameworks.LIGHTNING_MODULES:
            return self._lacks(cls, step)
        models = self._models(cls) if bases & frameworks.LIGHTNING_BASES else []
        return bool(models) and all(model and self._lacks(model, step) for model in models)

    def _lacks(self, model: Class, step: str) -> bool:
        """Whether a model that trains has no step of a name, nor has what derives from it."""
        family = self._classes.family(model)
        known = all(
            self._classes.is_whole(one)
            and frameworks.LIGHTNING_MODULES.issuperset(self._classes.externals(one))
            for one in family
        )
        named = {d.name for one in family for d in one.body.definitions}
        trains = known and frameworks.TRAINING_STEP in named
        return trains and step not in named and not self._context.project.writing(step)

    def _models(self, data: Class) -> list[Class | None]:
        """The models that a data module is run with; None for what is not known."""
        found: list[Class | None] = []
        for call in calls_anywhere(self._context, *_RUNS):
            given = self._data(call)
            if None in given or any(self._classes.are_related(data, one) for one in given if one):
                found += self._of(written(call, 0, "model"), call)
        return found

    def _data(self, call: ex.Call) -> list[Class | None]:
        """The classes of the data that a trainer may be given; None where one is not known."""
        receiver = call.function.value if isinstance(call.function, ex.Attribute) else None
        values = [] if receiver is None else self._context.values(receiver, call.scope)
        if values and not any(_may_be_trainer(value, call.name) for value in values):
            return []
        if any(argument.star for argument in call.arguments):
            return [None]
        given = (a.value for n, a in enumerate(call.arguments) if n or a.keyword)
        return [cls for data in given for cls in self._of(data, call)]

    def _of(self, expression: ex.Expression | None, call: ex.Call) -> list[Class | None]:
        """The classes of the objects that an expression denotes."""
        values = [] if expression is None else list(self._context.values(expression, call.scope))
        return [project_class(value) for value in values] or [None]


def _may_be_trainer(value: Value, name: str | None) -> bool:
    """Whether an object is Lightning's trainer, or not known."""
    if not is_of_library(value):
        return True
    consumer = frameworks.consumer(library_path(value), name)
    return consumer is not None and consumer.bases >= frameworks.LIGHTNING_MODULES
