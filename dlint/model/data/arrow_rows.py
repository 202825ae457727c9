"""Rows of Hugging Face data sets: which of their columns hold lists where a loader takes them.

Question: does a value certainly come of `load_dataset`, through `map` with a tokenizer, or with a
function that writes lists, without `with_format`? Arrow keeps lists, whatever `map` returned;
without a format rows give them back as lists. Followed: the steps of a backward slice, splits by
key, values of dicts and of dict comprehensions, methods that leave rows as they are, columns that
are left out by name.
Given up on: functions of `map` whose calls are not known, and any other method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.keyed_comprehensions import KeyedComprehensions
from dlint.analyses.value_parts import origin_over_calls
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import arrow
from dlint.library_facts.collation import FORMATS, TOKENIZERS, TOKENS
from dlint.library_facts.frameworks import LIGHTNING_MODULES, STEPS
from dlint.model.data.mapped_columns import mapped_columns
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.batch_loops import calls_in
from dlint.model.samples.batch_parts import is_batch
from dlint.model.samples.samples import callee_of
from dlint.model.samples.tensor_uses import is_model
from dlint.semantics.values.values import (
    Literal,
    Partial,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

Columns = frozenset[str]
"""The names of columns that hold a list in each row."""


def list_columns(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Columns:
    """The columns of a data set that certainly hold lists, where nothing gives it a format."""
    if any(True for _ in calls_anywhere(context, *FORMATS)):
        return frozenset()
    return Slice(context, _QUESTION).of(expression, frame) or frozenset()


def copies_lists(loader: Loader, columns: Columns) -> ex.Call | None:
    """Where lists of a batch are taken for tensors: copied to a device, or given to a model."""
    for call in _model_calls(loader, columns):
        return call
    for transfer in loader.transfers:
        source = ex.unnamed(transfer.source)
        if isinstance(source, ex.Call) and source.name in ("pop", "get"):
            key = ex.constant(written(source, 0, "key"))
        else:
            key = ex.constant(source.index) if isinstance(source, ex.Subscript) else None
        if (key is not None and key.value in columns) or is_each(source):
            return transfer.call
    return None


def _model_calls(loader: Loader, columns: Columns) -> Iterator[ex.Call]:
    """`model(**batch)`, `model(batch["input_ids"])`, where the model is one of transformers."""
    context = loader.context
    yield from _in_steps(loader, columns)
    for body in (loop.body for loop in loader.loops if loop.body is not None):
        for call in calls_in(body):
            root = context.solver.root(call.scope)
            given = [_batch_given(argument, columns) for argument in call.arguments]
            batches = any(v is not None and is_batch(context, v, root) for v in given)
            if batches and is_model(context, call):
                yield call


def _in_steps(loader: Loader, columns: Columns) -> Iterator[ex.Call]:
    """The same in the step of the one module of Lightning, which gets the loader's batches."""
    context = loader.context
    classes = [cls for facts in context.modules for cls in facts.module.classes]
    externals = context.solver.classes.externals
    modules = [cls for cls in classes if not LIGHTNING_MODULES.isdisjoint(externals(cls))]
    hooks = context[Consumption].hooks_of(loader.made) if len(modules) == 1 else ()
    names = (STEPS[hook] for hook in hooks if hook in STEPS)
    methods = (context.solver.classes.method(modules[0], name) for name in names)
    for method in methods:
        for call in () if method is None else method.calls:
            given = [_batch_given(argument, columns) for argument in call.arguments]
            if is_model(context, call) and any(_is_second(each, method) for each in given):
                yield call


def _is_second(given: ex.Expression | None, method: Scope | None) -> bool:
    """Whether something is the first parameter of a method but `self`."""
    origin = None if given is None else ex.unnamed(given)
    names = () if method is None else [spec.name for spec in method.parameters[1:2]]
    return isinstance(origin, ex.Parameter) and origin.name in names


def _batch_given(argument: ex.Argument, columns: Columns) -> ex.Expression | None:
    """What lists are taken from: `batch` of `**batch`, and of `batch["input_ids"]`."""
    if argument.star == "**":
        return argument.value
    part = ex.unnamed(argument.value)
    key = ex.constant(part.index) if isinstance(part, ex.Subscript) else None
    is_column = key is not None and key.value in columns
    return part.value if is_column and isinstance(part, ex.Subscript) else None


