"""What a loader's samples and batches are made of, as far as the project's code says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by as activations_of
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import behind_partial, library_callees
from dlint.analyses.object_state.sample_access import TAKES
from dlint.analyses.value_parts import origin_of, origin_over_calls, parts_over_calls
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts import tensors
from dlint.library_facts.collation import UNPINNED
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.gone_through import inside
from dlint.model.transfers.devices import Device, default_may_be_gpu, devices
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.binding import through_partial
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.names.dtypes import is_dtype
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Instance,
    Method,
    Partial,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_DEEP = 2
_WORKER_SIDE = (*TAKES, "__init__")
_OF_ARRAYS = ("torch.from_numpy", "numpy.")
_MOST_VIEWS = 8


def collate_functions(loader: Loader) -> list[Scope] | None:
    """The project functions that collate; [] for torch's default, None where not known."""
    found: list[Scope] = []
    for value in loader.values("collate_fn"):
        scope = callee_of(loader.context, value)
        if scope is not None:
            found.append(scope)
        elif value != NONE:
            return None
    return found


def callee_of(context: AnalysisContext, value: Value) -> Scope | None:
    """The project function that runs when `value` is called."""
    if isinstance(value, FunctionObject | Method):
        return value.scope
    if isinstance(value, Partial):
        inner = context.solver.values(*behind_partial(context, value))
        return next((s for v in inner if (s := callee_of(context, v)) is not None), None)
    cls = attributes.project_class(value)
    return None if cls is None else context.solver.classes.method(cls, "__call__")


def bound_callee(context: AnalysisContext, value: Value) -> CallContext | None:
    """The project function that runs when `value` is called, with what a partial gives it."""
    scope = callee_of(context, value)
    if scope is None:
        return None
    solver = context.solver
    if not isinstance(value, Partial):
        return solver.root(scope)
    passed = through_partial(solver.passed[value], ())
    receiver = Instance(scope.owner) if scope.owner and calls.takes_receiver(scope) else None
    return solver.frames.enter(scope, value.call, passed, value.frame, None, receiver)


def batch_classes(loader: Loader) -> list[Class]:
    """The project classes that a collate function makes batches of."""
    context = loader.context
    found: list[Class] = []
    for value in loader.values("collate_fn"):
        scope = callee_of(context, value)
        if isinstance(value, ClassObject):
            found.append(value.cls)
        elif scope is not None:
            made = [v for result in scope.returns for v in context.values(result, scope)]
            parts = [part for v in made for part in inside(context.solver, v, (Container,))]
            found += [cls for v in parts if (cls := attributes.project_class(v)) is not None]
    return found


def cannot_be_pinned(loader: Loader) -> bool:
    """Whether batches are objects of a class that torch cannot pin: it has no `pin_memory`."""
    classes = loader.context.solver.classes
    own = any(
        classes.method(cls, "pin_memory") is None and not classes.externals(cls)
        for cls in batch_classes(loader)
    )
    return own or _is_of_graphs(loader)


def _is_of_graphs(loader: Loader) -> bool:
    """Whether each batch is a graph of a library that gives it no method `pin_memory`."""
    scopes = collate_functions(loader) or []
    values = [v for s in scopes for r in s.returns for v in loader.context.values(r, s)]
    return bool(values) and all(library_path(value) in UNPINNED for value in values)


class BatchClass(NamedTuple):
    """A class of the project that batches are objects of, and where it is defined."""

    name: str
    place: Place


def opaque_batches(loader: Loader) -> list[BatchClass]:
    """The classes of the batches, if all are objects that torch hands on as they are.

    torch pins tensors, and what is in dicts, tuples and lists; of other objects only those that
    have a method `pin_memory`. [] where some batch may be anything else.
    """
    context = loader.context
    found: list[BatchClass] = []
    for value in loader.values("collate_fn"):
        scope = callee_of(context, value)
        results = [] if scope is None else [context.values(r, scope) for r in scope.returns]
        values = [value] if isinstance(value, ClassObject) else [v for r in results for v in r]
        for result in values or [NONE]:
            hiding = hiding_class(context, result)
            if hiding is None:
                return []
            found.append(hiding)
    return found


