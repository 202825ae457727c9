"""What the methods of a map-style dataset owe the loader: an index, a length, a sample."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_as, entered_by
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.completions import (
    Completion,
    completions,
    is_dead,
    statement_completions,
)
from dlint.analyses.control.narrowing import is_used_up
from dlint.analyses.control.path_tests import handles_exception, tests_before
from dlint.analyses.guards import comes_out
from dlint.analyses.resizing import is_resized
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Block, Evaluate, If, Jump, Loop, Return, Scope, Statement, Try
from dlint.ir.walk import bindings_of
from dlint.library_facts.readers import MAP_STYLE_BASES
from dlint.library_facts.reporting import tells
from dlint.library_facts.streams import BASES as ITERABLE
from dlint.model.data.index_bounds import is_beyond_last
from dlint.model.samples.samples import collate_functions
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import (
    NONE,
    FunctionObject,
    Instance,
    Method,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_COLLATE = (
    "torch.utils.data.default_collate",
    "torch.utils.data.dataloader.default_collate",
    "torch.utils.data._utils.collate.default_collate",
)
_ABSTRACT = frozenset({"torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset"})
_NEXT = frozenset({Completion.NEXT})
_SUBSET = frozenset({"torch.utils.data.Subset", "torch.utils.data.dataset.Subset"})


class Contract:
    """One dataset class of the project, as a loader is given objects of exactly this class."""

    def __init__(self, dataset: DatasetClass) -> None:
        self.dataset = dataset
        self._context = dataset.context
        self.cls = dataset.cls
        self.loaders = tuple(x for x in dataset.own_loaders if self._is_given(x))

    def _is_given(self, loader: Loader) -> bool:
        """Whether the loader's dataset is an object of this class, and of none other."""
        values = loader.values("dataset") - {NONE}
        return bool(values) and all(attributes.project_class(v) is self.cls for v in values)

    @property
    def name(self) -> str:
        """What the class is called."""
        return self.cls.name

    @property
    def place(self) -> Place:
        """The line that begins the class."""
        return Place(self.cls.body.module.path, *self.cls.header)

    def method(self, name: str) -> Scope | None:
        """A method as objects of this class have it."""
        return self._context.solver.classes.method(self.cls, name)

    @cached_property
    def is_known(self) -> bool:
        """Whether all methods are: torch's `Dataset` and classes of the project are its bases."""
        classes = self._context.solver.classes
        return classes.is_whole(self.cls) and set(classes.externals(self.cls)) <= MAP_STYLE_BASES

    @property
    def is_iterable(self) -> bool:
        """Whether the loader takes an iterator of it, not samples by index."""
        return any(path in ITERABLE for path in self._context.solver.classes.externals(self.cls))

    # -- the index

    @cached_property
    def getter_without_index(self) -> Place | None:
        """Where a `__getitem__` stands that takes no index."""
        getter = self.method("__getitem__")
        if getter is None or attributes.decorators(getter) or len(getter.parameters) != 1:
            return None
        return None if getter.parameters[0].kind in ("star", "starstar") else _place_of(getter)

    # -- the length

    @cached_property
    def lacks_length(self) -> bool:
        """Whether nothing gives it a `__len__`."""
        if not self.is_known or self.is_iterable or self.method("__getitem__") is None:
            return False
        return not any(
            name in ancestor.methods or bool(bindings_of(ancestor.body, name))
            for ancestor in self._context.solver.classes.ancestors(self.cls)
            for name in ("__len__", "__getattr__", "__getattribute__")
        )

    # -- the sample

    @cached_property
    def empty_samples(self) -> tuple[Place, ...]:
        """Where `__getitem__` gives None for a sample."""
        getter = self.method("__getitem__")
        if getter is None or getter.yields or self.method("__getitems__") is not None:
            return ()
        if attributes.decorators(getter):
            return (_place_of(getter),) if self._is_wrapped_in_none(getter) else ()
        statements = list(walk.statements(getter.body))
        if not getter.returns and not any(isinstance(s, Jump) for s in statements):
            return () if _is_stub(getter) else (_place_of(getter),)
        own = tuple(
            Place(getter.module.path, *s.span)
            for s in statements
            if isinstance(s, Return) and _gives_none(s) and not self._is_unreached(getter, s)
        )
        return own or self._swallowed(getter) or tuple(self._handed_on(getter))

    def _is_wrapped_in_none(self, getter: Scope) -> bool:
        """Whether a decorator of the project returns None where the getter fails."""
        found = [self._context.values(d, getter.parent or getter) for d in getter.decorators]
        made = [v.scope for values in found for v in values if isinstance(v, FunctionObject)]
        if len(made) != len(found):
            return False
        wrappers = [w for one in made if (w := _wrapper(one)) is not None]
        return any(
            self._swallowed(wrapper)
            or any(
                _gives_none(s) and handles_exception(s) and not is_dead(s)
                for s in walk.statements(wrapper.body)
                if isinstance(s, Return)
            )
            for wrapper in wrappers
        )

    def _swallowed(self, getter: Scope) -> tuple[Place, ...]:
        """Where a last `try` lets a failure pass, told at most, and nothing is returned."""
        last = getter.body.statements[-1] if getter.returns else None
        if not isinstance(last, Try) or is_dead(last):
            return ()
        quiet = [h for h in last.handlers if _ends_elsewhere(last) and self._only_tells(h)]
        ends = (h.statements[-1] if h.statements else last for h in quiet)
        return tuple(Place(getter.module.path, *end.span) for end in ends)

    def _only_tells(self, handler: Block) -> bool:
        """Whether a handler comes to its end, and calls nothing but what prints or logs."""
        if completions(handler) != _NEXT:
            return False
        evaluated = (e for s in walk.statements(handler) for e in walk.expressions(s))
        calls = [p for e in evaluated for p in walk.walk(e) if isinstance(p, ex.Call)]
        called = (library_callees(self._context, call) or ("",) for call in calls)
        return all(tells(path) for paths in called for path in paths)

    def _handed_on(self, getter: Scope) -> Iterator[Place]:
        """Where functions of the project give None that a method returns as it is."""
        context, seen = self._context, {getter}
        waiting = list(_returned_calls(getter, context.solver.root(getter)))
        while waiting:
            call, frame = waiting.pop()
            for scope, entered in self._entered(call, frame):
                if scope in seen or scope.yields or attributes.decorators(scope):
                    continue
                seen.add(scope)
                waiting += _returned_calls(scope, entered)
                for s in walk.statements(scope.body):
                    gives = isinstance(s, Return) and _gives_none(s) and not is_dead(s)
                    if gives and _may_come_to(context, s, entered):
                        yield Place(scope.module.path, *s.span)

    def _entered(self, call: ex.Call, frame: CallContext) -> Iterator[tuple[Scope, CallContext]]:
        """What a call enters; on `self`, of whose class nobody has spoken, by this class."""
        context, function = self._context, call.function
        if frame.receiver is None and isinstance(function, ex.Attribute):
            own = self.method(function.name) if _is_receiver(function.value, frame.scope) else None
            if own is not None and not attributes.decorators(own):
                method = Method(own, Instance(self.cls))
                yield from entered_as(context, call, frame, (method,))
                return
        yield from entered_by(context, call, frame)

    def _is_unreached(self, getter: Scope, statement: Return) -> bool:
        """Whether nothing comes to a statement, whatever the object is made with."""
        if is_dead(statement) or is_used_up(self._context, self.cls, getter, statement.span):
            return True
        tests = tests_before(getter, statement.span)
        return any(is_beyond_last(self._context, test, truth, getter) for test, truth in tests)

    @cached_property
    def whole_batches(self) -> tuple[Place, ...]:
        """Where `__getitems__` returns a tuple or a dict, which is no list of samples."""
        getter = self.method("__getitems__")
        results = [] if getter is None else getter.returns
        path = self.cls.body.module.path if getter is None else getter.module.path
        return tuple(Place(path, *result.span) for result in results if _is_batch(result))

    @cached_property
    def images(self) -> tuple[Place, ...]:
        """Where `__getitem__` returns an image of PIL, by itself or as a part of a sample.

        A getter that returns something else on another path may never come to the image.
        """
        getter = self.method("__getitem__")
        if getter is None or attributes.decorators(getter):
            return ()
        found = [
            [p for p in _parts(result, getter) if _is_image(self._context.values(p, getter))]
            for result in getter.returns
        ]
        parts = [part for result in found for part in result] if all(found) else []
        return tuple(Place(getter.module.path, *p.span) for p in parts)


