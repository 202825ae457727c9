"""Payload: what is read from files, and how it is on its way to where it is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.library_facts.readers import Form, Kind, Reader
from dlint.semantics.calls.call_contexts import CallContext


@dataclass(frozen=True, slots=True)
class Guard:
    """A test that came out as `truth` on the way to a value."""

    test: ex.Expression
    truth: bool
    frame: CallContext


@dataclass(frozen=True, slots=True)
class Payload:
    """What one expression reads from files, on its way.

    `read` is where the contents come to memory (for a handle: where it was opened), in `frame`.
    `many`: one for each file; `whole`: a whole array of a file; `key`: the name of the part of a
    file; `joined`: made one array or tensor of many; `parts`: several that one file holds; `piece`:
    what stands at one place of each, or before it; `group`: it gives lazy arrays by their names.
    """

    read: ex.Expression
    frame: CallContext
    reader: Reader
    kind: Kind
    form: Form
    packed: bool = False
    key: str | None = None
    whole: bool = False
    many: bool = False
    joined: bool = False
    parts: bool = False
    piece: bool = False
    group: bool = False
    guards: frozenset[Guard] = frozenset()
    file: tuple[ex.Expression, CallContext] | None = None
    """Where the open file that it was read from was opened."""

    def within(self, frame: CallContext) -> Span | None:
        """Where, in the code of `frame`, a file is read; None if that is elsewhere.

        Records that are read one by one from a file count where the file was opened.
        """
        read, current = self.file or (self.read, self.frame)
        span = read.span
        while current is not frame:
            if current.call is None or current.caller is None:
                return None
            span, current = current.call.span, current.caller
        return span

    def read_at(
        self, expression: ex.Expression, frame: CallContext, *, whole: bool = False
    ) -> Payload:
        """A handle whose contents are read by `expression`."""
        return replace(self, read=expression, frame=frame, kind=Kind.PAYLOAD, whole=whole)


Payloads = frozenset[Payload]
NOTHING: Payloads = frozenset()


def in_order(found: Payloads) -> list[Payload]:
    """Payloads by where they were read, and how: they are hashed by addresses."""
    return sorted(found, key=_rank)


def _rank(payload: Payload) -> tuple[object, ...]:
    frames = (payload.frame, *payload.frame.chain())
    calls = tuple(f.call.span for f in frames if f.call is not None)
    flags = (payload.packed, payload.whole, payload.many, payload.joined, payload.parts)
    kind = (payload.kind.value, payload.group)
    what = (*kind, payload.form.value, payload.key or "", len(payload.guards))
    return payload.frame.scope.module.path, payload.read.span, calls, *what, *flags
