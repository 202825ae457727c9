"""What running an engine stands for, written out as loops.

Question: which loops does `trainer.run(loader, max_epochs=n)` make? Those that the engine's own
source has: one over `range(n)`, and in it one over the loader, whose body calls what the engine was
given. They hang below the statement of the call, so that what stands around it stands around them,
and have its place. Given up on: runs that are not given their data by itself; how many epochs there
are where their length is given, and then none is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dlint.ir import expressions as ex
from dlint.ir.module import Block, Evaluate, Loop, Scope, With
from dlint.library_facts.engines import Engine, Moment, OwnStep
from dlint.semantics.calls.binding import bind, library_signature
from dlint.semantics.calls.call_contexts import CallArguments, CallContext


@dataclass(eq=False)
class WrittenRun:
    """A call that runs an engine, and the loops that it stands for."""

    call: ex.Call
    engine: ex.Expression
    """The object that is run."""
    batches: Loop
    epochs: Loop | None
    """None where there is one epoch."""
    around: Block
    """What the run does once, the loops among it."""
    has_step: bool = False
    """Whether it is known what is called for each batch."""
    _own: set[OwnStep] = field(default_factory=set)
    _made: dict[tuple[Scope, Moment], ex.Call] = field(default_factory=dict)

    @property
    def step_arguments(self) -> tuple[ex.Argument, ...]:
        """What the engine gives to what it calls for each batch: itself, and the batch."""
        span, batch = self.call.span, self.batches.definitions[0]
        given = (self.engine, ex.Reference(span, batch.name, batch))
        return tuple(ex.Argument(span, value) for value in given)

    @property
    def made(self) -> tuple[ex.Call, ...]:
        """The calls of functions of the project that it makes, as far as they are known."""
        return tuple(self._made.values())

    def take(self, step: OwnStep) -> None:
        """For each batch the library calls a function of its own."""
        self.has_step = True
        if step in self._own:
            return
        self._own.add(step)
        span, block = self.call.span, self.batches.body
        if step is OwnStep.EVALUATES:
            off = ex.Reference(span, "no_grad", None)
            within = With(span, (off,), (), Block([]), block)
            within.body.owner = within
            block.statements.append(within)
            block = within.body
        name = "backward" if step is OwnStep.LEARNS else "infer"
        self._call(ex.Attribute(span, self.engine, name), self.step_arguments[1:], block)

    def calling(self, function: Scope, moment: Moment, given: tuple[ex.Argument, ...]) -> ex.Call:
        """The call of a function of the project that the run makes at some moment."""
        made = self._made.get((function, moment))
        if made is None:
            made = self._made[function, moment] = self._make(function, moment, given)
        return made

    def _make(self, function: Scope, moment: Moment, given: tuple[ex.Argument, ...]) -> ex.Call:
        callee = ex.FunctionValue(self.call.span, function)
        first = moment in (Moment.RUN_STARTS, Moment.EPOCH_STARTS)
        return self._call(callee, given, self._block(moment), first=first)

    def _call(
        self,
        callee: ex.Expression,
        given: tuple[ex.Argument, ...],
        block: Block,
        *,
        first: bool = False,
    ) -> ex.Call:
        """A statement that calls something, written first or last in a block."""
        statement = Evaluate(self.call.span, ex.Opaque(self.call.span), block)
        made = ex.Call(self.call.span, callee, given, self.call.scope, statement)
        statement.value = made
        block.statements.insert(0 if first else len(block.statements), statement)
        return made

    def _block(self, moment: Moment) -> Block:
        if moment is Moment.BATCH:
            return self.batches.body
        of_epoch = moment in (Moment.EPOCH_STARTS, Moment.EPOCH_ENDS)
        return self.epochs.body if self.epochs is not None and of_epoch else self.around


def written_run(call: ex.Call, engine: Engine, context: CallContext) -> WrittenRun | None:
    """What a call of an engine's `run` stands for; None where it is given no data by itself."""
    passed = CallArguments.of(call.arguments, context)
    bound = bind(passed, library_signature(engine.running))
    data = bound[engine.data].expression
    if data is None or not isinstance(call.function, ex.Attribute):
        return None
    around = Block([], call.statement)
    number = bound[engine.epochs].expression
    is_cut = bool(bound.var_positional) or any(bound[name].given for name in engine.lengths)
    epochs = None
    if number is not None and not is_cut and not _is_one(number[0]):
        epochs = _loop(call, _range(call, number[0]), around)
    inner = around if epochs is None else epochs.body
    batches = _loop(call, data[0], inner)
    element = ex.Element(call.span, data[0])
    batches.definitions = (ex.Definition(call.span, "batch", element, call.scope),)
    return WrittenRun(call, call.function.value, batches, epochs, around)


def _is_one(number: ex.Expression) -> bool:
    found = ex.constant(number)
    return found is not None and found.value in (None, 1)


def _loop(call: ex.Call, iterable: ex.Expression, around: Block) -> Loop:
    loop = Loop(call.span, call.span, iterable, None, (), Block([]), Block([], role="else"), around)
    loop.body.owner = loop.otherwise.owner = loop
    around.statements.append(loop)
    return loop


def _range(call: ex.Call, number: ex.Expression) -> ex.Call:
    given = (ex.Argument(call.span, number),)
    callee = ex.Reference(call.span, "range", None)
    return ex.Call(call.span, callee, given, call.scope, call.statement)