def is_each(source: ex.Expression) -> bool:
    """Whether something is a value of `batch.items()`, whatever its key."""
    if isinstance(source, ex.Item) and source.position == 1:
        source = source.value
        method = "items"
    else:
        method = "values"
    iterable = source.source if isinstance(source, ex.Element) else None
    return isinstance(iterable, ex.Call) and iterable.name == method


def _in_all(found: Sequence[Columns | None]) -> Columns | None:
    known = [columns for columns in found if columns is not None]
    return frozenset.intersection(*known) if known and len(known) == len(found) else None


def _of_call(slice_: Slice[Columns | None], call: ex.Call, frame: CallContext) -> Columns | None:
    context, callee = slice_.context, call.function
    if set(library_callees(context, call)) & arrow.OPENING:
        return frozenset()
    if not isinstance(callee, ex.Attribute) or call.name not in arrow.SELECTING | {"map"}:
        return None
    before = slice_.of(callee.value, frame) if call.name != "with_format" else None
    if before is None or call.name not in arrow.NARROWING | {"map"}:
        return before
    left = _left(call, before)
    return _mapped(context, call, left) if call.name == "map" else left


def _left(call: ex.Call, before: Columns) -> Columns:
    """What is not left out by name; of what a tokenizer made, nobody leaves out all."""
    is_map = call.name == "map"
    given = written(call, None if is_map else 0, "remove_columns" if is_map else "column_names")
    if given is None and is_map:
        return before
    named = given.items if isinstance(given, ex.Sequence) else [given]
    names = [ex.constant(name) for name in named]
    known = frozenset(name.value for name in names if name and isinstance(name.value, str))
    kept = before & known if call.name == "select_columns" else before - known
    return kept | before & TOKENS if len(known) == len(named) else before & TOKENS


def _mapped(context: AnalysisContext, call: ex.Call, before: Columns) -> Columns:
    """What holds lists behind a `map`."""
    tokens = TOKENS if tokenizes(context, call) else before & TOKENS
    columns = mapped_columns(context, call)
    return tokens if columns is None else tokens | before - columns.written | columns.lists


def tokenizes(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether the function of a `map` calls a tokenizer, is one, or is handed one by a partial."""
    given = bind(context, call, "function").values("function")
    return any(is_tokenizer(value) or _calls_tokenizer(context, value) for value in given)


def _calls_tokenizer(context: AnalysisContext, value: Value) -> bool:
    scope = callee_of(context, value)
    entered = () if scope is None else (scope, *entered_by(context, scope.calls))
    called = [(c.function, context.solver.root(s)) for s in entered for c in s.calls]
    if isinstance(value, Partial):
        called += [(a.value, frame) for a, frame in context.solver.passed[value].arguments]
    behind = (origin_over_calls(context, *one) for one in called)
    values = (context.solver.values(*one) for one in (*called, *behind))
    return any(is_tokenizer(one) for found in values for one in found)


def is_tokenizer(value: Value) -> bool:
    """Whether a value is a tokenizer of transformers, with its vocabulary."""
    if not is_of_library(value):
        return False
    path = library_path(value)
    return path.startswith(TOKENIZERS) and "Tokenizer" in path and path.endswith("from_pretrained")


def _of_subscript(
    slice_: Slice[Columns | None], split: ex.Subscript, frame: CallContext
) -> Columns | None:
    keyed = slice_.context[KeyedComprehensions].item(split, frame)
    if keyed is not None:
        return slice_.of(*keyed)
    of_dict = None if ex.constant(split.index) else _of_each(slice_, split, frame)
    if of_dict is not None:
        return of_dict
    return slice_.of(split.value, frame) if is_split(slice_.context, split, frame) else None


def is_split(context: AnalysisContext, part: ex.Subscript, frame: CallContext) -> bool:
    """Whether it is `splits["train"]`; a row, or a part of a column, is none."""
    keys = context.solver.values(part.index, frame)
    return bool(keys) and all(isinstance(k, Literal) and isinstance(k.value, str) for k in keys)


def _of_each(
    slice_: Slice[Columns | None], part: ex.Expression, frame: CallContext
) -> Columns | None:
    """What a loop, or a key, takes of a dict of data sets: what all of them have."""
    values = slice_.context[KeyedComprehensions].each_value(part, frame)
    return slice_.joined(values) if values else None


_QUESTION: Question[Columns | None] = Question(
    None,
    _in_all,
    {
        ex.Call: _of_call,
        ex.Subscript: _of_subscript,
        ex.Item: _of_each,
        ex.Element: _of_each,
    },
)
"""Which columns hold lists; None for what may be no data set of this kind."""