def is_given_abstract(loader: Loader) -> bool:
    """Whether a loader takes its samples from an object of torch's abstract `Dataset` itself."""
    values = loader.values("dataset")
    return loader.is_made and bool(values) and all(library_path(v) in _ABSTRACT for v in values)


def _is_receiver(expression: ex.Expression, scope: Scope) -> bool:
    """Whether a name is that of the object whose method a function is."""
    made = expression.definition if isinstance(expression, ex.Reference) else None
    first = scope.parameters[0].name if scope.owner is not None and scope.parameters else None
    return made is not None and isinstance(made.value, ex.Parameter) and made.value.name == first


def _ends_elsewhere(attempt: Try) -> bool:
    """Whether what is tried returns or raises where nothing fails, and `finally` does neither."""
    tried = completions(attempt.body)
    if attempt.otherwise.statements and Completion.NEXT in tried:
        tried = tried - _NEXT | completions(attempt.otherwise)
    return Completion.NEXT not in tried | completions(attempt.final) - _NEXT


def _wrapper(decorator: Scope) -> Scope | None:
    """The one function that a decorator makes, and returns in place of what it is given."""
    results = [origin_of(result) for result in decorator.returns]
    made = results[0] if len(results) == 1 else None
    return made.function if isinstance(made, ex.FunctionValue) else None


