"""Outputs of an evaluation that are matched with what is in the order of the data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.callees import held_as
from dlint.analyses.calls import library_callees
from dlint.analyses.object_state.sample_access import takes_by_index
from dlint.analyses.value_parts import (
    certain_parts,
    names_over_calls,
    origin_of,
    parts_in_function,
)
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Loop
from dlint.library_facts.metrics import OF_SAMPLES, SAMPLES_FIRST
from dlint.library_facts.weights import CONVERTING, PER_SAMPLE
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_COLLECTING = frozenset({"append", "extend"})
_TABLES = frozenset({"pandas.DataFrame", "pandas.core.frame.DataFrame", "polars.DataFrame"})
_ARCHIVES = frozenset({"numpy.savez", "numpy.savez_compressed"})
_METRICS = "sklearn.metrics."
_ZIP = "builtins.zip"


def matched_by_position(loader: Loader) -> Place | None:
    """Where outputs of a loader stand beside what its data set was made of, position by position.

    Known are tables, `zip`, archives of NumPy, columns, metrics of scikit-learn, and what is
    indexed by the number of the batch; followed are lists that a loop or a comprehension fills, of
    its function or of who calls that, and what the function of the list returns to its callers.
    """
    source = frozenset(_source(loader))
    for loop in loader.loops:
        for scope, names in _lists(loop):
            found = _Matching(loader, loop, source, scope, names).place()
            if found is not None:
                return found
    return None


def _lists(loop: BatchLoop) -> Iterator[tuple[Scope, frozenset[str]]]:
    """The names of the lists that a loop fills, in its function, and in those that hand them in."""
    waiting, seen = [(loop.scope, frozenset(_collected(loop)))], {loop.scope}
    for scope, names in waiting:
        yield scope, names
        given = [p.name for p in scope.parameters if p.name in names]
        for call in callers_of(loop.context, scope) if given else ():
            bound = bind(loop.context, call)
            handed = (bound.get(name) for name in given)
            if call.scope not in seen:
                seen.add(call.scope)
                found = frozenset(h.name for h in handed if isinstance(h, ex.Reference))
                waiting.append((call.scope, found))


def _source(loader: Loader) -> Iterator[ex.Definition]:
    """The names of which the data set of a loader is made."""
    given = loader.given("dataset")
    for part, _ in () if given is None else certain_parts(loader.context, *given):
        name = _table(loader, part) or part
        if isinstance(name, ex.Reference) and name.definition is not None:
            yield name.definition


def _table(loader: Loader, part: ex.Expression) -> ex.Expression | None:
    """The table of which this is a column: `table` of `table["text"].tolist()`, `table.text`."""
    inner = part
    while (owner := _owner(inner)) is not None:
        inner = owner
    made = origin_of(inner) if inner is not part else None
    return inner if isinstance(made, ex.Call) and _is_of_pandas(loader, made) else None


def _owner(part: ex.Expression) -> ex.Expression | None:
    """What a part is taken of, or a method that keeps the entries is called on."""
    if isinstance(part, ex.Call) and part.name in CONVERTING:
        part = part.function
        return part.value if isinstance(part, ex.Attribute) else None
    return part.value if isinstance(part, ex.Attribute | ex.Subscript) else None


def _is_of_pandas(loader: Loader, made: ex.Call) -> bool:
    return any(path.startswith("pandas.") for path in library_callees(loader.context, made))


class _Matching:
    """One loop over a loader, and what becomes of what it collects."""

    def __init__(
        self,
        loader: Loader,
        loop: BatchLoop,
        source: frozenset[ex.Definition],
        scope: Scope,
        names: frozenset[str],
    ) -> None:
        self._loader, self._loop, self._source = loader, loop, source
        self._scope, self._names = scope, names

    def place(self) -> Place | None:
        """Where something is matched, None where nothing is known to be."""
        context, inner = self._loader.context, self._scope
        indexed = self._indexed()
        if indexed is not None:
            return indexed
        callers = [call.scope for call in callers_of(context, inner)]
        collects = bool(self._names) or self._loop.comprehension is not None
        for scope in dict.fromkeys((inner, *callers, *self._handed_to())) if collects else ():
            for part in parts_of(scope):
                if isinstance(part, ex.Call) and self._joins(part, scope):
                    return context.place_of(part)
            for store in scope.stores:
                column = isinstance(store.target, ex.Subscript) and self._is_source(store.target)
                if column and self._is_output(store.value, scope):
                    return Place(scope.module.path, *store.span)
        return None

    def _handed_to(self) -> Iterator[Scope]:
        """The functions that are given what the loop collected, one by the other."""
        for name in sorted(self._names):
            for _, scope in held_as(self._loader.context, name, self._scope):
                yield scope

    def _indexed(self) -> Place | None:
        """`names[number]`, by the number of a batch."""
        statement, scope = self._loop.statement, self._loop.scope
        if not isinstance(statement, Loop):
            return None
        counters = {d for d in statement.definitions if not self._is_batch(d)}
        for each in _parts_in(statement):
            part = each if isinstance(each, ex.Subscript) else None
            if part is not None and self._is_source(part.value) and _speaks_of(part, counters):
                return Place(scope.module.path, *part.span)
        return None

    def _is_batch(self, definition: ex.Definition) -> bool:
        values = self._loader.context.values(definition.value, self._loop.scope)
        return not values or any(isinstance(value, Batch) for value in values)

    def _joins(self, call: ex.Call, scope: Scope) -> bool:
        paths = library_callees(self._loader.context, call)
        if any(path in _TABLES for path in paths):
            columns = [a.value for a in call.arguments if isinstance(a.value, ex.Mapping)]
            parts = [value for column in columns for _, value in column.items]
        elif _ZIP in paths or not _ARCHIVES.isdisjoint(paths):
            given = [argument.value for argument in call.arguments]
            parts = [*given, *map(_converted, given)]
        elif any(map(_is_metric, paths)):
            parts = list(_samples_of_metric(call))
        else:
            return False
        return any(self._is_output(p, scope) for p in parts) and any(map(self._is_source, parts))

    def _is_output(self, expression: ex.Expression, scope: Scope) -> bool:
        """Whether an expression holds what the loop collected."""
        return any(
            self._is_call(part, scope) if isinstance(part, ex.Call) else self._is_collected(part)
            for part in parts_in_function(expression)
        )

    def _is_collected(self, part: ex.Expression) -> bool:
        return any(
            name.name in self._names and name.definition.scope is self._scope
            for name in self._other_names(part)
            if isinstance(name, ex.Reference) and name.definition is not None
        )

    def _other_names(self, expression: ex.Expression) -> Iterable[ex.Expression]:
        """An expression, and what it is another name for, in the functions that call as well."""
        context = self._loader.context
        if not isinstance(expression, ex.Reference) or expression.definition is None:
            return (expression,)
        root = context.solver.root(expression.definition.scope)
        return names_over_calls(context, expression, root)

    def _is_call(self, call: ex.Call, scope: Scope) -> bool:
        """Whether a call of the loop's function gives back what it collected of this loader."""
        context, inner = self._loader.context, self._scope
        if scope is inner or inner not in callees_of(context, call):
            return False
        made = self._loader.made
        if made not in context[LoadersGiven].to(call) and {made} != set(self._loop.loaders):
            return False
        results = [walk.walk(result) for result in inner.returns]
        return bool(results) and all(any(map(self._is_list, parts)) for parts in results)

    def _is_list(self, part: ex.Expression) -> bool:
        """Whether it is what the loop collects: a list by its name, or the comprehension."""
        if isinstance(part, ex.Comprehension):
            return part is self._loop.comprehension and part.kind == "list"
        return isinstance(part, ex.Reference) and part.name in self._names

    def _is_source(self, expression: ex.Expression) -> bool:
        """Whether an expression is, or is a part of, what the data set is made of."""
        names = [*self._other_names(expression)]
        return any(map(self._is_of_source, names)) or any(map(self._is_of_loader, names))

    def _is_of_loader(self, expression: ex.Expression) -> bool:
        """`loader.dataset.paths`, and a part of it: entries of the data set that a loader has."""
        while isinstance(expression, ex.Attribute | ex.Subscript):
            entries, expression = expression, expression.value
            if isinstance(expression, ex.Attribute) and expression.name == "dataset":
                is_entry = isinstance(entries, ex.Attribute) and self._is_per_sample(entries.name)
                return is_entry and self._is_loader(expression.value)
        return False

    def _is_loader(self, expression: ex.Expression) -> bool:
        """Whether a name stands for the loader alone."""
        if not isinstance(expression, ex.Reference) or expression.definition is None:
            return False
        values = self._loader.context.values(expression, expression.definition.scope)
        return values == {self._loader.made}

    def _is_of_source(self, expression: ex.Expression) -> bool:
        whole, last = expression, expression
        while isinstance(expression, ex.Attribute | ex.Subscript):
            last, expression = expression, expression.value
        if isinstance(expression, ex.Call) and isinstance(expression.function, ex.Attribute):
            owner = expression.function.value
            return self._is_source(owner) and not self._is_dataset(owner)
        source = next(filter(self._is_named_source, self._other_names(expression)), None)
        return source is not None and (expression is whole or self._has_rows(source, last))

    def _is_named_source(self, name: ex.Expression) -> bool:
        return isinstance(name, ex.Reference) and name.definition in self._source

    def _has_rows(self, source: ex.Expression, part: ex.Expression) -> bool:
        """Whether a part of what a name stands for is in the order of the samples."""
        if self._is_dataset(source):
            return not isinstance(part, ex.Attribute) or self._is_per_sample(part.name)
        definition = source.definition if isinstance(source, ex.Reference) else None
        made = None if definition is None else definition.value
        return isinstance(made, ex.Call) and _is_of_pandas(self._loader, made)

    def _is_dataset(self, expression: ex.Expression) -> bool:
        """Whether an expression names the data set itself."""
        given = self._loader.written("dataset")
        if not isinstance(given, ex.Reference) or not isinstance(expression, ex.Reference):
            return False
        return given.definition is expression.definition

    def _is_per_sample(self, attribute: str) -> bool:
        """Whether an attribute of the data set has an entry for each sample, in their order."""
        context = self._loader.context
        origins = context[DatasetOrigins]
        classes = [origins.project_class(o) for o in origins.of_loader(self._loader) or ()]
        known = [cls for cls in classes if cls is not None]
        if known:
            return all(takes_by_index(context, cls, attribute) for cls in known)
        return attribute in PER_SAMPLE