def hiding_class(context: AnalysisContext, value: Value) -> BatchClass | None:
    """The class of an object that torch hands on as it is; None for any other value."""
    made = value.cls if isinstance(value, ClassObject) else None
    cls = made or attributes.project_class(value)
    if cls is None or not _hides_tensors(context, cls):
        return None
    return BatchClass(cls.name, Place(cls.body.module.path, *cls.header))


def _hides_tensors(context: AnalysisContext, cls: Class) -> bool:
    """Whether a class is of the project alone and says nothing of pinning."""
    classes = context.solver.classes
    names = ("pin_memory", "__getattr__", "__getattribute__")
    plain = not set(classes.externals(cls)) - {"builtins.object"}
    resolved = len(cls.bases) <= len(classes.lineage(cls)) - 1
    own = (c for one in classes.ancestors(cls) for m in one.methods.values() for c in m.calls)
    says = any(call.name == "pin_memory" for call in own)
    return plain and resolved and not says and not any(classes.method(cls, n) for n in names)


def is_opaque(loader: Loader) -> bool:
    """Whether nobody knows what the batches are: an unknown function makes them."""
    given = loader.values("collate_fn")
    return bool(given) and all(map(_is_foreign, given))


def _is_foreign(collate: Value) -> bool:
    path = collate.path if isinstance(collate, External) else library_path(collate)
    if path:
        return path.partition(".")[0] not in tensors.PINNABLE_COLLATORS
    return collate == UNKNOWN


def yields_cuda(loader: Loader) -> bool:
    """Whether dataset or collate function put tensors on an accelerator themselves.

    Also where the program makes a GPU the default device: what the collate function makes of
    numbers lies there then.
    """
    context = loader.context
    if default_may_be_gpu(context, loader.call.scope.module.path):
        return True
    scopes = list(collate_functions(loader) or [])
    for value in loader.values("dataset"):
        cls = attributes.project_class(value)
        if cls is not None:
            scopes += _methods(context, cls)
        elif isinstance(value, AllocationSite) and _given_cuda(context, value):
            return True
    return any(_copies(context, scope) for scope in scopes)


def _methods(context: AnalysisContext, cls: Class) -> Iterator[Scope]:
    for name in _WORKER_SIDE:
        method = context.solver.classes.method(cls, name)
        if method is not None:
            yield method


def _given_cuda(context: AnalysisContext, dataset: AllocationSite) -> bool:
    """`TensorDataset(x.cuda(), …)`: an argument that was copied to a device before."""
    passed = context.solver.passed.get(dataset)
    if passed is None or not is_of_library(dataset):
        return False
    return any(
        _is_copy(context, part, context.solver.root(part.scope))
        for argument, frame in passed.arguments
        if not _is_of_host(context, argument.value, frame)
        for part in parts_over_calls(context, argument.value, frame)
        if isinstance(part, ex.Call)
    )


def _is_of_host(context: AnalysisContext, tensor: ex.Expression, frame: CallContext) -> bool:
    """Whether a tensor certainly lies in memory: it is made of an array, or was brought there."""
    for _ in range(_MOST_VIEWS):
        made, frame = origin_over_calls(context, tensor, frame)
        if isinstance(made, ex.Call):
            paths = library_callees(context, made)
            if paths and all(p.startswith(_OF_ARRAYS) and "()" not in p for p in paths):
                return True  # of what that gives, a method may be a copy
            if not isinstance(made.function, ex.Attribute) or made.name in tensors.COPIES:
                return False
            if made.name in tensors.FETCHES:
                return True
            made = made.function
        if not isinstance(made, ex.Attribute | ex.Subscript):
            return False
        tensor = made.value
    return False


