"""What calls carry: readers, functions that hand payload on, and those that reduce it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses import repetition
from dlint.analyses.callees import Function, is_self, mapping
from dlint.analyses.calls import is_call_to
from dlint.analyses.object_state import file_names, hdf5
from dlint.analyses.object_state.file_data import NOTHING, Payload, Payloads
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.library_facts import handles, passthrough, readers
from dlint.library_facts.readers import Form, Kind, Reader
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import (
    ClassObject,
    External,
    Instance,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.object_state.data_taint import DataTaint
    from dlint.ir.module import Class

_TRANSFORMS = lazily(
    r"transform|process|augment|resiz|resampl|crop|normali[sz]|pad|convert|decode|to_|tensor|load|"
    r"read|filter|extract|scale|result",
    re.I,
)
"""Functions of unknown code whose result stands for what they are given."""

_FORMS = {"torch": Form.TENSOR, "torchvision": Form.TENSOR, "torchaudio": Form.TENSOR}
_SAMPLE = readers.READERS["torchvision.datasets.DatasetFolder"]
_RUN_THROUGH = frozenset({Kind.FILE, Kind.HANDLE, Kind.HDF5})
_AWAITING = frozenset({"concurrent.futures.as_completed", "asyncio.gather", "dask.compute"})


def of(carriers: DataTaint, call: ex.Call, frame: CallContext) -> Payloads:
    """The payload that the result of a call carries."""
    if isinstance(call.function, ex.Call):
        return _curried(carriers, call, call.function, frame)
    targets = carriers.targets.of(call.function, frame)
    over = mapping(call, targets)
    if over is not None:
        return _mapped(carriers, call, over, frame)
    found: set[Payload] = set()
    for target in targets:
        if isinstance(target, External):
            found |= library(carriers, call, target.path, frame)
        elif isinstance(target, ClassObject):
            found |= _constructed(carriers, call, target, frame)
        else:
            found |= _entered(carriers, call, frame)
    if targets:
        return frozenset(found)
    if isinstance(call.function, ex.Attribute):
        return _method(carriers, call, call.function, frame)
    return through(carriers, call, frame)


def library(carriers: DataTaint, call: ex.Call, path: str, frame: CallContext) -> Payloads:
    """A call of a library callable."""
    reader = _reader(path, call.arguments)
    if path in readers.ARCHIVES and file_names.is_named(
        carriers.context, written(call, 0, "file"), readers.ARCHIVES[path], frame
    ):
        reader = readers.ARCHIVE
    if reader is not None:
        given = carriers.union((a.value for a in call.arguments[:1]), frame)
        return _grouped(_read(reader, call, frame, given), path)
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    if path in readers.READERS or path in readers.INDEX_READERS or last in readers.REDUCING:
        return NOTHING
    if root == "builtins":
        return _contained(carriers, call, last, frame) if last in readers.CONTAINERS else NOTHING
    if passthrough.first_argument(path) or path in _AWAITING or path in handles.HOLDING:
        return _grouped(carriers.union((a.value for a in call.arguments[:1]), frame), path)
    if root in readers.ARRAY_LIBRARIES:
        made = through(carriers, call, frame, _FORMS.get(root, Form.ARRAY))
        return _joined(carriers, call, made, frame) if last in readers.JOINING else made
    # a class of a library holds what it is given; a function is known by its name
    if last[:1].isupper() or _TRANSFORMS.search(last):
        return through(carriers, call, frame)
    return NOTHING


def _grouped(found: Payloads, path: str) -> Payloads:
    """What a function gives, as a group of arrays if it makes one of the handle."""
    if path not in handles.GROUPS:
        return found
    return frozenset(replace(p, group=p.kind is Kind.HANDLE) for p in found)


def _contained(carriers: DataTaint, call: ex.Call, name: str, frame: CallContext) -> Payloads:
    """The elements of what a builtin is given; an open file is read, and left.

    A dict of an archive holds its arrays, any other collection the names of these; a dict of what
    may be one holds several that one file held.
    """
    given = carriers.union((a.value for a in call.arguments), frame)
    if name not in readers.EXHAUSTING:
        return given
    read = {p for p in given if p.kind is Kind.ARCHIVE and not p.many}
    arrays = {replace(p, kind=Kind.PAYLOAD) for p in read if name == "dict"}
    kept = (p for p in given - read if p.many or p.kind not in _RUN_THROUGH)
    taken = (replace(p, parts=p.parts or name == "dict") for p in kept)
    return frozenset(taken) | arrays


def _reader(path: str, arguments: tuple[ex.Argument, ...]) -> Reader | None:
    """The reader at `path`, unless these arguments leave the payload on disk."""
    if path in readers.OPENERS:
        return readers.FILE if _opens_bytes(path, arguments) else readers.HANDLE
    reader = readers.READERS.get(path)
    if reader is None:
        return readers.HANDLE if path in handles.HANDLES else None
    if path == "numpy.load" and len(arguments) > 1 and arguments[1].keyword is None:
        return None
    for argument in arguments:
        lazy = argument.keyword in reader.lazy_if or argument.star == "**"
        given = ex.constant(argument.value)
        off = given is not None and given.value in (None, False)
        if lazy and not off:
            return None
        if argument.keyword in reader.boxed_if and not off:
            reader = replace(reader, whole=False)
    return reader


def _opens_bytes(path: str, arguments: tuple[ex.Argument, ...]) -> bool:
    positional = [a.value for a in arguments if a.keyword is None]
    given = next((a.value for a in arguments if a.keyword == "mode"), None)
    mode = given or (positional[1] if len(positional) > 1 else None)
    if mode is None:
        return path not in ("builtins.open", "io.open")
    known = ex.constant(mode)
    return known is not None and isinstance(known.value, str) and "b" in known.value


def _read(
    reader: Reader, call: ex.Call, frame: CallContext, given: Iterable[Payload] = ()
) -> Payloads:
    """What a reader gives; `given` is what its first argument carries, such as an open file."""
    file = next(((p.read, p.frame) for p in given if p.kind is Kind.FILE), None)
    read = Payload(call, frame, reader, reader.kind, reader.form, reader.packed, file=file)
    return frozenset({read})


def through(
    carriers: DataTaint, call: ex.Call, frame: CallContext, form: Form | None = None
) -> Payloads:
    """What comes out of a function that is given payload; given a handle, it reads."""
    found = set()
    for p in carriers.union((a.value for a in call.arguments), frame):
        form_here = form or p.form
        if p.kind is Kind.PAYLOAD:
            found.add(replace(p, form=form_here))
        elif p.kind in (Kind.IMAGE, Kind.VOLUME) or (
            p.kind is Kind.HDF5 and form is not None and p.key is not None
        ):
            whole = p.kind is Kind.HDF5
            found.add(replace(p.read_at(call, frame, whole=whole), form=form_here))
    return frozenset(found)


def _joined(carriers: DataTaint, call: ex.Call, made: Payloads, frame: CallContext) -> Payloads:
    """`np.stack(list)` makes one array; `np.concatenate([so_far, x])` collects as `append` does."""
    first = written(call, 0)
    if isinstance(first, ex.Sequence) and len(first.items) > 1:
        made = carriers.collected(made, frame, call.span)
    end_to_end = call.name in readers.JOINING_END_TO_END
    return frozenset(
        replace(p, joined=p.many, parts=p.parts or (p.many and end_to_end)) for p in made
    )


def _curried(carriers: DataTaint, call: ex.Call, made: ex.Call, frame: CallContext) -> Payloads:
    """joblib's `Parallel(…)(delayed(f)(x) for x in xs)`, and `Transform(…)(x)`."""
    if made.name == "delayed" and made.arguments:
        return _called_with(carriers, call, made.arguments[0].value, call.arguments, frame)
    return through(carriers, call, frame)