def _converted(part: ex.Expression) -> ex.Expression:
    """What an array is made of, entry by entry: `np.array(names)`."""
    made = origin_of(part)
    is_array = isinstance(made, ex.Call) and made.name in CONVERTING
    given = positional(made) if is_array and isinstance(made, ex.Call) else []
    return given[0] if len(given) == 1 else part


def _is_metric(path: str) -> bool:
    """Whether a metric of scikit-learn is computed of samples, rather than shown."""
    name = path.removeprefix(_METRICS).rpartition(".")[2]
    return path.startswith(_METRICS) and name.islower()


def _samples_of_metric(call: ex.Call) -> Iterator[ex.Expression]:
    """The arguments of a metric that have an entry for each sample; others name classes."""
    named = (written(call, None, name) for name in OF_SAMPLES)
    yield from positional(call)[:SAMPLES_FIRST]
    yield from (each for each in named if each is not None)


def _parts_in(loop: Loop) -> Iterator[ex.Expression]:
    for statement in walk.statements(loop.body):
        for expression in walk.expressions(statement):
            yield from walk.walk(expression)


def _speaks_of(part: ex.Subscript, names: set[ex.Definition]) -> bool:
    """Whether an index is one of some names, or is computed from it."""
    inner = walk.walk(part.index)
    return any(isinstance(p, ex.Reference) and p.definition in names for p in inner)


def _collected(loop: BatchLoop) -> Iterator[str]:
    """The names of the lists that a loop fills, batch by batch."""
    if loop.comprehension is not None and isinstance(loop.statement, Bind):
        whole = loop.statement.value is loop.comprehension and loop.comprehension.kind == "list"
        yield from (d.name for d in loop.statement.definitions if whole)
    if not isinstance(loop.statement, Loop) or loop.body is None:
        return
    for call in calls_in(loop.body):
        owner = call.function.value if isinstance(call.function, ex.Attribute) else None
        if call.name in _COLLECTING and isinstance(owner, ex.Reference):
            yield owner.name
    for statement in walk.statements(loop.body):
        value = statement.value if isinstance(statement, Bind) else None
        left = value.left if isinstance(value, ex.Binary) and value.operator == "+" else None
        if isinstance(statement, Bind) and isinstance(left, ex.Reference):
            yield from (d.name for d in statement.definitions if d.name == left.name)
