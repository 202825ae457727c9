"""Open files and databases that objects keep from their construction on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.guards import Switches, on_way
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, If, Scope, Store, With
from dlint.library_facts.handles import ARCHIVE, HANDLES, Handle
from dlint.library_facts.readers import Kind
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.object_state.file_data import Payload
    from dlint.analyses.object_state.state import HeldData, ObjectState
    from dlint.analyses.object_state.writes import Write
    from dlint.findings.places import Place
    from dlint.ir.module import Class
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.workers.worker_code import Entry

_OPEN = frozenset({Kind.ARCHIVE, Kind.FILE, Kind.HANDLE, Kind.HDF5, Kind.RASTER})
_READING_ON = frozenset({"readline", "next", "__next__"})


class KeptHandle(NamedTuple):
    """A handle that a constructor opens and leaves open, in an attribute of the object.

    `place` is the opening call in the constructor, or the call of the helper that opens.
    """

    owner: Class
    place: Place
    opened: Place
    attribute: str
    handle: Handle
    is_off: bool
    """Whether a switch that is off by default keeps it from being opened."""
    inner: str | None = None
    """The attribute of the object inside `owner` that keeps it, where there is one."""


def kept_handles(dataset: DatasetClass) -> Iterator[KeptHandle]:
    """What the constructor of a data set leaves open, by attribute, in the order of places."""
    state = dataset.state
    switches = Switches(state.taint)
    for held in state.file_data:
        payload = held.payload
        if payload.kind not in _OPEN or not _stays_open(state, held):
            continue
        begun = state.place(payload.read.span, payload.frame)
        handle = _handle(state, payload)
        if begun is not None and handle is not None:
            opened = Place(payload.frame.scope.module.path, *payload.read.span)
            tests = (*payload.guards, *on_way(held.frame, held.span))
            off = any(map(switches.is_off_by_default, tests))
            inner = _inner(payload, begun[0])
            yield KeptHandle(*begun, opened, held.attribute, handle, off, inner)


def _inner(payload: Payload, owner: Class) -> str | None:
    """The attribute in which an object of another class keeps what its constructor opens."""
    scope = payload.frame.scope
    if scope.owner in {None, owner} or scope.name != "__init__":
        return None
    kept = (s for s in scope.stores if s.value is payload.read and _is_on_self(s, scope))
    return next((s.target.name for s in kept if isinstance(s.target, ex.Attribute)), None)


def _is_on_self(store: Store, scope: Scope) -> bool:
    """Whether something is written to an attribute of the object whose method this is."""
    return isinstance(store.target, ex.Attribute) and is_self(store.target.value, scope)


def _handle(state: ObjectState, payload: Payload) -> Handle | None:
    if payload.kind is Kind.ARCHIVE:
        return ARCHIVE
    if not isinstance(payload.read, ex.Call):
        return None
    targets = state.targets.of(payload.read.function, payload.frame)
    paths = [target.path for target in targets if isinstance(target, External)]
    return next((HANDLES[path] for path in paths if path in HANDLES), None)


def _stays_open(state: ObjectState, held: HeldData) -> bool:
    """Whether nothing in the constructor closes the handle, or takes it from the object again."""
    read = held.payload.read
    if isinstance(read, ex.Call) and (isinstance(read.statement, With) or _is_left(read)):
        return False
    written = (w for w in state.written_to(held.attribute) if w.frame is held.frame)
    later = (w for w in written if w.span > held.span)
    return not any(map(_is_none, later)) and not _is_closed(state, held.payload)


def _is_left(opening: ex.Call) -> bool:
    """Whether a stack of context managers that a `with` leaves closes it: `stack.enter_context`."""
    stacks = (
        call.function.value
        for call in opening.scope.calls
        if call.name == "enter_context" and written(call, 0) is opening
        if isinstance(call.function, ex.Attribute)
    )
    return any(isinstance(ex.unnamed(stack), ex.Entered) for stack in stacks)


def _is_none(write: Write) -> bool:
    return isinstance(write.value, ex.Constant) and write.value.value is None


def _is_closed(state: ObjectState, payload: Payload) -> bool:
    for frame in {*state.activations, payload.frame}:
        for call in frame.scope.calls:
            callee = call.function
            if call.name == "close" and isinstance(callee, ex.Attribute):
                closed = state.taint.of(callee.value, frame)
                if any(p.read is payload.read for p in closed):
                    return True
    return False


def reads(entry: Entry, attribute: str) -> bool:
    """Whether worker code reads an attribute of the data set."""
    return read_at(entry, attribute) is not None


def read_at(entry: Entry, attribute: str) -> Place | None:
    """The first place where worker code reads an attribute of the data set."""
    for frame in entry.activations:
        for part in parts_of(frame.scope):
            named = part if isinstance(part, ex.Attribute) and part.name == attribute else None
            if named is not None and is_self(named.value, frame.scope):
                return Place(frame.scope.module.path, *named.span)
    return None


def reads_on(entry: Entry, attribute: str) -> bool:
    """Whether worker code takes the next line of a file, and never goes to a place in it."""
    calls = [call for frame in entry.activations for call in frame.scope.calls]
    owned = [c for c in calls if (held := _receiver(c)) is not None and _is_named(held, attribute)]
    return any(call.name in _READING_ON for call in owned) and all(
        isinstance(argument.value, ex.Constant)
        for call in owned
        if call.name == "seek"
        for argument in call.arguments
    )


def _receiver(call: ex.Call) -> ex.Expression | None:
    """What a method is called on, or `next` is given."""
    if isinstance(call.function, ex.Attribute):
        return call.function.value
    return written(call, 0) if call.name == "next" else None


def reads_through(entry: Entry, kept: KeptHandle) -> bool:
    """Whether worker code reads a handle, also where an object inside the data set keeps it."""
    return reads(entry, kept.attribute) and (kept.inner is None or reads(entry, kept.inner))


def opens_own(entry: Entry, attribute: str) -> bool:
    """Whether worker code writes the attribute before it uses it: it opens its own handle."""
    return any(_opens(frame.scope, attribute) for frame in entry.activations)


def _opens(scope: Scope, attribute: str) -> bool:
    written = [s for s in scope.stores if _is_named(s.target, attribute)]
    return bool(written) and not _is_used_before(scope, attribute, min(s.span for s in written))


def _is_used_before(scope: Scope, attribute: str, span: Span) -> bool:
    """Whether the attribute is used before a place; to test or to close it is no use."""
    for statement in walk.statements(scope.body):
        if isinstance(statement, If) or statement.span >= span:
            continue
        for expression in walk.expressions(statement):
            parts = list(walk.walk(expression))
            closed = any(isinstance(p, ex.Attribute) and p.name == "close" for p in parts)
            if not closed and any(_is_named(p, attribute) and p.span < span for p in parts):
                return True
    return False


def _is_named(part: ex.Expression, attribute: str) -> bool:
    return isinstance(part, ex.Attribute) and part.name == attribute


def reopens(entry: Entry, cls: Class, attribute: str) -> bool:
    """Whether a `worker_init_fn` writes the attribute, or calls a method of the class that does."""
    methods = entry.context.solver.classes
    if opens_own(entry, attribute):
        return True
    for call, _ in entry.calls():
        method = methods.method(cls, call.name or "")
        if method is not None and _opens(method, attribute):
            return True
    return False


def images_left_open(dataset: DatasetClass) -> Iterator[tuple[Class, Place, str]]:
    """Images that a constructor opens, one for each sample, and keeps without decoding them.

    Given are the class of the constructor, where it opens them, and the attribute.
    """
    state = dataset.state
    for held in state.file_data:
        payload = held.payload
        if payload.kind is Kind.IMAGE and payload.many:
            begun = state.place(payload.read.span, payload.frame)
            if begun is not None and _stays_open(state, held):
                yield *begun, held.attribute


def is_opened_at_times(owner: Class, place: Place) -> bool:
    """Whether the constructor opens images on some paths only."""
    init = owner.methods.get("__init__")
    if init is None or init.module.path != place.path:
        return False
    return any(tests_before(init, (place.start, place.end)))