def emptied_batches(loader: Loader) -> Iterator[Place]:
    """Where a collate function gives torch's own what is left of a batch, and asks for nothing."""
    context = loader.context
    for scope in collate_functions(loader) or ():
        choices = any(isinstance(part, ex.Conditional | ex.Boolean) for part in parts_of(scope))
        for call in () if choices else scope.calls:
            given = written(call, 0, "batch")
            if given is None or not is_call_to(context, call, _COLLATE) or not _is_filtered(given):
                continue
            if isinstance(given, ex.Reference) and is_resized(given.name, [scope]):
                continue
            if not any(_may_ask(s, scope) for s in walk.statements(scope.body)):
                yield context.place_of(call)


def _may_ask(statement: Statement, scope: Scope) -> bool:
    """Whether a statement may ask for what is left: any test but of the object's own settings,
    on which nothing but what is done to the samples depends."""
    if not isinstance(statement, If):
        return isinstance(statement, Try | Loop)
    names = (part for part in walk.walk(statement.test) if isinstance(part, ex.Reference))
    own = all(_is_receiver(name, scope) for name in names)
    return not own or statement_completions(statement) != {Completion.NEXT}


def _is_filtered(given: ex.Expression) -> bool:
    """Whether a list is what a condition leaves of another."""
    value = ex.unnamed(given)
    if isinstance(value, ex.Call) and value.name in ("list", "tuple"):
        inner = written(value, 0)
        value = value if inner is None else ex.unnamed(inner)
    if isinstance(value, ex.Call):
        return value.name == "filter"
    return isinstance(value, ex.Comprehension) and bool(value.conditions)


def _is_stub(getter: Scope) -> bool:
    """Whether a body says nothing: a docstring, `pass`, `...`."""
    return all(
        isinstance(s, Evaluate) and isinstance(s.value, ex.Constant | ex.Opaque)
        for s in getter.body.statements
    )


def _gives_none(statement: Return) -> bool:
    value = statement.value
    return value is None or (isinstance(value, ex.Constant) and value.value is None)


def _returned_calls(scope: Scope, frame: CallContext) -> Iterator[tuple[ex.Call, CallContext]]:
    """The calls whose results a function returns, and does not look at before."""
    tested = {
        definition
        for statement in walk.statements(scope.body)
        if isinstance(statement, If)
        for part in walk.walk(statement.test)
        if isinstance(part, ex.Reference) and (definition := part.definition) is not None
    }
    for result in scope.returns:
        named = result.definition if isinstance(result, ex.Reference) else None
        made = origin_of(result)
        if isinstance(made, ex.Call) and named not in tested:
            yield made, frame


def _may_come_to(context: AnalysisContext, statement: Statement, frame: CallContext) -> bool:
    """Whether no test before a statement is known to come out otherwise, for these arguments."""
    tests = tests_before(frame.scope, statement.span)
    return all(comes_out(context, t.test, frame, truth=t.truth) is not False for t in tests)


def _is_batch(result: ex.Expression) -> bool:
    if isinstance(result, ex.Sequence):
        starred = any(isinstance(item, ex.Starred) for item in result.items)
        return result.kind == "tuple" and len(result.items) > 1 and not starred
    return isinstance(result, ex.Mapping) and bool(result.items)


def _parts(result: ex.Expression, getter: Scope) -> Iterator[ex.Expression]:
    """The parts of a sample: of a tuple, a list or a dict, but those that are written over."""
    value, renewed = origin_of(result), _renewed_keys(result, getter)
    if isinstance(value, ex.Sequence):
        yield from value.items
    elif isinstance(value, ex.Mapping):
        known = ((ex.constant(key) if key else None, item) for key, item in value.items)
        yield from (item for key, item in known if key is None or key.value not in renewed)
    else:
        yield result


def _renewed_keys(result: ex.Expression, getter: Scope) -> set[object]:
    """The keys of a sample under which a method writes: `sample["image"] = …`."""
    name = ex.spelled(result)
    targets = [s.target for s in getter.stores if isinstance(s.target, ex.Subscript)]
    keys = (ex.constant(t.index) for t in targets if name and ex.spelled(t.value) == name)
    return {key.value for key in keys if key is not None}


def _is_image(values: frozenset[Value]) -> bool:
    """Whether a value is an image that was opened, and at most converted or resized."""
    return bool(values) and all(library_path(v).startswith("PIL.Image.open") for v in values)


class OwnSubset(NamedTuple):
    """A class derived from torch's `Subset`: its name, its module, and its own `__getitem__`."""

    name: str
    path: str
    getter: Place


def own_subsets(context: AnalysisContext) -> Iterator[OwnSubset]:
    """Classes that derive from torch's `Subset` with a `__getitem__` and no `__getitems__`."""
    classes = context.solver.classes
    for facts in context.modules:
        for cls in facts.module.classes:
            getter = cls.methods.get("__getitem__")
            if getter is None or not _SUBSET & set(classes.externals(cls)):
                continue
            if classes.method(cls, "__getitems__") is None:
                yield OwnSubset(cls.name, cls.body.module.path, _place_of(getter))


def _place_of(scope: Scope) -> Place:
    return Place(scope.module.path, *scope.span)