def _copies(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function, or what it calls, copies something to an accelerator."""
    root = context.solver.root(scope)
    found = [(call, root) for call in scope.calls]
    entering = [(call, root) for call in calls_in(scope.body)]
    for _ in range(_DEEP):
        entered = dict.fromkeys(
            f for call, frame in entering for f in _entered(context, call, frame)
        )
        entering = [(call, frame) for frame in entered for call in frame.scope.calls]
        found += entering
    return any(_is_copy(context, call, frame) for call, frame in found)


def _entered(context: AnalysisContext, call: ex.Call, frame: CallContext) -> list[CallContext]:
    """The activations that a call makes of functions of the project."""
    known = [inner for _, inner in activations_of(context, call, frame)]
    return known or [context.solver.root(scope) for scope in callees_of(context, call)]


def _is_copy(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """A copy to, or a tensor made on, something that is not certainly the CPU."""
    keyword = written(call, None, "device")
    if keyword is not None:
        return _may_be_accelerator(context, keyword, frame)
    if not isinstance(call.function, ex.Attribute) or call.name not in tensors.COPIES:
        return False
    if call.name != "to":
        return True
    first = written(call, 0)
    if first is None or is_dtype(first):
        return False
    return _may_be_accelerator(context, first, frame)


def _may_be_accelerator(
    context: AnalysisContext, device: ex.Expression, frame: CallContext
) -> bool:
    """Whether a device may be an accelerator; that of another tensor (`x.device`) says nothing.

    Nor does `None`, by which a function leaves tensors where they are made.
    """
    named = origin_of(device)
    if isinstance(named, ex.Attribute) and named.name == "device":
        owner = named.value
        if not isinstance(owner, ex.Reference) or owner.name != "self":
            return False
    if set(context.solver.values(device, frame)) == {NONE}:
        return False
    return not devices(context, device, frame.scope) <= {Device.CPU}


def collates_own_type(loader: Loader) -> bool:
    """Whether a collate function makes objects of a project class that moves itself."""
    return any(map(_moves_itself, _near_collating(loader)))


def hides_tensors(loader: Loader) -> bool:
    """Whether batches hold tensors in objects that move themselves but cannot be pinned."""
    return any(
        _moves_itself(cls) and "pin_memory" not in cls.methods for cls in _near_collating(loader)
    )


def _moves_itself(cls: Class) -> bool:
    """Whether a class has a method of its own by which a tensor would be copied: `to`, `cuda`."""
    return not tensors.COPIES.isdisjoint(cls.methods)


def _near_collating(loader: Loader) -> Iterator[Class]:
    """The classes that a collate function makes, and those written beside what it calls."""
    context = loader.context
    yield from batch_classes(loader)
    functions = collate_functions(loader) or []
    reached = set(functions)
    for scope in functions:
        reached.update(c for call in calls_in(scope.body) for c in callees_of(context, call))
    for module in {scope.module for scope in reached}:
        yield from module.classes


def is_placeholder(loader: Loader) -> bool:
    """Whether its dataset stands in for data: constants, written out, or made up of no data."""
    given = loader.values("dataset")
    return bool(given) and all(_is_made_up(loader.context, value) for value in given)


def _is_made_up(context: AnalysisContext, dataset: Value) -> bool:
    """A range, a list of constants, or samples that hold an index or a text, and nothing read."""
    if isinstance(dataset, Container) and isinstance(dataset.origin, ex.Sequence):
        return all(isinstance(item, ex.Constant) for item in dataset.origin.items)
    if isinstance(dataset, AllocationSite) and dataset.origin == External("builtins.range"):
        return True
    cls = attributes.project_class(dataset)
    method = None if cls is None else context.solver.classes.method(cls, "__getitem__")
    if method is None:
        return False
    written = [store.value for store in method.stores]
    bound = [d.value for d in method.definitions if not isinstance(d.value, ex.Parameter)]
    parts = [part for value in (*method.returns, *written, *bound) for part in walk.walk(value)]
    return not any(isinstance(part, ex.Call | ex.Subscript | ex.Opaque) for part in parts)


def is_one_batch(loader: Loader) -> bool:
    """Whether the batch is as large as a dataset: there is nothing to copy beside computation."""
    size = loader.written("batch_size")
    size = None if size is None else origin_of(size)
    return isinstance(size, ex.Call) and ex.dotted(size.function) == "len"