def _called_with(
    carriers: DataTaint,
    call: ex.Call,
    function: ex.Expression,
    arguments: tuple[ex.Argument, ...],
    frame: CallContext,
) -> Payloads:
    """What `function` returns for these arguments, on behalf of `call`."""
    passed = CallArguments.of(arguments, frame)
    found: set[Payload] = set()
    for target in carriers.targets.of(function, frame):
        if isinstance(target, Function):
            for inner in carriers.targets.enter(target, call, passed, frame):
                found |= _returned(carriers, inner)
        elif isinstance(target, External):
            reader = _reader(target.path, arguments)
            found |= NOTHING if reader is None else _read(reader, call, frame)
    return frozenset(found)


def _entered(carriers: DataTaint, call: ex.Call, frame: CallContext) -> Payloads:
    inner = carriers.targets.entered(call, frame)
    return frozenset(p for entered in inner for p in _returned(carriers, entered))


def _returned(carriers: DataTaint, entered: CallContext) -> Payloads:
    """What an activation returns, or yields one by one."""
    found = set(carriers.union(entered.scope.returns, entered))
    for produced in entered.scope.yields:
        if produced.value is not None:
            carried = carriers.of(produced.value, entered)
            found |= carriers.collected(carried, entered, produced.span)
    return frozenset(found)


def _mapped(
    carriers: DataTaint,
    call: ex.Call,
    over: tuple[ex.Expression, list[ex.Expression]],
    frame: CallContext,
) -> Payloads:
    function, iterables = over
    few = all(repetition.is_few(i, frame.scope) for i in iterables)
    found: set[Payload] = set()
    for target in carriers.targets.of(function, frame):
        if isinstance(target, External) and (reader := _reader(target.path, ())) is not None:
            found |= _read(reader, call, frame)
    for entered in carriers.targets.mapped(call, frame):
        found |= _returned(carriers, entered)
    here = frozenset(p for p in found if p.within(frame) == call.span)
    given = carriers.union(iterables, frame)
    return given | (found - here) | {replace(p, many=p.many or not few) for p in here}


def _constructed(
    carriers: DataTaint, call: ex.Call, made: ClassObject, frame: CallContext
) -> Payloads:
    """An object of the project: it holds what it is given, and what its constructor reads."""
    found = {p for p in through(carriers, call, frame) if p.within(frame) != call.span}
    solver = carriers.context.solver
    init = solver.classes.method(made.cls, "__init__")
    if init is None or any(map(readers.is_dataset_base, solver.classes.externals(made.cls))):
        return frozenset(found)
    passed = CallArguments.of(call.arguments, frame)
    target = Function(init, Instance(made.cls))
    for entered in carriers.targets.enter(target, call, passed, frame):
        for store in init.stores:
            if is_self(store.target.value, init):
                found |= carriers.of(store.value, entered)
    return frozenset(found)


def _method(
    carriers: DataTaint, call: ex.Call, callee: ex.Attribute, frame: CallContext
) -> Payloads:
    """A method of a handle or of payload, or of an object that is given payload."""
    name = callee.name
    if name == "submit" and call.arguments:
        function, *rest = call.arguments
        return _called_with(carriers, call, function.value, tuple(rest), frame)
    if is_call_to(carriers.context, call, passthrough.ENTERING):
        entered = written(call, 0, "cm")
        return NOTHING if entered is None else carriers.of(entered, frame)
    found = set()
    for p in carriers.of(callee.value, frame):
        if p.kind is Kind.PAYLOAD:
            if name not in readers.REDUCING:
                found.add(replace(p, form=Form.ARRAY) if name == "numpy" else p)
        elif name in readers.READING_METHODS.get(p.kind, ()):
            read = p.read_at(call, frame, whole=p.kind is Kind.HDF5)
            found.add(replace(read, file=(p.read, p.frame)) if p.kind is Kind.FILE else read)
        elif name in readers.HANDLE_PARTS.get(p.kind, ()):
            found.add(hdf5.named(p, call) if p.kind is Kind.HDF5 else p)
    if found or name in readers.MUTATORS or name in readers.REDUCING:
        return frozenset(found)
    applied = is_self(callee.value, frame.scope) or _TRANSFORMS.search(name) is not None
    return through(carriers, call, frame) if applied else NOTHING


def of_dataset(carriers: DataTaint, expression: ex.Subscript, frame: CallContext) -> Payloads:
    """`base[i]` for all of `range(len(base))`, where samples of `base` are read from files."""
    if not repetition.counts(expression.index):
        return NOTHING
    sample = Payload(expression, frame, _SAMPLE, Kind.PAYLOAD, _SAMPLE.form)
    if is_self(expression.value, frame.scope):
        return frozenset({sample}) if _reads(carriers, carriers.cls) else NOTHING
    for value in carriers.context.solver.values(expression.value, frame):
        cls = attributes.project_class(value)
        if is_of_library(value):
            reader = readers.READERS.get(library_path(value))
            if reader is not None and reader.kind is Kind.DATASET:
                return frozenset({sample})
        elif cls is not None and cls is not carriers.cls and _reads(carriers, cls):
            return frozenset({sample})
    return NOTHING


def _reads(carriers: DataTaint, cls: Class) -> bool:
    """Whether a sample of a data set is read from a file when it is asked for."""
    solver = carriers.context.solver
    method = solver.classes.method(cls, "__getitem__")
    if method is None:
        return False
    inner = type(carriers)(carriers.context, cls)
    found = inner.union(method.returns, solver.root(method))
    return any(p.kind is Kind.PAYLOAD for p in found)
